/// A writer that stores a few objects loose and many as a pack; it buffers objects until the
/// threshold is reached.
package final class AdaptiveObjectWriter: ObjectWriter {
  /// The number of objects from which a pack is cheaper than separate files. A commit of one label
  /// has about seven. A pack takes three syncs: the pack, its index and their directory; a separate
  /// file takes two, of the file and its directory.
  package static let packThreshold = 4

  private let repository: Repository
  private var buffered: [(id: ObjectID, kind: ObjectKind, bytes: [UInt8])] = []
  private var bufferedIDs = Set<ObjectID>()
  private var pack: PackWriter?

  /// The number of objects written, excluding objects that already existed.
  package private(set) var count = 0

  package init(_ repository: Repository) { self.repository = repository }

  package func write(_ kind: ObjectKind, _ bytes: [UInt8]) throws -> ObjectID {
    let id = ObjectID(hashing: kind, bytes)
    try write(id, kind, bytes)
    return id
  }

  /// Writes an object whose id is already computed.
  package func write(_ id: ObjectID, _ kind: ObjectKind, _ bytes: [UInt8]) throws {
    if bufferedIDs.contains(id) { return }
    if repository.isKnown(id) { return try repository.freshen(kind, bytes) }
    if let pack {
      let before = pack.count
      try pack.write(id, kind, bytes)
      count += pack.count - before
      return
    }
    count += 1
    buffered.append((id, kind, bytes))
    bufferedIDs.insert(id)
    if buffered.count >= AdaptiveObjectWriter.packThreshold { try startPack() }
  }

  private func startPack() throws {
    // ``write(_:_:_:)`` has left out what the repository has.
    let pack = PackWriter(objectsDirectory: repository.objectsDirectory, files: repository.files)
    for (id, kind, bytes) in buffered { try pack.write(id, kind, bytes) }
    self.pack = pack
    buffered = []
    bufferedIDs = []
  }

  package func finish() throws {
    if let pack {
      try pack.finish()
      try repository.refreshObjects()
      repository.hasNewObjects = true
    } else {
      let loose = LooseObjectWriter(repository)
      for (_, kind, bytes) in buffered { _ = try loose.write(kind, bytes) }
    }
    (buffered, bufferedIDs, pack) = ([], [], nil)
  }
}
