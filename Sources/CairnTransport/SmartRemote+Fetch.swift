public import CairnGit

extension SmartRemote {
  /// The most bytes that a tree may have: about a million entries.
  static let treeLimit = 64 << 20

  public func fetch(
    _ tips: [ObjectID], into repository: Repository, known: [ObjectID],
    progress: TransferProgress
  ) throws {
    // An earlier fetch may have been cut short between the objects and the ref.
    if try isComplete(tips, in: repository, known: known) { return close() }
    let (conversation, advertisement) = try take(.fetching)
    defer { conversation.close() }
    let request = FetchRequest(
      tips: tips, haves: try haves(known, in: repository),
      capabilities: advertisement.agreed(["side-band-64k", "ofs-delta", "no-progress"]))
    guard advertisement.capabilities.contains("side-band-64k") else {
      throw TransportError(.protocolViolation, address, "it is too old to fetch from")
    }
    let receiver = try PackReceiver(repository)
    var answer = FetchResponse()
    do {
      try conversation.exchange(ServiceRequest(packets: request.packets)) { packet in
        try answer.take(packet) { bytes in
          try receiver.append(bytes)
          let (received, total) = receiver.progress
          progress("receiving objects", received, total)
        }
      }
    } catch let failure as FetchResponse.Failure {
      throw TransportError(failure.kind, address, failure.reason)
    }
    _ = try receiver.finish()
    do {
      try check(tips, in: repository, known: known)
    } catch let error as GitError {
      throw TransportError(
        .protocolViolation, address, "what it sent is not whole: \(error.message)")
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

  /// Checks that everything that the tips reach is here: a server can leave out what it likes.
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

  /// How far back first parents are named, each time twice as far as before.
  static let haveDistance = 256

  /// Returns commits for the server to start from: those that are known, and some before them, since
  /// a remote may have gone back.
  ///
  /// They are all named at once. So there is one question and one answer, and the server finds a start
  /// that is at most twice as far back as the best.
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
