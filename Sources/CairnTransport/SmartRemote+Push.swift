public import CairnGit

extension SmartRemote {
  public func push(
    _ update: ReferenceUpdate, with objects: NewObjects, from repository: Repository,
    progress: TransferProgress
  ) throws -> PushOutcome {
    let (conversation, advertisement) = try take(.pushing)
    guard advertisement.capabilities.contains("report-status") else {
      throw TransportError(.protocolViolation, address, "it is too old to push to")
    }
    let capabilities = advertisement.agreed(
      ["report-status", "side-band-64k", "atomic", "quiet", "object-format=sha1"])
    var answer = PushResponse(
      sharesConnection: advertisement.capabilities.contains("side-band-64k"))
    var failure: (any Error)?
    try withoutActuallyEscaping(progress) { progress in
      let request = ServiceRequest(
        packets: PushRequest(update: update, capabilities: capabilities).packets
      ) { sink in
        try repository.writePack(
          of: objects.ids, progress: { progress("sending objects", $0, objects.ids.count) },
          to: sink)
      }
      do {
        try conversation.exchange(request) { try answer.take($0) }
      } catch let error as GitError {
        // What is here does not read; the other side drops what has come.
        throw error
      } catch {
        failure = error
      }
    }
    conversation.close()
    if failure == nil, answer.outcome(of: update.name) == .moved {
      return PushOutcome(.moved, words: answer.words.lines)
    }
    return try ask(update, answer, because: failure)
  }

  /// Returns what became of the ref, by looking at it: a server's words for a race and a refusal are
  /// its own, and it may have moved the ref and been cut off before it said so.
  private func ask(
    _ update: ReferenceUpdate, _ answer: PushResponse, because failure: (any Error)?
  ) throws -> PushOutcome {
    let words = answer.words.lines
    let now: RemoteReferences
    do {
      now = try references(for: .pushing)
      close()
    } catch {
      throw failure as? TransportError ?? error
    }
    if now[update.name] == update.new { return PushOutcome(.moved, words: words) }
    if now[update.name] != update.old { return PushOutcome(.raced, words: words) }
    switch answer.outcome(of: update.name) {
    case .raced: return PushOutcome(.raced, words: words)
    case .busy(let reason): return PushOutcome(.busy(reason), words: words)
    case .refused(let reason): return PushOutcome(.refused(reason), words: words)
    case .moved, nil: break
    }
    // A full disk here is no fault of the remote's.
    if let failure, !(failure is PushResponse.Fatal), !(failure is PushResponse.Malformed) {
      throw failure
    }
    throw TransportError(
      .lost, address, words.isEmpty ? "it ended without a word" : words.joined(separator: " / "))
  }
}
