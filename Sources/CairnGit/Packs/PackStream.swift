internal import Crypto

extension Repository {
  /// Writes objects as one pack in chunks, compressed on all cores and without deltas.
  ///
  /// Source: git's Documentation/gitformat-pack.txt, “pack-*.pack files”.
  /// - Parameter progress: Called with the number of objects written so far.
  package func writePack(
    of ids: [ObjectID], progress: (Int) -> Void = { _ in },
    to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard let count = UInt32(exactly: ids.count) else {
      throw GitError(.other, "\(ids.count) objects are too many for one pack")
    }
    var hash = Insecure.SHA1()
    func write(_ bytes: UnsafeRawBufferPointer) throws {
      hash.update(bufferPointer: bytes)
      try sink(bytes)
    }
    try PackWriter.header(count: count).withUnsafeBytes(write)
    var batch: [(id: ObjectID, kind: ObjectKind, bytes: [UInt8])] = []
    var batchSize = 0
    for (index, id) in ids.enumerated() {
      try withObject(id) { kind, bytes in batch.append((id, kind, Array(bytes))) }
      batchSize += batch.last!.bytes.count + 64
      guard batchSize >= PackWriter.batchLimit || index == ids.count - 1 else { continue }
      for segment in PackSegment.filled(with: batch) { try write(segment.bytes) }
      batch.removeAll(keepingCapacity: true)
      batchSize = 0
      progress(index + 1)
    }
    try Array(hash.finalize()).withUnsafeBytes(sink)
  }
}
