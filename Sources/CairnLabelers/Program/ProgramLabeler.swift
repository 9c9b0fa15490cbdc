internal import CairnDocument
internal import Dispatch
internal import Synchronization
internal import SystemPackage

/// A program that labels images over the protocol described in the documentation (“Labelers”).
///
/// A program that ends is restarted, and unanswered requests are sent again, oldest first: the
/// oldest is most likely the one it was processing, and is given up when that happens twice. A
/// program that answers nothing before the timeout is ended, and the oldest request is given up;
/// one that answers other requests but never a particular one continues without it.
final class ProgramLabeler: Labeler {
  private let command: [String]
  private let model: Annotator?
  private let timeoutMilliseconds: Int64
  private let environment: LabelerEnvironment
  private let scratch: FilePath
  private let state = Mutex(State())
  /// Held while the program is started or ended.
  private let starting = Mutex(())

  /// The number of times in a row that it may end without answering.
  private static let deathLimit = 3
  /// The maximum number of lines between two responses that are not responses; libraries tend to
  /// print.
  private static let babbleLimit = 100

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
    let hello = try started()
    return LabelerIdentity(model: model ?? hello.model, digest: hello.digest)
  }

  func predict(_ image: LabelerImage) throws(LabelerError) -> Prediction {
    _ = try started()
    return try image.withFile(in: scratch) { (path, format) throws(LabelerError) in
      try ProgramAnswer.prediction(try answer(about: path, format), of: image)
    }
  }

  private func answer(
    about path: FilePath, _ format: ImageFormat
  ) throws(LabelerError) -> JSON {
    let (id, question) = ask(path, format)
    defer { state.withLock { $0.questions[id] = nil } }
    let asked = environment.monotonic()
    while true {
      switch wait(for: question, since: asked) {
      case .settled(let answer): return try answer.get()
      case .late(let timeout):
        throw LabelerError(
          "\(name) did not answer about it within \(timeout / 1000) s", isTransient: true)
      case .muted(let generation): recover(from: generation, isSilent: false)
      case .silent(let generation): recover(from: generation, isSilent: true)
      }
    }
  }

  func close() {
    let end = LabelerError("\(name) was ended", scope: .labeler)
    let child = state.withLock { state in
      state.end = state.end ?? end
      defer { state.child = nil }
      return state.child
    }
    child?.end(timeout: 1000)
    settleAll(end)
  }

  /// The name in messages: the last component of the program's path, or of the script that it runs.
  private var name: String {
    let words = command.prefix(2).map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    let isInterpreter = ["python", "sh", "bash", "node", "ruby", "env"].contains {
      words[0].hasPrefix($0)
    }
    return isInterpreter && words.count == 2 && !words[1].hasPrefix("-") ? words[1] : words[0]
  }

  private var seconds: String { "\(timeoutMilliseconds / 1000) s" }

  // MARK: Start

  /// Returns the program's identity, after starting it if necessary.
  private func started() throws(LabelerError) -> Handshake {
    try starting.withLock { (_) throws(LabelerError) in
      let (end, child, hello) = state.withLock { ($0.end, $0.child, $0.hello) }
      if let end { throw end }
      if child != nil, let hello { return hello }
      return try start()
    }
  }

  /// Starts the program, and sends pending requests again.
  private func start() throws(LabelerError) -> Handshake {
    let (generation, greeting) = state.withLock { state in
      state.generation += 1
      (state.hello, state.greeting) = (nil, PendingRequest())
      return (state.generation, state.greeting)
    }
    let child: LineProcess
    do {
      child = try LineProcess(command) { [weak self] line in self?.hear(line, generation) }
    } catch {
      throw give(up: LabelerError("\(command[0]) cannot be run: \(error)", scope: .labeler))
    }
    state.withLock { $0.child = child }
    let hello: Handshake
    do throws(LabelerError) {
      hello = try greet(child, greeting, generation)
    } catch {
      state.withLock { $0.child = nil }
      throw give(up: error)
    }
    state.withLock { state in
      state.hello = hello
      state.started = environment.monotonic()
      state.heard = state.started
      // Sent while the state is locked, so that no later request precedes them.
      for (_, question) in state.questions.sorted(by: { $0.key < $1.key }) {
        send(question, to: child, generation)
      }
    }
    return hello
  }

  private func send(_ question: PendingRequest, to child: LineProcess, _ generation: Int) {
    child.send(question.line) { [weak self] in self?.mute(generation) }
  }

  /// Waits for its first line.
  private func greet(
    _ child: LineProcess, _ greeting: PendingRequest, _ generation: Int
  ) throws(LabelerError) -> Handshake {
    let error: LabelerError
    switch wait(for: greeting, since: environment.monotonic()) {
    case .settled(let answer):
      do throws(LabelerError) {
        return try ProgramAnswer.hello(answer.get())
      } catch let problem {
        error = problem
        child.end(timeout: 0)
      }
    case .muted:
      child.end(timeout: 1000)
      error = LabelerError(
        "\(name) \(child.obituary()) before it said who it is", scope: .labeler)
    case .silent, .late:
      child.end(timeout: 0)
      error = LabelerError("\(name) did not say who it is within \(seconds)", scope: .labeler)
    }
    throw error
  }

  // MARK: End

  /// Records that the program is given up, and returns the reason.
  private func give(up error: LabelerError) -> LabelerError {
    let end = state.withLock { state in
      state.end = state.end ?? error
      return state.end ?? error
    }
    settleAll(end)
    return end
  }

  private func settleAll(_ error: LabelerError) {
    let waiting = state.withLock { state in
      defer { state.questions = [:] }
      return Array(state.questions.values)
    }
    for question in waiting { question.settle(.failure(error)) }
  }

  /// Ends a child that closed its output or exceeded the timeout, and starts another.
  private func recover(from generation: Int, isSilent: Bool) {
    starting.withLock { _ in
      let (isCurrent, child) = state.withLock { ($0.generation == generation, $0.child) }
      guard isCurrent else { return }
      // Another thread has ended it when no request was pending.
      guard let child else { return startIfAsked() }
      child.end(timeout: isSilent ? 0 : 1000)
      let obituary = isSilent ? "answered nothing for \(seconds)" : child.obituary()
      let (oldest, deaths) = state.withLock { state in
        state.child = nil
        state.deaths += 1
        return (state.questions.min { $0.key < $1.key }, state.deaths)
      }
      if deaths >= ProgramLabeler.deathLimit {
        _ = give(
          up: LabelerError(
            "\(name) \(obituary), \(deaths) times in a row without an answer", scope: .labeler))
        return
      }
      if let (id, question) = oldest,
        question.deaths.add(1, ordering: .relaxed).newValue > 1 || isSilent
      {
        state.withLock { $0.questions[id] = nil }
        question.settle(.failure(LabelerError("\(name) \(obituary)", isTransient: true)))
      }
      startIfAsked()
    }
  }

  /// Starts the program if requests are pending. A failure settles all of them.
  private func startIfAsked() {
    if state.withLock({ $0.end == nil && !$0.questions.isEmpty }) { _ = try? start() }
  }

  // MARK: Requests

  private func ask(_ path: FilePath, _ format: ImageFormat) -> (id: Int, question: PendingRequest) {
    let (id, question, end) = state.withLock { state in
      state.lastID += 1
      let line: JSON = [
        "format": .string(format.rawValue), "id": JSON(state.lastID), "path": .string(path.string),
      ]
      let question = PendingRequest(line.line)
      state.questions[state.lastID] = question
      state.mostAtOnce = max(state.mostAtOnce, state.questions.count)
      // A program that is still starting receives the request once it is ready.
      if state.hello != nil, let child = state.child { send(question, to: child, state.generation) }
      return (state.lastID, question, state.end)
    }
    if let end { question.settle(.failure(end)) }
    return (id, question)
  }

  private enum WaitResult {
    case settled(Result<JSON, LabelerError>)
    /// The child of this generation closed its output.
    case muted(Int)
    /// It exceeded the timeout without any response.
    case silent(Int)
    /// It answered others, but not this one for this many milliseconds.
    case late(Int64)
  }

  /// - Parameter asked: The time of the request, in milliseconds of the monotonic clock.
  private func wait(for question: PendingRequest, since asked: Int64) -> WaitResult {
    while true {
      let now = state.withLock { $0 }
      if let answer = question.answer.withLock({ $0 }) { return .settled(answer) }
      if now.mutedGeneration == now.generation { return .muted(now.generation) }
      // A program that works sequentially needs that long for the last request.
      let timeout = timeoutMilliseconds * Int64(now.mostAtOnce)
      let time = environment.monotonic()
      let untilSilent = timeoutMilliseconds - (time - max(asked, now.heard))
      let untilLate = timeout - (time - max(asked, now.started))
      if untilSilent <= 0 { return .silent(now.generation) }
      if untilLate <= 0 { return .late(timeout) }
      _ = question.signal.wait(timeout: .now() + .milliseconds(Int(min(untilSilent, untilLate))))
    }
  }

  /// Receives a line of output, on the thread that reads it.
  private func hear(_ line: [UInt8]?, _ generation: Int) {
    guard let line else { return mute(generation) }
    let said = ProgramAnswer.said(line)
    let (isCurrent, question) = state.withLock { state -> (Bool, PendingRequest?) in
      guard state.generation == generation else { return (false, nil) }
      var question = said.id.flatMap { state.questions.removeValue(forKey: $0) }
      if question != nil { (state.deaths, state.babble) = (0, 0) }
      if state.hello == nil, said.isGreeting { question = state.greeting }
      if question != nil { state.heard = environment.monotonic() }
      return (true, question)
    }
    if let question {
      question.settle(said.json)
    } else if isCurrent {
      hearBabble(line)
    }
  }

  /// Records that a child closed its output, and wakes all waiting threads.
  private func mute(_ generation: Int) {
    let waiting = state.withLock { state -> [PendingRequest] in
      guard state.generation == generation else { return [] }
      state.mutedGeneration = generation
      return [state.greeting] + state.questions.values
    }
    for question in waiting { question.signal.signal() }
  }

  private func hearBabble(_ line: [UInt8]) {
    let (count, first) = state.withLock { state in
      if state.babble == 0 {
        state.firstBabble = DisplaySanitizer.short(String(decoding: line, as: UTF8.self))
      }
      state.babble += 1
      return (state.babble, state.firstBabble)
    }
    guard count == ProgramLabeler.babbleLimit + 1 else { return }
    let error = LabelerError(
      "\(name) writes to its output what are no answers (“\(first)”)", scope: .labeler)
    state.withLock { $0.greeting }.settle(.failure(error))
    _ = give(up: error)
  }
}
