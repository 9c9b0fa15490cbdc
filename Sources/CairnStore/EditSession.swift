package import CairnDocument
internal import CairnFiles
internal import SystemPackage

/// The exclusive right to write a dataset: its lock and its clock.
///
/// Only one session exists at a time for a dataset, across all processes. It ends when it is
/// released or when its process ends, for any reason.
package final class EditSession {
  package let directory: DatasetDirectory
  private let lock: ProcessLock
  private var clock: HybridClock
  /// The clock that is saved.
  private let savedClock: HybridClock
  /// The paths that were new in the work tree, while ``undoingOnFailure(_:)`` runs.
  private var placed: [DocumentPath]?

  /// Called before documents are written, and with nil before one is removed, so that it can be
  /// undone.
  package var onEdit: (([(path: DocumentPath, document: Document?)]) throws -> Void)?

  /// Whether documents are not written: edits only return what they would change.
  package var isDryRun = false

  /// Whether the last process that wrote the dataset was interrupted.
  package var isAfterCrash: Bool { lock.isAfterCrash }

  /// The default time to wait for another process, in milliseconds.
  package static let timeout: Int64 = 60_000

  /// Acquires the lock, waiting for its current holder.
  ///
  /// - Parameter holder: One line that describes this process, such as `cairn commit (pid 7)`.
  /// - Parameter onWait: Called once if waiting takes a while, with the holder's description.
  /// - Throws: ``StoreError/locked(_:holder:)`` after the timeout.
  package init(
    _ directory: DatasetDirectory, holder: String, timeout: Int64 = timeout,
    onWait: (String?) -> Void = { _ in }
  ) throws {
    self.directory = directory
    try directory.files.createDirectory(directory.temporaryDirectory)
    lock = try EditSession.wait(
      for: directory.editLock, directory, holder: holder, timeout: timeout, onWait: onWait)
    // The last holder is done: these files were left by a crash.
    for name in try directory.files.list(directory.temporaryDirectory) ?? [] {
      try directory.files.removeTree(directory.temporaryDirectory.appending(name))
    }
    let replica = try directory.replicaID()
    savedClock = try EditSession.readClock(directory, replica: replica)
    clock = savedClock
  }

  private static func wait(
    for path: FilePath, _ directory: DatasetDirectory, holder: String, timeout: Int64,
    onWait: (String?) -> Void
  ) throws -> ProcessLock {
    var waited: Int64 = 0
    var hasReported = false
    while true {
      if let lock = try ProcessLock.acquire(path, holder: holder, files: directory.files) {
        return lock
      }
      if waited >= timeout {
        throw StoreError.locked(path, holder: ProcessLock.holder(of: path, files: directory.files))
      }
      if waited >= 500, !hasReported {
        onWait(ProcessLock.holder(of: path, files: directory.files))
        hasReported = true
      }
      // Random, so that several waiting processes do not retry at the same moment.
      let pause = 1 + Int64(directory.environment.random() % 10)
      sleepMilliseconds(pause)
      waited += pause
    }
  }

  // MARK: Documents

  /// The largest number of documents to write durably. That takes up to three syncs each, of the
  /// journal, the document and its directory, while a ``flush()`` waits for what all programs write
  /// to all disks, for minutes while photos are copied: only a bulk edit is worth that.
  package static let durableLimit = 16

  /// Writes documents, each atomically, after recording all their paths.
  ///
  /// - Parameter durable: Whether the documents and their names are on the disk on return, and the
  ///   record before them. For more than ``durableLimit``, call ``flush()`` at the end instead.
  package func write(_ documents: [Document], durable: Bool = true) throws {
    if isDryRun { return }
    try onEdit?(documents.map { ($0.path, $0) })
    try directory.note(documents.lazy.map(\.path), durable: durable)
    var directories = Set<FilePath>()
    for document in documents {
      let path = document.path.description
      try notePlaced(document.path)
      try directory.write(document.canonicalBytes, to: path, durable: durable)
      if durable { directories.insert(try directory.location(path).removingLastComponent()) }
    }
    // A file system that makes a new directory durable also does so with its name.
    for path in directories { try directory.files.syncDirectory(path) }
  }

  /// Removes a document that no commit contains: git would report a committed one as missing.
  package func remove(_ path: DocumentPath) throws {
    if isDryRun { return }
    try onEdit?([(path, nil)])
    try directory.note([path])
    try directory.remove(path.description)
  }

  /// Makes everything written so far durable.
  package func flush() throws {
    if !isDryRun { try directory.files.syncEverything(directory.root) }
  }

  /// Places an image or a model in the work tree.
  ///
  /// - Parameter path: Its path, which names the blob.
  package func placeBlob(at path: DocumentPath) throws {
    guard let id = path.blob, !isDryRun else { return }
    try directory.note([path])
    try notePlaced(path)
    try directory.placeImage(id, at: path.description)
  }

  /// Runs `body`; if it throws, removes the documents and images that it added to the work tree, so
  /// that no commit contains half of them.
  package func undoingOnFailure<Value>(_ body: () throws -> Value) throws -> Value {
    placed = []
    defer { placed = nil }
    do {
      return try body()
    } catch {
      for path in placed?.reversed() ?? [] { try? directory.remove(path.description) }
      throw error
    }
  }

  private func notePlaced(_ path: DocumentPath) throws {
    if placed == nil { return }
    if try !directory.files.exists(directory.location(path.description)) { placed?.append(path) }
  }

  /// Records paths that are about to be written by other means.
  package func note(_ paths: [DocumentPath]) throws { try directory.note(paths) }

  // MARK: Clock

  /// Returns a stamp for an edit that replaces a value with the stamp `replaced`.
  package func stamp(replacing replaced: Stamp? = nil) -> Stamp {
    clock.stamp(now: directory.environment.now(), replacing: replaced)
  }

  /// Gives a register a value and a new stamp, unless it already has the value.
  package func set<Value: Equatable>(_ register: inout Register<Value>, to value: Value) {
    if register.value != value { register = Register(value, stamp(replacing: register.stamp)) }
  }

  /// Makes later stamps of this device later than `stamp`, which another device created; returns
  /// false if it is too far in the future to follow.
  @discardableResult
  package func observe(_ stamp: Stamp) -> Bool {
    clock.observe(stamp, now: directory.environment.now())
  }

  // Saves the clock for the next session. A crash that prevents it does no harm: a stamp is later
  // than the one it replaces in any case.
  deinit {
    if clock == savedClock || isDryRun { return }
    let text = "\(clock.milliseconds) \(clock.counter)\n"
    try? directory.files.write(
      Array(text.utf8), to: directory.privateDirectory.appending("clock"),
      temporary: directory.temporaryFile())
  }

  private static func readClock(
    _ directory: DatasetDirectory, replica: ReplicaID
  ) throws -> HybridClock {
    let bytes = try directory.files.read(directory.privateDirectory.appending("clock"), limit: 256)
    let numbers = String(decoding: bytes ?? [], as: UTF8.self).split { $0 == " " || $0 == "\n" }
    guard numbers.count == 2, let milliseconds = Int64(numbers[0]), let counter = UInt16(numbers[1])
    else { return HybridClock(replica: replica) }
    return HybridClock(replica: replica, milliseconds: milliseconds, counter: counter)
  }
}
