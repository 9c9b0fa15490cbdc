internal import CairnFiles

extension BulkTreeEdit {
  /// A temporary file that holds files of groups, so that an edit of any size takes the same memory.
  struct Spill {
    /// A range of the file: entries, then their packed paths.
    struct Chunk: Sendable {
      let offset: Int
      let count: Int
      let pathSize: Int
    }

    let file: ScratchFile

    func append(_ entries: [Group.Entry], _ paths: [UInt8]) throws -> Chunk {
      let offset = try entries.withUnsafeBytes { try file.append($0) }
      try file.append(paths)
      return Chunk(offset: offset, count: entries.count, pathSize: paths.count)
    }

    /// Appends the contents of a chunk.
    func read(_ chunk: Chunk, into entries: inout [Group.Entry], _ paths: inout [UInt8]) throws {
      let middle = chunk.offset + chunk.count * MemoryLayout<Group.Entry>.stride
      let bytes = try file.read(chunk.offset..<middle)
      entries += [Group.Entry](unsafeUninitializedCapacity: chunk.count) { buffer, count in
        UnsafeMutableRawBufferPointer(buffer).copyBytes(from: bytes)
        count = chunk.count
      }
      paths += try file.read(middle..<middle + chunk.pathSize)
    }
  }
}
