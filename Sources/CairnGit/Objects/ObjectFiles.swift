internal import CairnBase
internal import CairnFiles
internal import LibC
internal import SystemPackage

/// The files that contain a repository's own objects; objects borrowed from another repository
/// (alternates) are not included.
package struct ObjectFiles: Sendable {
  /// A readable pack.
  package struct Pack: Equatable, Sendable {
    /// The base name of its files: `pack-` and 40 digits.
    package let name: String
    /// The number of objects in the pack.
    package let objects: Int
    /// The total size of its files.
    package let bytes: Int64
    /// False for a pack that the user keeps (`.keep`) and for packs that git treats specially:
    /// those of a partial clone (`.promisor`) and those of unreachable objects (`.mtimes`).
    package let isReplaceable: Bool
  }

  /// The packs, sorted by name.
  package internal(set) var packs: [Pack] = []
  /// The loose objects.
  package internal(set) var loose: [ObjectID] = []
  /// The size of all of these files.
  package internal(set) var bytes: Int64 = 0
}

extension Repository {
  /// The directory of the repository's own objects.
  var objectsDirectory: FilePath { commonDirectory.appending("objects") }
  var packDirectory: FilePath { objectsDirectory.appending("pack") }

  /// Returns the files that contain the repository's own objects.
  package func objectFiles() throws -> ObjectFiles {
    var found = ObjectFiles()
    found.packs = try packFiles()
    found.bytes = found.packs.reduce(0) { $0 + $1.bytes }
    let top = objectsDirectory
    for byte in 0..<256 {
      let prefix = Hex.text([UInt8(byte)])
      let directory = top.appending(prefix)
      for name in try files.list(directory) ?? [] where name.utf8.count == 38 {
        guard let id = ObjectID(prefix + name),
          let status = try files.status("\(directory.string)/\(name)")
        else { continue }
        found.loose.append(id)
        found.bytes += status.size
      }
    }
    return found
  }

  /// Returns the packs. An index without its pack is the remainder of an interrupted or ongoing
  /// removal, and is ignored.
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

  /// Returns the path of a loose object.
  func looseFile(_ id: ObjectID) -> FilePath {
    let digits = id.description
    return objectsDirectory.appending(String(digits.prefix(2))).appending(
      String(digits.dropFirst(2)))
  }
}

extension Set<String> {
  /// Returns those of some file names that belong to a pack, with its index last, since a pack is
  /// found by its index.
  func packFiles(of name: String) -> [String] {
    [".pack", ".rev", ".bitmap", ".mtimes", ".promisor", ".keep", ".idx"].map { name + $0 }
      .filter(contains)
  }
}
