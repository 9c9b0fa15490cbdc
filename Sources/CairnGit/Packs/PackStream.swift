internal import Crypto

extension Repository {
  /// Writes objects as one pack in chunks: packs that have nothing but these as they are, and the
  /// others compressed on all cores and without deltas.
  ///
  /// Source: git's Documentation/gitformat-pack.txt, “pack-*.pack files”.
  /// - Parameters:
  ///   - allowsOffsetDeltas: Whether the reader supports deltas that refer to their bases by distance
  ///     (`ofs-delta`).
  ///   - progress: Called with the number of objects written so far.
  package func writePack(
    of ids: [ObjectID], allowsOffsetDeltas: Bool = false, progress: (Int) -> Void = { _ in },
    to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let (packs, others) = allowsOffsetDeltas ? try wholePacks(of: ids) : ([], ids)
    let total = packs.reduce(others.count) { $0 + $1.count }
    guard let count = UInt32(exactly: total) else {
      throw GitError(.other, "\(total) objects are too many for one pack")
    }
    var hash = Insecure.SHA1()
    func write(_ bytes: UnsafeRawBufferPointer) throws {
      hash.update(bufferPointer: bytes)
      try sink(bytes)
    }
    try PackWriter.header(count: count).withUnsafeBytes(write)
    var done = 0
    for pack in packs {
      // Distances between entries stay the same.
      var sent = 0
      try pack.forEachPiece { piece in
        try write(piece)
        sent += piece.count
        progress(done + pack.count * sent / pack.size)
      }
      done += pack.count
      progress(done)
    }
    var batch: [(id: ObjectID, kind: ObjectKind, bytes: [UInt8])] = []
    var batchSize = 0
    for (index, id) in others.enumerated() {
      try withObject(id) { kind, bytes in batch.append((id, kind, Array(bytes))) }
      batchSize += batch.last!.bytes.count + 64
      guard batchSize >= PackWriter.batchLimit || index == others.count - 1 else { continue }
      for segment in PackSegment.filled(with: batch) { try write(segment.bytes) }
      batch.removeAll(keepingCapacity: true)
      batchSize = 0
      progress(done + index + 1)
    }
    try Array(hash.finalize()).withUnsafeBytes(sink)
  }
}
