internal import CairnFiles
public import CairnGit
internal import CairnStore
public import SystemPackage

/// What upkeep did, or would do.
public struct UpkeepReport: Sendable {
  /// The git directory it was about: this copy's, or a remote's.
  public let repository: FilePath
  public let objects: RepackReport
  public let milliseconds: Int64
}

extension Replica {
  /// How many bytes of packs the step by the way packs again at most: about a second's work.
  static let quickByteLimit: Int64 = 32 << 20

  /// How long the step by the way is left alone after it failed, in milliseconds: what is wrong, a
  /// full disk for example, would cost every command the same again.
  static let upkeepPause: Int64 = 24 * 60 * 60 * 1000

  /// Puts this copy's objects together as far as that pays, however long it takes, gathers its refs,
  /// and removes what writers that did not end well have left.
  ///
  /// - Returns: Nil when another process is at it.
  public func upkeep(
    isRehearsal: Bool = false,
    progress: (_ what: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
  ) throws -> UpkeepReport? {
    let report = try upkeep(
      of: repository, byteLimit: .max, isRehearsal: isRehearsal, progress: progress)
    repository.hasNewObjects = false
    if isRehearsal || report == nil { return report }
    if let git { try? repository.tidyReferences(git: git) }
    try repository.removeStaleObjectFiles(now: world.now())
    try world.files.remove(upkeepFailure(repository))
    return report
  }

  /// Puts small packs and loose objects together when so many have piled up that it pays, after a
  /// command that wrote objects.
  ///
  /// It never fails: that it could not be done is no reason for the command to fail that was.
  public func keepInShape() { keepInShape(repository) }

  /// Does so for this copy, or for a remote in a directory by the remote's own configuration.
  func keepInShape(_ repository: Repository) {
    guard repository.hasNewObjects else { return }
    repository.hasNewObjects = false
    do {
      guard try repository.isUpkeepDue(), try !hasFailedLately(repository),
        let report = try upkeep(of: repository, byteLimit: Replica.quickByteLimit)
      else { return }
      onUpkeep(report)
    } catch {
      let note = "\(world.now()) \(error)\n"
      let path = upkeepFailure(repository)
      try? world.files.createDirectory(path.removingLastComponent())
      try? world.files.create(path, Array(note.utf8))
    }
  }

  private func upkeep(
    of repository: Repository, byteLimit: Int64, isRehearsal: Bool = false,
    progress: (_ what: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
  ) throws -> UpkeepReport? {
    let start = world.now()
    let objects = try repository.repack(
      byteLimit: byteLimit, git: git, isRehearsal: isRehearsal, progress: progress)
    return objects.map {
      UpkeepReport(
        repository: repository.commonDirectory, objects: $0,
        milliseconds: world.now() - start)
    }
  }

  private var git: GitProgram? { world.findProgram("git").map(GitProgram.init) }

  // MARK: Failures

  /// Where it is noted when, and why, the step by the way failed.
  private func upkeepFailure(_ repository: Repository) -> FilePath {
    repository.commonDirectory.appending("cairn").appending("upkeep-failed")
  }

  private func hasFailedLately(_ repository: Repository) throws -> Bool {
    guard let bytes = try world.files.read(upkeepFailure(repository), limit: 1 << 16) else {
      return false
    }
    let time = String(decoding: bytes, as: UTF8.self).split(separator: " ").first.flatMap {
      Int64($0)
    }
    return time.map { abs(world.now() - $0) < Replica.upkeepPause } ?? false
  }
}
