internal import CairnGit
internal import SystemPackage

/// The key of a person to a web service, kept by git's credential helpers and never in a file of ours.
///
/// It goes through pipes, never through arguments. Source: git's Documentation/git-credential.txt.
public struct StoredKey {
  private let address: WebAddress
  private let context: TransportContext

  private let user: String
  /// More than that no helper says.
  private static let limit = 64 << 10

  /// - Parameter user: Helpers keep keys by the server and a name, which services do not ask for.
  public init(for address: WebAddress, user: String, _ context: TransportContext) {
    (self.address, self.user, self.context) = (address, user, context)
  }

  /// Returns the key that a helper knows; nobody is asked at a terminal.
  public func find() -> String? {
    let answer = run("fill", password: nil)
    let password = answer?.split(separator: "\n").last { $0.hasPrefix("password=") }
    return password.map { String($0.dropFirst("password=".count)) }
      .flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Gives a key to the helpers.
  ///
  /// - Returns: False where none of them keeps it.
  public func keep(_ key: String) -> Bool {
    _ = run("approve", password: key)
    return find() == key
  }

  /// Has the helpers forget the key.
  ///
  /// - Returns: False when they knew none.
  public func forget() -> Bool {
    guard let key = find() else { return false }
    _ = run("reject", password: key)
    return true
  }

  /// Returns what git says; nil when it cannot be run or knows nothing.
  private func run(_ verb: String, password: String?) -> String? {
    guard let git = context.git else { return nil }
    var lines = [
      "protocol=\(address.scheme)", "host=\(address.hostAndPort)", "username=\(user)",
    ]
    if let password { lines.append("password=\(password)") }
    // A line feed would begin another attribute.
    guard !lines.contains(where: { $0.utf8.contains { $0 < 0x20 } }) else { return nil }
    var changes = GitProgram.environment
    changes["GIT_DIR"] = .some(context.gitDirectory?.string)
    changes["GIT_TERMINAL_PROMPT"] = .some("0")
    changes["GIT_ASKPASS"] = .some("")
    return try? talk(lines.map { $0 + "\n" }.joined() + "\n", git, verb, changes)
  }

  private func talk(
    _ question: String, _ git: GitProgram, _ verb: String, _ environment: [String: String?]
  ) throws -> String? {
    let child = try ChildProcess(
      git.path.string, ["credential", verb], environment: environment,
      isCancelled: context.isCancelled)
    try Array(question.utf8).withUnsafeBytes {
      try child.write($0, patience: context.patience.first)
    }
    child.closeInput()
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while answer.count < StoredKey.limit {
      let count = try piece.withUnsafeMutableBytes {
        try child.read(into: $0, patience: context.patience.first)
      }
      if count == 0 { break }
      answer += piece[..<count]
    }
    return child.end() == 0 ? String(decoding: answer, as: UTF8.self) : nil
  }
}
