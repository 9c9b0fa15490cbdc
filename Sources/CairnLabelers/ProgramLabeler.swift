internal import CairnDocument
internal import Dispatch
internal import Synchronization
internal import SystemPackage

/// A program that labels images, by the protocol that the documentation describes (“Labelers”).
///
/// One that ends is started again, and asked again what it did not answer, the oldest first: that is the
/// one which it most likely had when it ended, and which is given up when that happens twice. One that
/// answers nothing for too long is ended, and the oldest question given up; one that answers other
/// questions, and one of them never, goes on without that one.
final class ProgramLabeler: Labeler {
  private let command: [String]
  private let model: Annotator?
  private let timeoutMilliseconds: Int64
  private let world: LabelerWorld
  private let scratch: FilePath
  private let state = Mutex(State())
  /// Held while it is started or ended.
  private let starting = Mutex(())

  /// How often in a row it may end without an answer in between.
  private static let deathLimit = 3
  /// How many lines that are no answers it may say between two answers; libraries like to talk.
  private static let babbleLimit = 100

  /// - Parameter scratch: A directory for images that are made for the program.
  init(
    _ command: [String], model: Annotator?, timeoutSeconds: Int, world: LabelerWorld,
    scratch: FilePath
  ) {
    (self.command, self.model, self.world, self.scratch) = (command, model, world, scratch)
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
    let asked = world.monotonic()
    while true {
      switch wait(for: question, since: asked) {
      case .settled(let answer): return try answer.get()
      case .late(let patience):
        throw LabelerError(
          "\(name) did not answer about it within \(patience / 1000) s", isTransient: true)
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
    child?.end(patience: 1000)
    settleAll(end)
  }

  /// What to call it: the last part of the program's path, or of the script that it runs.
  private var name: String {
    let words = command.prefix(2).map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    let isInterpreter = ["python", "sh", "bash", "node", "ruby", "env"].contains {
      words[0].hasPrefix($0)
    }
    return isInterpreter && words.count == 2 && !words[1].hasPrefix("-") ? words[1] : words[0]
  }

  private var seconds: String { "\(timeoutMilliseconds / 1000) s" }

  // MARK: Start

  /// Returns who the program is, which is started and greeted for that.
  private func started() throws(LabelerError) -> Hello {
    try starting.withLock { (_) throws(LabelerError) in
      let (end, child, hello) = state.withLock { ($0.end, $0.child, $0.hello) }
      if let end { throw end }
      if child != nil, let hello { return hello }
      return try start()
    }
  }

  /// Starts the program, and asks again what waits for an answer.
  private func start() throws(LabelerError) -> Hello {
    let (generation, greeting) = state.withLock { state in
      state.generation += 1
      (state.hello, state.greeting) = (nil, Question())
      return (state.generation, state.greeting)
    }
    let child: Coprocess
    do {
      child = try Coprocess(command) { [weak self] line in self?.hear(line, generation) }
    } catch {
      throw give(up: LabelerError("\(command[0]) cannot be run: \(error)", scope: .labeler))
    }
    state.withLock { $0.child = child }
    let hello: Hello
    do throws(LabelerError) {
      hello = try greet(child, greeting, generation)
    } catch {
      state.withLock { $0.child = nil }
      throw give(up: error)
    }
    let waiting = state.withLock { state in
      state.hello = hello
      state.started = world.monotonic()
      state.heard = state.started
      return state.questions.sorted { $0.key < $1.key }.map(\.value)
    }
    // One that does not read them keeps nobody from ending it.
    DispatchQueue(label: "labeler's questions").async { [weak self] in
      for question in waiting where !child.write(question.line) { self?.mute(generation) }
    }
    return hello
  }

  /// Waits for its first line.
  private func greet(
    _ child: Coprocess, _ greeting: Question, _ generation: Int
  ) throws(LabelerError) -> Hello {
    let error: LabelerError
    switch wait(for: greeting, since: world.monotonic()) {
    case .settled(let answer):
      do throws(LabelerError) {
        return try ProgramAnswer.hello(answer.get())
      } catch let problem {
        error = problem
        child.end(patience: 0)
      }
    case .muted:
      child.end(patience: 1000)
      error = LabelerError(
        "\(name) \(child.obituary()) before it said who it is", scope: .labeler)
    case .silent, .late:
      child.end(patience: 0)
      error = LabelerError("\(name) did not say who it is within \(seconds)", scope: .labeler)
    }
    throw error
  }

  // MARK: End

  /// Notes that it is given up, and returns why.
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

  /// Ends a child that says nothing more, or nothing for too long, and starts another.
  private func recover(from generation: Int, isSilent: Bool) {
    starting.withLock { _ in
      let (isCurrent, child) = state.withLock { ($0.generation == generation, $0.child) }
      guard isCurrent else { return }
      // Another thread has ended it when there was nothing to ask.
      guard let child else { return startIfAsked() }
      child.end(patience: isSilent ? 0 : 1000)
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

  /// A failure settles all that wait.
  private func startIfAsked() {
    if state.withLock({ $0.end == nil && !$0.questions.isEmpty }) { _ = try? start() }
  }

  // MARK: Talk

  private func ask(_ path: FilePath, _ format: ImageFormat) -> (id: Int, question: Question) {
    let (id, question, child, generation, end) = state.withLock { state in
      state.lastID += 1
      let line: JSON = [
        "format": .string(format.rawValue), "id": JSON(state.lastID), "path": .string(path.string),
      ]
      let question = Question(line.line)
      state.questions[state.lastID] = question
      state.mostAtOnce = max(state.mostAtOnce, state.questions.count)
      // One that is being started is asked when it is ready.
      let child = state.hello == nil ? nil : state.child
      return (state.lastID, question, child, state.generation, state.end)
    }
    if let end { question.settle(.failure(end)) }
    if let child, !child.write(question.line) { mute(generation) }
    return (id, question)
  }

  private enum Waited {
    case settled(Result<JSON, LabelerError>)
    /// The child of this generation says nothing more.
    case muted(Int)
    /// It answers nothing for too long.
    case silent(Int)
    /// It answers others, and not this one for so many milliseconds.
    case late(Int64)
  }

  /// - Parameter asked: When it was asked, by the monotonic clock, in milliseconds.
  private func wait(for question: Question, since asked: Int64) -> Waited {
    while true {
      let now = state.withLock { $0 }
      if let answer = question.answer.withLock({ $0 }) { return .settled(answer) }
      if now.mutedGeneration == now.generation { return .muted(now.generation) }
      // One that works at one question after the other needs that long for the last of them.
      let patience = timeoutMilliseconds * Int64(now.mostAtOnce)
      let time = world.monotonic()
      let untilSilent = timeoutMilliseconds - (time - max(asked, now.heard))
      let untilLate = patience - (time - max(asked, now.started))
      if untilSilent <= 0 { return .silent(now.generation) }
      if untilLate <= 0 { return .late(patience) }
      _ = question.signal.wait(timeout: .now() + .milliseconds(Int(min(untilSilent, untilLate))))
    }
  }

  /// Takes what it says, on the thread that reads it.
  private func hear(_ line: [UInt8]?, _ generation: Int) {
    guard let line else { return mute(generation) }
    let said = ProgramAnswer.said(line)
    let (isCurrent, question) = state.withLock { state -> (Bool, Question?) in
      guard state.generation == generation else { return (false, nil) }
      var question = said.id.flatMap { state.questions.removeValue(forKey: $0) }
      if question != nil { (state.deaths, state.babble) = (0, 0) }
      if state.hello == nil, said.isGreeting { question = state.greeting }
      if question != nil { state.heard = world.monotonic() }
      return (true, question)
    }
    if let question {
      question.settle(said.json)
    } else if isCurrent {
      hearBabble(line)
    }
  }

  /// Notes that a child says nothing more, and wakes all that wait for it.
  private func mute(_ generation: Int) {
    let waiting = state.withLock { state -> [Question] in
      guard state.generation == generation else { return [] }
      state.mutedGeneration = generation
      return [state.greeting] + state.questions.values
    }
    for question in waiting { question.signal.signal() }
  }

  private func hearBabble(_ line: [UInt8]) {
    let (count, first) = state.withLock { state in
      if state.babble == 0 {
        state.firstBabble = ForeignText.short(String(decoding: line, as: UTF8.self))
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
