internal import Cairn
internal import Synchronization

/// Work that takes longer than a request.
final class Job: Sendable {
  enum State: String, Sendable { case waiting, running, done, failed, cancelled }

  struct Fields: Sendable {
    var state = State.waiting
    var step = ""
    var done = 0
    var total = 0
    var result: JSON? { didSet { isResultSent = false } }
    /// Whether an event has had the result: it may be large, and does not change with each step.
    var isResultSent = false
    var action: Int?
    var error: ServeError?
    var isCancelled = false
    var ended: ContinuousClock.Instant?
    var reported: ContinuousClock.Instant?
    var onCancel: (@Sendable () -> Void)?
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  typealias Body = @Sendable (Job) async throws -> JSON

  let id: String
  let kind: String
  let text: String
  let person: Person
  /// The number of the person's last action when the job was started; 0 if there was none.
  let begun: Int
  let body: Body
  private let fields = Mutex(Fields())
  private let onChange: @Sendable (Job) -> Void

  init(
    id: String, kind: String, text: String, person: Person, begun: Int = 0,
    onChange: @escaping @Sendable (Job) -> Void, body: @escaping Body
  ) {
    (self.id, self.kind, self.text, self.person) = (id, kind, text, person)
    (self.begun, self.onChange, self.body) = (begun, onChange, body)
  }

  var state: State { fields.withLock { $0.state } }
  var isCancelled: Bool { fields.withLock { $0.isCancelled } }
  var ended: ContinuousClock.Instant? { fields.withLock { $0.ended } }

  /// The least time between two progress events.
  private static let interval = Duration.milliseconds(200)

  /// - Parameter always: Whether to send an event even if another one was just sent.
  func report(_ step: String, _ done: Int, _ total: Int, always: Bool = false) {
    let isDue = fields.withLock { fields in
      (fields.step, fields.done, fields.total) = (step, done, total)
      if !always, let last = fields.reported, .now - last < Job.interval { return false }
      fields.reported = .now
      return true
    }
    if isDue { onChange(self) }
  }

  /// Keeps what was done so far as the result, even if the job fails.
  func keep(_ result: JSON) { fields.withLock { $0.result = result } }

  /// The number of the action that the job adds to; nil before it has changed anything.
  var action: Int? {
    get { fields.withLock { $0.action } }
    set { fields.withLock { $0.action = newValue } }
  }

  func checkCancellation() throws { if isCancelled { throw CancellationError() } }

  /// Cancels the job: at once while it waits, otherwise when its current operation ends.
  func cancel() {
    let (action, isWaiting) = fields.withLock { fields in
      fields.isCancelled = true
      return (fields.onCancel, fields.state == .waiting)
    }
    if isWaiting { end(.cancelled, from: .waiting) }
    action?()
  }

  /// Sets what canceling does to the job's current operation.
  func onCancel(_ action: @escaping @Sendable () -> Void) {
    let isCancelled = fields.withLock { fields in
      fields.onCancel = action
      return fields.isCancelled
    }
    if isCancelled { action() }
  }

  func run() async {
    let isWaiting = fields.withLock { fields in
      guard fields.state == .waiting else { return false }
      fields.state = .running
      return true
    }
    // It was canceled.
    guard isWaiting else { return }
    onChange(self)
    do {
      let result = try await body(self)
      fields.withLock { $0.result = result }
      end(.done, from: .running)
    } catch is CancellationError {
      end(.cancelled, from: .running)
    } catch {
      fields.withLock { $0.error = ServeError(error) }
      end(isCancelled ? .cancelled : .failed, from: .running)
    }
  }

  /// Ends the job, unless its state has changed.
  private func end(_ state: State, from before: State) {
    let waiting = fields.withLock { fields -> [CheckedContinuation<Void, Never>]? in
      guard fields.state == before else { return nil }
      (fields.state, fields.ended) = (state, .now)
      defer { fields.waiting = [] }
      return fields.waiting
    }
    guard let waiting else { return }
    onChange(self)
    for one in waiting { one.resume() }
  }

  /// Returns when the job has ended.
  func waitForEnd() async {
    await withCheckedContinuation { continuation in
      let hasEnded = fields.withLock { fields in
        if fields.ended != nil { return true }
        fields.waiting.append(continuation)
        return false
      }
      if hasEnded { continuation.resume() }
    }
  }

  var json: JSON { object(fields.withLock { $0 }) }

  /// The job for an event: without the result, if that is the same as in the event before.
  func event() -> JSON {
    let fields = fields.withLock { fields in
      defer { fields.isResultSent = true }
      return fields
    }
    return object(fields, withResult: !fields.isResultSent)
  }

  private func object(_ fields: Fields, withResult: Bool = true) -> JSON {
    var members: JSONObject = [
      "done": JSON(fields.done), "error": fields.error?.json ?? .null, "job": .string(id),
      "kind": .string(kind), "person": JSON(person.annotator?.description),
      "state": .string(fields.state.rawValue), "step": .string(fields.step),
      "text": .string(text), "total": JSON(fields.total),
    ]
    if withResult { members["result"] = fields.result ?? .null }
    return .object(members)
  }
}
