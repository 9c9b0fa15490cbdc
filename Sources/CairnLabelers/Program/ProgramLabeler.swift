internal import CairnDocument
internal import CairnProcess
internal import Dispatch
internal import Synchronization
internal import SystemPackage

/// A program that labels images over the protocol described in the documentation (“Labelers”).
///
/// A program that ends is restarted, and pending requests are sent again, oldest first: the oldest
/// is most likely the one it was processing, and is given up when that happens twice. A program
/// that sends no response before the timeout is ended, and the oldest request is given up; one that
/// responds to other requests but never to a particular one continues without it.
final class ProgramLabeler: Labeler {
  private let command: [String]
  private let model: Annotator?
  private let timeoutMilliseconds: Int64
  private let environment: LabelerEnvironment
  private let scratch: FilePath
  private let state = Mutex(State())
  /// Held while the program is started or ended.
  private let starting = Mutex(())

  /// The number of times in a row that it may end without a response.
  private static let exitLimit = 3
  /// The maximum number of lines between two responses that are not responses; libraries tend to
  /// print.
  private static let strayLineLimit = 100

  /// - Parameter scratch: A directory for images converted for the program.
  init(
    _ command: [String], model: Annotator?, timeoutSeconds: Int, environment: LabelerEnvironment,
    scratch: FilePath
  ) {
    (self.command, self.model, self.environment, self.scratch) = (
      command, model, environment, scratch
    )
    timeoutMilliseconds = Int64(timeoutSeconds) * 1000
  }

  deinit { close() }

  func identity() throws(LabelerError) -> LabelerIdentity {
    let handshake = try started()
    return LabelerIdentity(model: model ?? handshake.model, digest: handshake.digest)
  }

  func predict(_ image: LabelerImage) throws(LabelerError) -> Prediction {
    _ = try started()
    return try image.withFile(in: scratch) { (path, format) throws(LabelerError) in
      try LabelerProtocol.prediction(try response(about: path, format), of: image)
    }
  }

  private func response(
    about path: FilePath, _ format: ImageFormat
  ) throws(LabelerError) -> JSON {
    let (id, request) = enqueue(path, format)
    defer { state.withLock { $0.requests[id] = nil } }
    let sent = environment.monotonic()
    while true {
      switch wait(for: request, since: sent) {
      case .completed(let response): return try response.get()
      case .late(let timeout):
        throw LabelerError(
          "\(name) did not respond within \(timeout / 1000) s", isTransient: true)
      case .closed(let generation): recover(from: generation, isTimedOut: false)
      case .timedOut(let generation): recover(from: generation, isTimedOut: true)
      }
    }
  }

  func interrupt() { close() }

  func close() {
    let end = LabelerError("\(name) was stopped", scope: .labeler)
    let child = state.withLock { state in
      state.end = state.end ?? end
      defer { state.child = nil }
      return state.child
    }
    child?.end(timeout: 1000)
    completeAll(end)
  }

  /// The name in messages: the last component of the program's path, or of the script that it runs.
  private var name: String {
    let components = command.prefix(2).map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    let isInterpreter = ["python", "sh", "bash", "node", "ruby", "env"].contains {
      components[0].hasPrefix($0)
    }
    let isScript = isInterpreter && components.count == 2 && !components[1].hasPrefix("-")
    return components[isScript ? 1 : 0]
  }

  private var seconds: String { "\(timeoutMilliseconds / 1000) s" }

  // MARK: Start

  /// Returns the program's identity, after starting it if necessary.
  private func started() throws(LabelerError) -> Handshake {
    try starting.withLock { (_) throws(LabelerError) in
      let (end, child, handshake) = state.withLock { ($0.end, $0.child, $0.handshake) }
      if let end { throw end }
      if child != nil, let handshake { return handshake }
      return try start()
    }
  }

