internal import CairnFiles
internal import SystemPackage

extension BulkTreeEdit {
  /// A temporary file that holds files of groups, so that an edit of any size takes the same memory.
  /// Its name is removed at once: nothing is left of it after a crash.
  final class Spill {
    /// A range of the file: entries, then their packed paths.
    struct Chunk: Sendable {
      let offset: Int
      let count: Int
      let pathSize: Int
    }

    private let path: FilePath
    private let files: FileSystem
    private let file: FileDescriptor
    private var length = 0

    init(in directory: FilePath, files: FileSystem) throws {
      self.files = files
      path = directory.appending("tmp_edit_\(String(UInt64.random(in: 0 ... .max), radix: 36))")
      try files.createDirectory(directory)
      file = try files.createNew(path)
      do {
        try files.remove(path)
      } catch {
        try? file.close()
        throw error
      }
    }

    deinit { try? file.close() }

    func append(_ entries: [Group.Entry], _ paths: [UInt8]) throws -> Chunk {
      let chunk = Chunk(offset: length, count: entries.count, pathSize: paths.count)
      try entries.withUnsafeBytes { try files.writeAll($0, to: file, path) }
      try files.writeAll(paths, to: file, path)
      length += entries.count * MemoryLayout<Group.Entry>.stride + paths.count
      return chunk
    }

    /// Appends the contents of a chunk.
    func read(_ chunk: Chunk, into entries: inout [Group.Entry], _ paths: inout [UInt8]) throws {
      let size = chunk.count * MemoryLayout<Group.Entry>.stride
      entries += try [Group.Entry](unsafeUninitializedCapacity: chunk.count) { buffer, count in
        try read(into: UnsafeMutableRawBufferPointer(buffer), at: chunk.offset)
        count = chunk.count
      }
      paths += try [UInt8](unsafeUninitializedCapacity: chunk.pathSize) { buffer, count in
        try read(
          into: UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[..<chunk.pathSize]),
          at: chunk.offset + size)
        count = chunk.pathSize
      }
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
      var done = 0
      while done < buffer.count {
        let more = try file.read(
          fromAbsoluteOffset: Int64(offset + done),
          into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
        if more == 0 { throw GitError(.corrupt, "a temporary file is shorter than it was") }
        done += more
      }
    }
  }
}
