internal import CairnBase
internal import CairnFiles
internal import Crypto
internal import SystemPackage

/// A pack that is copied as it is, since all of its objects are wanted: nothing is decompressed, and
/// deltas stay deltas. Its files are open, so that they can be read after maintenance has removed them.
///
/// Source: git's Documentation/gitformat-pack.txt, “pack-*.pack files”.
final class WholePack {
  /// The number of its objects.
  let count: Int
  /// Its size in bytes.
  let size: Int

  private let (path, indexPath): (FilePath, FilePath)
  private let (pack, index): (FileDescriptor, FileDescriptor)
  private let files: FileSystem
  private static let hashLength = 20

  /// Opens the pack with a name, without an extension; nil when it was removed.
  init?(named name: String, in directory: FilePath, _ files: FileSystem) throws {
    self.files = files
    path = directory.appending(name + ".pack")
    indexPath = directory.appending(name + ".idx")
    guard let pack = try files.openForReading(path) else { return nil }
    var opened: FileDescriptor?
    do {
      guard let index = try files.openForReading(indexPath) else {
        try pack.close()
        return nil
      }
      opened = index
      count = try files.withMapping(of: index, indexPath) { try PackListing.count($0) }
      size = Int(try pack.seek(offset: 0, from: .end))
      (self.pack, self.index) = (pack, index)
    } catch {
      try? pack.close()
      try? opened?.close()
      throw error
    }
  }

  deinit {
    try? pack.close()
    try? index.close()
  }

  /// Returns the ids of its objects, sorted.
  func ids() throws -> [ObjectID] {
    try files.withMapping(of: index, indexPath) { try PackListing.ids($0) }
  }

  /// Calls `body` with the entries of the pack in pieces, and returns the hash that follows them.
  ///
  /// - Throws: ``GitError`` with `.corrupt` after the last piece if the hash is not that of the pack.
  @discardableResult
  func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> [UInt8] {
    let header = PackWriter.header(count: UInt32(count))
    var hash = Insecure.SHA1()
    hash.update(data: header)
    var left = size - WholePack.hashLength - header.count
    var trailer: [UInt8] = []
    try pack.seek(offset: Int64(header.count), from: .start)
    try files.forEachPiece(of: pack, path) { piece in
      let entries = UnsafeRawBufferPointer(rebasing: piece.prefix(max(left, 0)))
      left -= entries.count
      hash.update(bufferPointer: entries)
      try body(entries)
      trailer += piece.dropFirst(entries.count)
    }
    guard Array(hash.finalize()) == trailer else {
      throw GitError(.corrupt, "the pack \(path) is damaged")
    }
    return trailer
  }

  /// Copies the pack to another repository, which does not check its objects.
  ///
  /// - Throws: ``GitError`` with `.corrupt` if the pack or its index is damaged; nothing is copied then.
  func copy(to other: Repository) throws {
    let (files, directory) = (other.files, other.packDirectory)
    try files.createDirectory(directory)
    var copy = SealedPack(pack: PackWriter.temporaryPath(in: directory))
    do {
      let file = try files.createNew(copy.pack)
      let trailer = try file.closeAfter {
        try files.writeAll(PackWriter.header(count: UInt32(count)), to: file, copy.pack)
        let trailer = try forEachPiece { try files.writeAll($0, to: file, copy.pack) }
        try files.writeAll(trailer, to: file, copy.pack)
        try files.sync(file, copy.pack)
        return trailer
      }
      try self.files.withMapping(of: index, indexPath) { bytes in
        let (hashed, hash) = (
          bytes.dropLast(WholePack.hashLength), bytes.suffix(WholePack.hashLength)
        )
        guard hashed.suffix(WholePack.hashLength).elementsEqual(trailer),
          Insecure.SHA1.hash(data: hashed).elementsEqual(hash)
        else { throw GitError(.corrupt, "the pack index \(indexPath) is damaged") }
        try files.create(
          copy.index, bytes, durable: true, permissions: [.ownerRead, .groupRead, .otherRead])
      }
      copy.name = "pack-" + Hex.text(trailer)
      try copy.install(in: directory, files)
    } catch {
      copy.remove(files)
      throw error
    }
    try files.syncDirectory(directory)
  }
}

extension Repository {
  /// The number of objects from which a pack is copied as it is. The objects of smaller ones, as of
  /// single commits, are put into one pack.
  static let wholePackLimit = 1000

  /// Returns packs that have nothing but objects of a list, each object in one of them at most, and
  /// the objects of the list that are in none of these packs.
  ///
  /// - Parameter other: A repository in which an interrupted copy may have left some of these packs; these
  ///   are left out.
  func wholePacks(
    of ids: [ObjectID], missingIn other: Repository? = nil
  ) throws -> (packs: [WholePack], others: [ObjectID]) {
    if ids.count < Repository.wholePackLimit { return ([], ids) }
    var left = Set(ids)
    let present = Set(try other.flatMap { try files.list($0.packDirectory) } ?? [])
    let candidates = try packFiles().filter {
      $0.isReplaceable && (Repository.wholePackLimit...ids.count).contains($0.objects)
        && !present.contains($0.name + ".pack")
    }
    var packs: [WholePack] = []
    for candidate in candidates.sorted(by: { $0.objects > $1.objects }) {
      guard
        let pack = try WholePack(named: candidate.name, in: packDirectory, files)
      else { continue }
      let packed = try pack.ids()
      guard packed.allSatisfy(left.contains) else { continue }
      left.subtract(packed)
      packs.append(pack)
    }
    return (packs, packs.isEmpty ? ids : ids.filter(left.contains))
  }
}