  /// Starts the program, and sends pending requests again.
  private func start() throws(LabelerError) -> Handshake {
    let (generation, greeting) = state.withLock { state in
      state.generation += 1
      (state.handshake, state.greeting) = (nil, PendingRequest())
      return (state.generation, state.greeting)
    }
    let child: LineProcess
    do {
      child = try LineProcess(command) { [weak self] line in self?.receive(line, generation) }
    } catch {
      throw giveUp(LabelerError("\(command[0]) cannot be run: \(error)", scope: .labeler))
    }
    // It may have been closed meanwhile.
    let end = state.withLock { state in
      if state.end == nil { state.child = child }
      return state.end
    }
    if let end {
      child.end(timeout: 0)
      throw giveUp(end)
    }
    let handshake: Handshake
    do throws(LabelerError) {
      handshake = try awaitGreeting(child, greeting, generation)
    } catch {
      state.withLock { $0.child = nil }
      throw giveUp(error)
    }
    state.withLock { state in
      state.handshake = handshake
      state.started = environment.monotonic()
      state.lastResponse = state.started
      // Sent while the state is locked, so that no later request precedes them.
      for (_, request) in state.requests.sorted(by: { $0.key < $1.key }) {
        send(request, to: child, generation)
      }
    }
    return handshake
  }

  private func send(_ request: PendingRequest, to child: LineProcess, _ generation: Int) {
    child.send(request.line) { [weak self] in self?.markClosed(generation) }
  }

  /// Waits for its first line.
  private func awaitGreeting(
    _ child: LineProcess, _ greeting: PendingRequest, _ generation: Int
  ) throws(LabelerError) -> Handshake {
    let error: LabelerError
    switch wait(for: greeting, since: environment.monotonic()) {
    case .completed(let response):
      do throws(LabelerError) {
        return try checked(try LabelerProtocol.handshake(response.get()))
      } catch let problem {
        error = problem
        child.end(timeout: 0)
      }
    case .closed:
      child.end(timeout: 1000)
      error = LabelerError(
        "\(name) \(ProgramLabeler.exitDescription(of: child)) before its greeting", scope: .labeler)
    case .timedOut, .late:
      child.end(timeout: 0)
      error = LabelerError("\(name) sent no greeting within \(seconds)", scope: .labeler)
    }
    throw error
  }

  /// Returns a handshake, unless the program was started before with another model, since the labels
  /// of another version belong to another run.
  private func checked(_ handshake: Handshake) throws(LabelerError) -> Handshake {
    let first = state.withLock { state in
      state.firstHandshake = state.firstHandshake ?? handshake
      return state.firstHandshake ?? handshake
    }
    if handshake == first { return handshake }
    let (before, after) = (first.model.identity, handshake.model.identity)
    throw LabelerError(
      before == after
        ? "the digest of its model \(DisplaySanitizer.short(after)) changed"
        : "its model changed from \(DisplaySanitizer.short(before)) to "
          + DisplaySanitizer.short(after), scope: .labeler, isTransient: true)
  }

  // MARK: End

  /// Records that the program is given up, and returns the reason.
  private func giveUp(_ error: LabelerError) -> LabelerError {
    let end = state.withLock { state in
      state.end = state.end ?? error
      return state.end ?? error
    }
    completeAll(end)
    return end
  }

  private func completeAll(_ error: LabelerError) {
    let waiting = state.withLock { state in
      defer { state.requests = [:] }
      return Array(state.requests.values)
    }
    for request in waiting { request.complete(.failure(error)) }
  }

  /// Returns a description of how a child ended, including the last line of its stderr.
  private static func exitDescription(of child: LineProcess) -> String {
    let (code, line) = child.exit()
    let exit = code < 0 ? "was terminated by signal \(-code)" : "exited with status \(code)"
    let error = DisplaySanitizer.short(String(decoding: line, as: UTF8.self))
    return error.isEmpty ? exit : "\(exit) (“\(error)”)"
  }

  /// Ends a child that closed its output or exceeded the timeout, and starts another.
  private func recover(from generation: Int, isTimedOut: Bool) {
    starting.withLock { _ in
      let (isCurrent, child) = state.withLock { ($0.generation == generation, $0.child) }
      guard isCurrent else { return }
      // Another thread has ended it when no request was pending.
      guard let child else { return startIfNeeded() }
      child.end(timeout: isTimedOut ? 0 : 1000)
      let end =
        isTimedOut
        ? "did not respond for \(seconds)" : ProgramLabeler.exitDescription(of: child)
      let (oldest, exits) = state.withLock { state in
        state.child = nil
        state.exits += 1
        return (state.requests.min { $0.key < $1.key }, state.exits)
      }
      if exits >= ProgramLabeler.exitLimit {
        _ = giveUp(
          LabelerError(
            "\(name) \(end), \(exits) times in a row without a response", scope: .labeler))
        return
      }
      if let (id, request) = oldest,
        request.exits.add(1, ordering: .relaxed).newValue > 1 || isTimedOut
      {
        state.withLock { $0.requests[id] = nil }
        request.complete(.failure(LabelerError("\(name) \(end)", isTransient: true)))
      }
      startIfNeeded()
    }
  }

