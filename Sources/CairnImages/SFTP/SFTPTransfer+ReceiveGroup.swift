extension SFTPTransfer {
  /// Fetches small images together, so that each step of all of them takes one round trip: the files
  /// are opened, and then read and closed.
  ///
  /// - Returns: The positions of the images whose bytes are all in their destinations. The others may
  ///   have some of theirs; fetching one alone continues, or tells why it cannot.
  func receive(_ downloads: [ImageDownload]) throws -> [Int] {
    let isMissing = { (position: Int) in
      downloads[position].sink.count < downloads[position].image.size
    }
    let missing = downloads.indices.filter(isMissing)
    let files = try session.exchange(
      missing.map { .openToRead(directory.path(of: downloads[$0].image)) }
    ).map(handle)
    var requests: [SFTPRequest] = []
    var reads: [(position: Int, request: Int, count: Int)] = []
    for (position, file) in zip(missing, files) {
      guard let file else { continue }
      let (start, size) = (downloads[position].sink.count, downloads[position].image.size)
      for offset in stride(from: start, to: size, by: SFTPSession.blockSize) {
        let count = min(SFTPSession.blockSize, size - offset)
        reads.append((position, requests.count, count))
        requests.append(.read(file, offset: offset, count: count))
      }
      requests.append(.close(file))
    }
    let responses = try session.exchange(requests)
    var incomplete: Set<Int> = []
    for (position, request, count) in reads where !incomplete.contains(position) {
      switch responses[request] {
      case .data(let bytes) where bytes.count <= count:
        try bytes.withUnsafeBytes(downloads[position].sink.append)
        // A server may send less than it was asked for.
        if bytes.count < count { incomplete.insert(position) }
      case .status(let status) where !status.isDone: incomplete.insert(position)
      default: throw session.unexpected()
      }
    }
    return downloads.indices.filter { !isMissing($0) }
  }
}
