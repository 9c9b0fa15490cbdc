internal import CairnBase
package import CairnFiles
internal import CDeflate
internal import Crypto
internal import Dispatch
package import SystemPackage

/// A writer that streams objects into a pack of a repository, compressed on all cores, with deltas
/// only where the caller names a family of similar objects: suited to more than a few objects.
///
/// The ids in a pack are held in memory until it is complete. Very many objects are therefore
/// written to several packs; none of them is visible before ``finish()``.
///
/// Source: git's Documentation/gitformat-pack.txt, “pack-*.pack files”.
package final class PackWriter: ObjectWriter {
  private let directory: FilePath
  private let files: FileSystem
  private let isKnown: (ObjectID) -> Bool
  private let temporaryDirectory: FilePath
  private var temporary: FilePath
  private var file: FileDescriptor?
  private var length: UInt64 = 12
  private var table = ObjectTable()
  /// The number of objects in ``table`` that are in finished packs.
  private var finished = 0
  private let packLimit: Int
  /// Packs that are complete, but not visible yet.
  private var sealed: [SealedPack] = []
  /// The number of objects that are no longer in ``table``.
  private var forgotten = 0
  private var batch: [(id: ObjectID, kind: ObjectKind, bytes: [UInt8])] = []
  private var batchSize = 0
  /// False while a batch or the end of the pack is being written, and permanently after a failure.
  private var isUsable = true

  /// The size in bytes at which a batch is compressed and written.
  static let batchLimit = 4 << 20

  /// The number of objects after which another pack begins, by default. With those of the last
  /// segment, it stays below a power of two, at which the tables of objects double.
  package static let packLimit = 250_000

  /// - Parameters:
  ///   - temporaryDirectory: The directory in which the pack grows, on the same disk; nil for the
  ///     pack directory.
  ///   - packLimit: The number of objects after which another pack begins.
  ///   - isKnown: Returns whether the repository already has an object; such objects are skipped.
  package init(
    objectsDirectory: FilePath, files: FileSystem, temporaryDirectory: FilePath? = nil,
    packLimit: Int = PackWriter.packLimit, isKnown: @escaping (ObjectID) -> Bool = { _ in false }
  ) {
    directory = objectsDirectory.appending("pack")
    self.files = files
    self.isKnown = isKnown
    self.packLimit = packLimit
    self.temporaryDirectory = temporaryDirectory ?? directory
    temporary = PackWriter.temporaryPath(in: self.temporaryDirectory)
  }

  static func temporaryPath(in directory: FilePath) -> FilePath {
    directory.appending("tmp_pack_\(String(UInt64.random(in: 0 ... .max), radix: 36))")
  }

  /// Creates a writer into `repository` that skips objects it already has.
  package convenience init(
    _ repository: Repository, temporaryDirectory: FilePath? = nil,
    packLimit: Int = PackWriter.packLimit
  ) {
    self.init(
      objectsDirectory: repository.commonDirectory.appending("objects"), files: repository.files,
      temporaryDirectory: temporaryDirectory, packLimit: packLimit, isKnown: repository.isKnown)
  }

  deinit { removeTemporaryFiles() }

  private func removeTemporaryFiles() {
    if let file {
      try? file.close()
      try? files.remove(temporary)
    }
    file = nil
    for pack in sealed { pack.remove(files) }
    sealed = []
  }

  /// The number of objects that are, or will be, in the packs.
  package var count: Int { forgotten + table.entries.count }

  /// The number of objects whose ids are in memory.
  package var heldCount: Int { table.entries.count }

  package func write(_ kind: ObjectKind, _ bytes: [UInt8]) throws -> ObjectID {
    let id = ObjectID(hashing: kind, bytes)
    try write(id, kind, bytes)
    return id
  }

  /// Writes an object whose id is already computed.
  package func write(_ id: ObjectID, _ kind: ObjectKind, _ bytes: [UInt8]) throws {
    if table.index(of: id) != nil || isKnown(id) { return }
    _ = table.insert(ObjectTable.Entry(id: id, checksum: 0, offset: 0))
    batch.append((id, kind, bytes))
    batchSize += bytes.count + 64
    if batchSize >= PackWriter.batchLimit { try flush() }
  }

  /// Writes the objects of a segment that are not in the pack yet. It does not check whether the
  /// repository has them: a caller that writes millions of objects can decide that more cheaply.
  package func append(_ segment: PackSegment, where isWanted: (Int) -> Bool = { _ in true }) throws
  {
    try flush()
    try whole {
      let new = segment.objects.indices.filter { index in
        isWanted(index)
          && table.insert(ObjectTable.Entry(id: segment.objects[index].id, checksum: 0, offset: 0))
      }
      let added = try new.count == segment.count ? segment : segment.selecting(new)
      try write(added, to: heldCount - new.count)
      try sealIfFull()
    }
  }

  /// Runs `body`; if it throws, the pack is unusable.
  private func whole(_ body: () throws -> Void) throws {
    guard isUsable else { throw GitError(.other, "an earlier write to this pack failed") }
    isUsable = false
    try body()
    isUsable = true
  }

  // MARK: Pack

  /// Compresses the batch on all cores and writes its objects in their original order.
  private func flush() throws {
    try whole {
      if batch.isEmpty { return }
      let objects = batch
      let segments = PackSegment.filled(with: objects)
      batch.removeAll(keepingCapacity: true)
      batchSize = 0

      var index = heldCount - objects.count
      for segment in segments {
        try write(segment, to: index)
        index += segment.count
      }
      try sealIfFull()
    }
  }

  /// Writes the objects of a segment, whose entries in the table are consecutive.
  private func write(_ segment: PackSegment, to start: Int) throws {
    for (index, object) in segment.objects.enumerated() {
      table.setLocation(
        of: start + index, offset: length + UInt64(object.start), checksum: object.checksum)
    }
    try write(segment.bytes)
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws {
    if bytes.isEmpty { return }
    try files.writeAll(bytes, to: try openFile(), temporary)
    length += UInt64(bytes.count)
  }

  static func header(count: UInt32) -> [UInt8] {
    Array("PACK".utf8) + bigEndian(UInt32(2)) + bigEndian(count)
  }

  private func openFile() throws -> FileDescriptor {
    if let file { return file }
    try files.createDirectory(above: temporary)
    let file = try files.createNew(temporary)
    self.file = file
    try files.writeAll(PackWriter.header(count: 0), to: file, temporary)
    return file
  }

  /// Returns the bytes of an object that was written and not finished; nil for any other.
  package func content(of id: ObjectID) throws -> [UInt8]? {
    try flush()
    if let index = table.index(of: id), index >= finished, let file {
      return try PackEntry.content(at: Int(table.entries[index].offset), in: file)
    }
    for pack in sealed {
      if let content = try pack.content(of: id, files) { return content }
    }
    return nil
  }

  // MARK: End

  package func finish() throws {
    try flush()
    if file == nil, sealed.isEmpty { return }
    isUsable = false
    defer { if !isUsable { removeTemporaryFiles() } }
    try seal()
    try files.createDirectory(directory)
    while let pack = sealed.first {
      try pack.install(in: directory, files)
      sealed.removeFirst()
    }
    try files.syncDirectory(directory)
    (finished, isUsable) = (heldCount, true)
  }

  private func sealIfFull() throws {
    if heldCount - finished < packLimit { return }
    try seal()
    forgotten += heldCount
    (table, finished) = (ObjectTable(), 0)
  }

  /// Completes the pack that is being written, under its temporary name.
  private func seal() throws {
    guard let file else { return }
    self.file = nil
    var pack = SealedPack(pack: temporary)
    sealed.append(pack)
    var index = PackIndex(table.entries[finished...])
    let trailer = try file.closeAfter {
      let header = PackWriter.header(count: UInt32(heldCount - finished))
      try files.writeAll(header, to: file, temporary, at: 0)
      // The header holds the count, which was not known before: the pack is hashed when it is
      // complete.
      let trailer = try hash { index.fill() }
      try files.writeAll(trailer, to: file, temporary, at: Int64(length))
      try files.sync(file, temporary)
      return trailer
    }
    pack.name = "pack-" + Hex.text(trailer)
    let readOnly: FilePermissions = [.ownerRead, .groupRead, .otherRead]
    try files.create(
      pack.index, index.bytes(packTrailer: trailer), durable: true, permissions: readOnly)
    sealed[sealed.count - 1] = pack
    temporary = PackWriter.temporaryPath(in: temporaryDirectory)
    length = 12
  }

  /// Hashes the pack while running `other` in parallel.
  private func hash(_ other: () -> Void) throws -> [UInt8] {
    nonisolated(unsafe) var result: Result<[UInt8], any Error>?
    withoutActuallyEscaping(other) { other in
      nonisolated(unsafe) let other = other
      nonisolated(unsafe) let writer = self
      DispatchQueue.concurrentPerform(iterations: 2) { turn in
        if turn == 0 {
          result = Result {
            var hash = Insecure.SHA1()
            try writer.files.forEachPiece(of: writer.temporary) { hash.update(bufferPointer: $0) }
            return Array(hash.finalize())
          }
        } else {
          other()
        }
      }
    }
    return try result!.get()
  }
}

func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: value.bigEndian) { Array($0) }
}