  /// Starts the program if requests are pending. A failure completes all of them.
  private func startIfNeeded() {
    if state.withLock({ $0.end == nil && !$0.requests.isEmpty }) { _ = try? start() }
  }

  // MARK: Requests

  private func enqueue(
    _ path: FilePath, _ format: ImageFormat
  ) -> (id: Int, request: PendingRequest) {
    let (id, request, end) = state.withLock { state in
      state.lastID += 1
      let line: JSON = [
        "format": .string(format.rawValue), "id": JSON(state.lastID), "path": .string(path.string),
      ]
      let request = PendingRequest(line.line)
      state.requests[state.lastID] = request
      state.peakRequests = max(state.peakRequests, state.requests.count)
      // A program that is still starting receives the request once it is ready.
      if state.handshake != nil, let child = state.child {
        send(request, to: child, state.generation)
      }
      return (state.lastID, request, state.end)
    }
    if let end { request.complete(.failure(end)) }
    return (id, request)
  }

  private enum WaitResult {
    case completed(Result<JSON, LabelerError>)
    /// The child of this generation closed its output.
    case closed(Int)
    /// It exceeded the timeout without any response.
    case timedOut(Int)
    /// It responded to others, but not to this one for this many milliseconds.
    case late(Int64)
  }

  /// - Parameter sent: The time of the request, in milliseconds of the monotonic clock.
  private func wait(for request: PendingRequest, since sent: Int64) -> WaitResult {
    while true {
      // Read before the state: a response that comes between them does not look late.
      let time = environment.monotonic()
      let now = state.withLock { $0 }
      if let response = request.response.withLock({ $0 }) { return .completed(response) }
      if now.closedGeneration == now.generation { return .closed(now.generation) }
      // Nothing is late while the program starts: its greeting has a timeout of its own.
      let isStarting = now.handshake == nil && request !== now.greeting
      let silence = isStarting ? 0 : time - max(sent, now.lastResponse)
      let age = isStarting ? 0 : time - max(sent, now.started)
      let untilTimeout = timeoutMilliseconds - silence
      // A program that works sequentially needs that long for the last request.
      let timeout = timeoutMilliseconds * Int64(now.peakRequests)
      let untilLate = timeout - age
      if untilTimeout <= 0 { return .timedOut(now.generation) }
      if untilLate <= 0 { return .late(timeout) }
      _ = request.signal.wait(timeout: .now() + .milliseconds(Int(min(untilTimeout, untilLate))))
    }
  }

  /// Receives a line of output, on the thread that reads it.
  private func receive(_ line: [UInt8]?, _ generation: Int) {
    guard let line else { return markClosed(generation) }
    let response = LabelerProtocol.parse(line)
    let (isCurrent, request) = state.withLock { state -> (Bool, PendingRequest?) in
      guard state.generation == generation else { return (false, nil) }
      var request = response.id.flatMap { state.requests.removeValue(forKey: $0) }
      if request != nil { (state.exits, state.strayLines) = (0, 0) }
      if state.handshake == nil, response.isGreeting { request = state.greeting }
      if request != nil { state.lastResponse = environment.monotonic() }
      return (true, request)
    }
    if let request {
      request.complete(response.json)
    } else if isCurrent {
      receiveStrayLine(line)
    }
  }

  /// Records that a child closed its output, and wakes all waiting threads.
  private func markClosed(_ generation: Int) {
    let waiting = state.withLock { state -> [PendingRequest] in
      guard state.generation == generation else { return [] }
      state.closedGeneration = generation
      return [state.greeting] + state.requests.values
    }
    for request in waiting { request.signal.signal() }
  }

  private func receiveStrayLine(_ line: [UInt8]) {
    let (count, first) = state.withLock { state in
      if state.strayLines == 0 {
        state.firstStrayLine = DisplaySanitizer.short(String(decoding: line, as: UTF8.self))
      }
      state.strayLines += 1
      return (state.strayLines, state.firstStrayLine)
    }
    guard count == ProgramLabeler.strayLineLimit + 1 else { return }
    let error = LabelerError(
      "\(name) writes lines to stdout that are not responses (“\(first)”)", scope: .labeler)
    state.withLock { $0.greeting }.complete(.failure(error))
    _ = giveUp(error)
  }
}
