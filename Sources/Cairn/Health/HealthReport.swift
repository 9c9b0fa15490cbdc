public import CairnStore
public import SystemPackage

/// The health of a copy of a dataset and of its surroundings: what works, and how to fix what does
/// not.
public struct HealthReport: Equatable, Sendable {
  /// How much a finding matters. Raw values are stable.
  public enum Level: String, Sendable, CaseIterable {
    /// In order.
    case good = "ok"
    /// It works, but something is missing or unusual.
    case warning
    /// Commands fail until it is fixed.
    case problem
  }

  /// What was checked. Raw values are stable.
  public enum Check: String, Sendable, CaseIterable {
    case program, identity, git
    case gitLFS = "git-lfs"
    case dataset, branch, configuration, attributes, locks, clone, index, images, disk, remote
  }

  /// The result of one check.
  public struct Finding: Equatable, Sendable {
    /// What was checked.
    public let check: Check
    /// How much it matters.
    public let level: Level
    /// What was found, without a period.
    public let message: String
    /// A command that fixes it, to be run in the dataset; nil if there is nothing to fix, or no
    /// command fixes it.
    public let fix: String?
    /// What else to do, as a sentence.
    public let hint: String?
  }

  /// The findings, in the order of the checks.
  public internal(set) var findings: [Finding] = []

  /// Whether no finding is a problem.
  public var isHealthy: Bool { findings.allSatisfy { $0.level != .problem } }

  /// Checks the copy that contains a directory and, as far as cairn uses it, this computer. Nothing is
  /// changed, and no check waits for longer than ten seconds.
  ///
  /// - Parameters:
  ///   - path: A directory in the dataset.
  ///   - command: The `cairn` program, which git should run.
  ///   - contactsRemotes: Whether to contact the remotes. They are asked for their branches; the
  ///     user is not prompted for anything.
  ///   - onProgress: Called before each check that may take a while.
  public static func check(
    _ path: FilePath, command: FilePath? = nil, contactsRemotes: Bool = true,
    onProgress: @escaping @Sendable (OperationProgress) -> Void = { _ in }
  ) -> HealthReport {
    var check = HealthCheck(command: command, onProgress: onProgress)
    check.run(path, contactsRemotes: contactsRemotes)
    return check.report
  }
}
