internal import CairnFiles
internal import SystemPackage

/// A complete pack with its index, under temporary names.
struct SealedPack {
  let pack: FilePath
  /// The name of the pack without an extension.
  var name = ""

  init(pack: FilePath) { self.pack = pack }

  /// git takes any file ending in “.idx” for the index of a pack.
  var index: FilePath { FilePath(pack.string + "_idx") }

  func remove(_ files: FileSystem) {
    try? files.remove(pack)
    try? files.remove(index)
  }

  /// Returns the bytes of an object; nil when it is not in the pack.
  func content(of id: ObjectID, _ files: FileSystem) throws -> [UInt8]? {
    guard let offset = try PackListing.offset(of: id, in: index, files: files) else { return nil }
    let file = try FileDescriptor.open(pack, .readOnly, options: .closeOnExec)
    return try file.closeAfter { try PackEntry.content(at: offset, in: file) }
  }

  /// Gives the pack and its index their final names, or neither. A pack is found by its index, so
  /// the index comes last.
  func install(in directory: FilePath, _ files: FileSystem) throws {
    let destination = directory.appending(name + ".idx")
    do {
      try files.rename(pack, to: directory.appending(name + ".pack"))
      try files.rename(index, to: destination)
    } catch {
      remove(files)
      // The same objects may have been packed before.
      if (try? files.exists(destination)) == false {
        try? files.remove(directory.appending(name + ".pack"))
      }
      throw error
    }
  }
}

extension PackEntry {
  /// Returns the content of the object at an offset in a pack.
  static func content(at offset: Int, in file: FileDescriptor) throws -> [UInt8] {
    try content(at: offset) { offset, count in
      try [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
        while read < count {
          let more = try file.read(
            fromAbsoluteOffset: Int64(offset + read),
            into: UnsafeMutableRawBufferPointer(
              rebasing: UnsafeMutableRawBufferPointer(buffer)[read...]))
          if more == 0 { break }
          read += more
        }
      }
    }
  }
}
