package import CairnGit
internal import CairnProcess
internal import LibC

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
          of: objects.ids, allowsOffsetDeltas: advertisement.capabilities.contains("ofs-delta"),
          progress: { progress("sending objects", $0, objects.ids.count) }, to: sink)
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
    // A hook that runs after the report may outlast the connection.
    if response.outcome(of: update.name) == .moved {
      return PushOutcome(.moved, messages: response.messages.lines)
    }
    return try resolvedOutcome(
      update, response, reason: failure, mayFollow: transport.hasSentRequest)
  }

  /// Returns the outcome of a push by reading the ref again: servers word races and rejections
  /// differently, and the connection may have ended after the ref moved and before the report.
  ///
  /// - Parameter mayFollow: Whether the server has the whole request, and may still carry it out.
  private func resolvedOutcome(
    _ update: ReferenceUpdate, _ response: PushResponse, reason failure: (any Error)?,
    mayFollow: Bool
  ) throws -> PushOutcome {
    let messages = response.messages.lines
    let interruption = mayFollow ? interruption(failure, response.outcome(of: update.name)) : nil
    var now: ObjectID?
    do {
      now = try tip(update, waitingFor: interruption)
    } catch let error as TransportError where error.kind == .cancelled {
      throw error
    } catch {
      throw interruption ?? failure as? TransportError ?? error
    }
    if now == update.new { return PushOutcome(.moved, messages: messages) }
    if now != update.old { return PushOutcome(.raced, messages: messages) }
    if let interruption { throw interruption }
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

  /// Returns the error of a push that the server may still accept; nil if it has answered.
  private func interruption(
    _ failure: (any Error)?, _ reported: PushOutcome.Result?
  ) -> TransportError? {
    guard reported == nil, let error = failure as? TransportError,
      [.connectionLost, .serverError].contains(error.kind)
    else { return nil }
    var interruption = TransportError(
      error.kind, error.address, error.reason + "; the server may still accept the push")
    interruption.subject = .pendingPush
    return interruption
  }

  /// Returns the commit of a branch, looking again until it has moved if a push was interrupted.
  private func tip(
    _ update: ReferenceUpdate, waitingFor interruption: TransportError?
  ) throws -> ObjectID? {
    let delays = interruption == nil ? [0] : context.timeout.beforeLooks
    var found: Result<ObjectID?, any Error> = .success(update.old)
    for delay in delays {
      try wait(seconds: delay)
      found = Result {
        defer { close() }
        return try references(for: .pushing)[update.name]
      }
      if case .success(let tip) = found, tip != update.old { break }
    }
    return try found.get()
  }

  private func wait(seconds: Int) throws {
    for _ in 0..<(seconds * 10) {
      if context.isCancelled() { throw TransportError(.cancelled, address, "it was stopped") }
      usleep(100_000)
    }
  }
}
