internal import CairnFiles
public import CairnGit
internal import CairnStore
public import SystemPackage

/// The result of maintenance, or of a dry run.
public struct MaintenanceReport: Sendable {
  /// The git directory that was maintained: this copy's, or a remote's.
  public let repository: FilePath
  /// What was packed.
  public let objects: RepackReport
  /// How long it took.
  public let milliseconds: Int64
}

extension Replica {
  /// The maximum number of bytes of packs that automatic maintenance repacks: about a second's
  /// work.
  static let quickByteLimit: Int64 = 32 << 20

  /// How long automatic maintenance is suspended after a failure, in milliseconds: the cause, a
  /// full disk for example, would otherwise slow down every command.
  static let maintenancePause: Int64 = 24 * 60 * 60 * 1000

  /// Repacks this copy's objects as far as that pays off, however long it takes, packs its refs,
  /// and removes what interrupted writers have left.
  ///
  /// - Returns: Nil when another process is running maintenance.
  package func maintain(isDryRun: Bool = false) throws -> MaintenanceReport? {
    try repository.complete()
    let report = try maintain(of: repository, byteLimit: .max, isDryRun: isDryRun) {
      environment.report($0, $1, of: $2)
    }
    repository.hasNewObjects = false
    if isDryRun || report == nil { return report }
    if let git = environment.git { try? repository.packReferences(git: git) }
    try repository.removeStaleObjectFiles(now: environment.now())
    try environment.files.remove(maintenanceFailureFile(repository))
    return report
  }

  /// Repacks small packs and loose objects when enough have accumulated, after a command that wrote
  /// objects.
  ///
  /// It never fails: a failure of maintenance must not fail a command that has succeeded.
  package func runMaintenance() { runMaintenance(repository) }

  /// Runs the same for this copy, or for a remote in a directory under the remote's configuration.
  func runMaintenance(_ repository: Repository) {
    guard repository.hasNewObjects else { return }
    repository.hasNewObjects = false
    do {
      guard try repository.isMaintenanceDue(), try !hasFailedRecently(repository),
        let report = try maintain(of: repository, byteLimit: Replica.quickByteLimit)
      else { return }
      onMaintenance(report)
    } catch {
      let note = "\(environment.now()) \(error)\n"
      let path = maintenanceFailureFile(repository)
      try? environment.files.createDirectory(above: path)
      try? environment.files.create(path, Array(note.utf8))
    }
  }

  private func maintain(
    of repository: Repository, byteLimit: Int64, isDryRun: Bool = false,
    progress: (_ what: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
  ) throws -> MaintenanceReport? {
    let start = environment.now()
    let objects = try repository.repack(
      byteLimit: byteLimit, git: environment.git, isDryRun: isDryRun, progress: progress)
    return objects.map {
      MaintenanceReport(
        repository: repository.commonDirectory, objects: $0,
        milliseconds: environment.now() - start)
    }
  }

  // MARK: Failures

  /// The file that records when and why automatic maintenance failed.
  private func maintenanceFailureFile(_ repository: Repository) -> FilePath {
    repository.commonDirectory.appending("cairn").appending("maintenance-failed")
  }

  private func hasFailedRecently(_ repository: Repository) throws -> Bool {
    let path = maintenanceFailureFile(repository)
    guard let bytes = try environment.files.read(path, limit: 1 << 16) else { return false }
    let time = String(decoding: bytes, as: UTF8.self).split(separator: " ").first.flatMap {
      Int64($0)
    }
    return time.map { abs(environment.now() - $0) < Replica.maintenancePause } ?? false
  }
}
