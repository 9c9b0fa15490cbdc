public import CairnDocument
internal import CairnFiles
internal import SystemPackage

/// The right to write a dataset: its lock, held, and its clock.
///
/// Only one exists at a time for a dataset, over all processes; it ends when it is released or the
/// process ends, however it ends.
public final class EditSession {
  public let directory: DatasetDirectory
  private let lock: FileLock
  private var clock: HybridClock

  /// Whether the process that wrote the dataset before was cut short.
  public var isAfterCrash: Bool { lock.isAfterCrash }

  /// How long to wait for another process, in milliseconds.
  public static let patience: Int64 = 60_000

  /// Takes the lock, waiting for whoever holds it.
  ///
  /// - Parameter holder: One line that says what this process does, such as `cairn commit (pid 7)`.
  /// - Parameter onWait: Called once when it takes a while, with what the holder says of itself.
  /// - Throws: ``StoreError/locked(_:holder:)`` when patience runs out.
  public init(
    _ directory: DatasetDirectory, holder: String, patience: Int64 = patience,
    onWait: (String?) -> Void = { _ in }
  ) throws {
    self.directory = directory
    try directory.files.createDirectory(directory.temporaryDirectory)
    let path = directory.privateDirectory.appending("lock")
    lock = try EditSession.wait(
      for: path, directory, holder: holder, patience: patience, onWait: onWait)
    // Whoever held the lock is done: what lies here was left by a crash.
    for name in try directory.files.list(directory.temporaryDirectory) ?? [] {
      try directory.files.removeTree(directory.temporaryDirectory.appending(name))
    }
    let replica = try directory.replicaID()
    clock = try EditSession.readClock(directory, replica: replica)
  }

  private static func wait(
    for path: FilePath, _ directory: DatasetDirectory, holder: String, patience: Int64,
    onWait: (String?) -> Void
  ) throws -> FileLock {
    var waited: Int64 = 0
    var hasTold = false
    while true {
      if let lock = try FileLock.take(path, holder: holder, files: directory.files) { return lock }
      if waited >= patience {
        throw StoreError.locked(path, holder: FileLock.holder(of: path, files: directory.files))
      }
      if waited >= 500, !hasTold {
        onWait(FileLock.holder(of: path, files: directory.files))
        hasTold = true
      }
      // Of many that wait, no two should come back at the same moment.
      let pause = 1 + Int64(directory.world.random() % 10)
      sleepMilliseconds(pause)
      waited += pause
    }
  }

  // MARK: Documents

  /// Writes documents, each atomically, after noting all of them.
  ///
  /// - Parameter durable: Whether each is on the disk before its name is. Of many, one ``flush()`` at
  ///   the end is cheaper.
  public func write(_ documents: [Document], durable: Bool = true) throws {
    try directory.note(documents.lazy.map(\.path))
    for document in documents {
      try directory.write(
        document.canonicalBytes, to: document.path.description, durable: durable)
    }
  }

  /// Removes a document that no commit has: in one that is checked out it would be missed.
  public func remove(_ path: DocumentPath) throws {
    try directory.note([path])
    try directory.remove(path.description)
  }

  /// Makes everything durable that was written so far.
  public func flush() throws { try directory.files.syncEverything(directory.root) }

  /// Puts an image into the work tree.
  public func placeImage(_ id: PhotoID, _ format: ImageFormat) throws {
    let path = DocumentPath.image(id, format)
    try directory.note([path])
    try directory.placeImage(id, at: path.description)
  }

  /// Notes paths that are about to be written by other means.
  public func note(_ paths: [DocumentPath]) throws { try directory.note(paths) }

  // MARK: Clock

  /// Returns a stamp for an edit that replaces what has the stamp `replaced`.
  public func stamp(replacing replaced: Stamp? = nil) -> Stamp {
    clock.stamp(now: directory.world.now(), replacing: replaced)
  }

  /// Makes later stamps of this device later than `stamp`, which came from elsewhere; false when it
  /// is too far in the future to follow.
  @discardableResult
  public func observe(_ stamp: Stamp) -> Bool { clock.observe(stamp, now: directory.world.now()) }

  // Remembers the clock for the next session. A crash that prevents it does no harm: a stamp is
  // later than what it replaces in any case.
  deinit {
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
