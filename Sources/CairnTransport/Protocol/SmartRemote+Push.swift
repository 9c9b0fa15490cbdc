package import CairnGit
internal import CairnProcess

extension SmartRemote {
  package func push(
    _ update: ReferenceUpdate, with objects: MissingObjects, from repository: Repository,
    progress: TransferProgress
  ) throws -> PushOutcome {
    let (transport, advertisement) = try take(.pushing)
    guard advertisement.capabilities.contains("report-status") else {
      throw TransportError(.protocolViolation, address, "it is too old to push to")
    }
    let capabilities = advertisement.agreed(
      ["report-status", "side-band-64k", "atomic", "quiet", "object-format=sha1"])
    var response = PushResponse(
      usesSideband: advertisement.capabilities.contains("side-band-64k"))
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
        try transport.exchange(request) { try response.take($0) }
      } catch let error as GitError {
        // The local repository cannot be read; the remote discards what it received.
        throw error
      } catch {
        failure = error
      }
    }
    transport.close()
    if failure == nil, response.outcome(of: update.name) == .moved {
      return PushOutcome(.moved, messages: response.messages.lines)
    }
    return try resolvedOutcome(update, response, reason: failure)
  }

  /// Returns the outcome of a push by reading the ref again: servers word races and rejections
  /// differently, and the connection may have ended after the ref moved and before the report.
  private func resolvedOutcome(
    _ update: ReferenceUpdate, _ response: PushResponse, reason failure: (any Error)?
  ) throws -> PushOutcome {
    let messages = response.messages.lines
    let now: RemoteReferences
    do {
      now = try references(for: .pushing)
      close()
    } catch {
      throw failure as? TransportError ?? error
    }
    if now[update.name] == update.new { return PushOutcome(.moved, messages: messages) }
    if now[update.name] != update.old { return PushOutcome(.raced, messages: messages) }
    switch response.outcome(of: update.name) {
    case .raced: return PushOutcome(.raced, messages: messages)
    case .busy(let reason): return PushOutcome(.busy(reason), messages: messages)
    case .refused(let reason): return PushOutcome(.refused(reason), messages: messages)
    case .moved, nil: break
    }
    // A full local disk is not the remote's fault.
    if let failure, !(failure is PushResponse.Fatal), !(failure is PushResponse.Malformed) {
      throw failure
    }
    throw TransportError(
      messages.isEmpty ? .connectionLost : .serverError, address,
      messages.isEmpty ? "it disconnected without a message" : messages.joined(separator: " / "))
  }
}
