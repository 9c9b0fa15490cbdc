package import CairnGit

extension SmartRemote {
  /// Maximum size of a tree in bytes: about a million entries.
  static let treeLimit = 64 << 20

  package func fetch(
    _ tips: [ObjectID], into repository: Repository, known: [ObjectID],
    progress: TransferProgress
  ) throws {
    // An earlier fetch may have stopped after storing the objects and before updating the ref.
    if try isComplete(tips, in: repository, known: known) { return close() }
    let (transport, advertisement) = try take(.fetching)
    defer { transport.close() }
    let request = FetchRequest(
      tips: tips, haves: try haves(known, in: repository),
      historyEnds: advertisement.capabilities.contains("shallow")
        ? repository.historyEnds.sorted() : [],
      capabilities: advertisement.agreed(["side-band-64k", "ofs-delta", "no-progress"]))
    guard advertisement.capabilities.contains("side-band-64k") else {
      throw TransportError(.protocolViolation, address, "it is too old to fetch from")
    }
    let receiver = try PackReceiver(repository)
    var response = FetchResponse()
    do {
      try transport.exchange(ServiceRequest(packets: request.packets)) { packet in
        try response.take(packet) { bytes in
          try receiver.append(bytes)
          let (received, total) = receiver.progress
          progress("receiving objects", received, total)
        }
      }
    } catch let failure as FetchResponse.Failure {
      throw TransportError(failure.kind, address, failure.reason)
    }
    _ = try receiver.finish(tips: tips)
    if known.isEmpty {
      try repository.endHistory(of: tips, at: advertisement.references.historyEnds)
    }
    do {
      try check(tips, in: repository, known: known)
    } catch let error as GitError {
      if !advertisement.references.historyEnds.isEmpty {
        throw TransportError(
          .incompatible, address, "it is a shallow clone, which lacks part of the history")
      }
      throw TransportError(
        .protocolViolation, address, "the objects it sent are incomplete: \(error.message)")
    }
  }

  private func isComplete(
    _ tips: [ObjectID], in repository: Repository, known: [ObjectID]
  ) throws -> Bool {
    guard tips.allSatisfy(repository.contains) else { return false }
    do {
      try check(tips, in: repository, known: known)
      return true
    } catch is GitError {
      return false
    }
  }

  /// Checks that every object reachable from the tips is here, since a server may omit some.
  private func check(
    _ tips: [ObjectID], in repository: Repository, known: [ObjectID]
  ) throws {
    for tip in tips where !known.contains(tip) {
      try repository.forEachNewObject(
        from: tip, excluding: known, treeLimit: SmartRemote.treeLimit
      ) { object in
        guard case .file(_, let id) = object, !repository.contains(id) else { return }
        throw GitError(.notFound, "the object \(id) is missing")
      }
    }
  }

  /// How far back to list first parents, doubling the distance each time.
  static let haveDistance = 256

  /// Returns the commits to report as present: the known ones and some of their ancestors, since a
  /// remote may have been reset to an earlier commit.
  ///
  /// All are listed at once, so that one request and response suffice, and the server finds a
  /// common commit at most twice as far back as the best one.
  private func haves(_ known: [ObjectID], in repository: Repository) throws -> [ObjectID] {
    var haves = known
    for tip in known {
      var (commit, next) = (tip, 1)
      for distance in 1...SmartRemote.haveDistance {
        guard let parent = try repository.commit(commit).parents.first else { break }
        commit = parent
        if distance == next {
          haves.append(commit)
          next *= 2
        }
      }
    }
    var seen = Set<ObjectID>()
    return haves.filter { seen.insert($0).inserted }
  }
}
