internal import CairnFiles
internal import LibC
internal import SystemPackage

/// The files that a repository's own objects lie in; what it borrows from another one (alternates) is
/// not among them.
public struct ObjectFiles: Sendable {
  /// A pack that can be read.
  public struct Pack: Equatable, Sendable {
    /// What its files are called before their dots: `pack-` and 40 digits.
    public let name: String
    /// How many objects it holds.
    public let objects: Int
    /// The size of all its files.
    public let bytes: Int64
    /// False for one that its owner keeps (`.keep`), and for those that git treats in ways of its own:
    /// of a partial clone (`.promisor`), of what is going to be dropped (`.mtimes`).
    public let isReplaceable: Bool
  }

  /// Sorted by name.
  public internal(set) var packs: [Pack] = []
  /// The objects that lie in a file each.
  public internal(set) var loose: [ObjectID] = []
  /// The size of all of these files.
  public internal(set) var bytes: Int64 = 0
}

extension Repository {
  /// Where the repository's own objects are.
  var objectsDirectory: FilePath { commonDirectory.appending("objects") }
  var packDirectory: FilePath { objectsDirectory.appending("pack") }

  /// Lists the files that the repository's own objects lie in.
  public func objectFiles() throws -> ObjectFiles {
    var found = ObjectFiles()
    found.packs = try packFiles()
    found.bytes = found.packs.reduce(0) { $0 + $1.bytes }
    for byte in 0..<256 {
      let prefix = String(byte + 256, radix: 16).dropFirst()
      let directory = objectsDirectory.appending(String(prefix))
      for name in try files.list(directory) ?? [] where name.utf8.count == 38 {
        guard let id = ObjectID(prefix + name),
          let status = try files.status(directory.appending(name))
        else { continue }
        found.loose.append(id)
        found.bytes += status.size
      }
    }
    return found
  }

  /// Lists the packs. An index without its pack is left by a removal that was cut short, or that is
  /// going on.
  func packFiles() throws -> [ObjectFiles.Pack] {
    let names = Set(try files.list(packDirectory) ?? [])
    return try names.filter { $0.hasPrefix("pack-") && $0.hasSuffix(".idx") }.sorted().compactMap {
      let name = String($0.dropLast(".idx".count))
      guard names.contains(name + ".pack") else { return nil }
      let bytes = try names.packFiles(of: name).reduce(Int64(0)) {
        $0 + (try files.status(packDirectory.appending($1))?.size ?? 0)
      }
      let count = PackListing.count(packDirectory.appending($0), files: files)
      let isOwn = [".keep", ".promisor", ".mtimes"].allSatisfy { !names.contains(name + $0) }
      return ObjectFiles.Pack(
        name: name, objects: count ?? 0, bytes: bytes, isReplaceable: isOwn && count != nil)
    }
  }

  /// Where a loose object lies.
  func looseFile(_ id: ObjectID) -> FilePath {
    let digits = id.description
    return objectsDirectory.appending(String(digits.prefix(2))).appending(
      String(digits.dropFirst(2)))
  }
}

extension Set<String> {
  /// Returns those of some file names that belong to a pack, its index last: it is by the index that
  /// a pack is looked for.
  func packFiles(of name: String) -> [String] {
    [".pack", ".rev", ".bitmap", ".mtimes", ".promisor", ".keep", ".idx"].map { name + $0 }
      .filter(contains)
  }
}
