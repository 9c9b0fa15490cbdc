internal import Cairn
internal import HTTPTypes
internal import Synchronization

/// The jobs: a few run at once, the others wait, and those that ended are kept for a while.
///
/// Edits and undos do not wait for jobs that take long, such as a sync.
final class JobBoard: Sendable {
  private struct Fields {
    var jobs: [Job] = []
    var names = NameSequence("j")
  }

  private static let width = 3
  private static let waitingLimit = 100
  private static let kept = Duration.seconds(3600)

  private let fields = Mutex(Fields())
  private let events: EventHub
  private let edits = Queue()
  private let others = Queue()

  private struct Queue: Sendable {
    let jobs: AsyncStream<Job>
    let continuation: AsyncStream<Job>.Continuation

    init() { (jobs, continuation) = AsyncStream.makeStream() }
  }

  /// The kinds of jobs that edit photos: they are short, and a person waits for them.
  static let editKinds: Set<String> = ["edit", "undo"]

  init(_ events: EventHub) { self.events = events }

  /// Adds a job.
  ///
  /// - Parameters:
  ///   - begun: The number of the person's last action; 0 if there is none.
  ///   - other: Thrown if a job of this kind has not ended; nil to allow several.
  func start(
    _ kind: String, _ text: String, _ person: Person, begun: Int = 0,
    ifOther other: ServeError? = nil, _ body: @escaping Job.Body
  ) throws -> Job {
    let job = try fields.withLock { fields in
      if let other, fields.jobs.contains(where: { $0.kind == kind && $0.ended == nil }) {
        throw other
      }
      fields.jobs.removeAll { job in
        job.ended.map { .now - $0 > JobBoard.kept } ?? false
      }
      if fields.jobs.count >= JobBoard.waitingLimit {
        guard let oldest = fields.jobs.firstIndex(where: { $0.ended != nil }) else {
          throw ServeError.tooMany("jobs")
        }
        fields.jobs.remove(at: oldest)
      }
      let job = Job(
        id: fields.names.next(), kind: kind, text: text, person: person, begun: begun,
        onChange: { [events] in events.send("job", $0.event()) }, body: body)
      fields.jobs.append(job)
      return job
    }
    (JobBoard.editKinds.contains(kind) ? edits : others).continuation.yield(job)
    return job
  }

  var all: [Job] { fields.withLock { $0.jobs } }

  /// Returns the edits and undos of a person that have not ended, oldest first.
  func edits(of person: Person) -> [Job] {
    all.filter { JobBoard.editKinds.contains($0.kind) && $0.person == person && $0.ended == nil }
  }

  func job(_ id: String) throws -> Job {
    guard let job = all.first(where: { $0.id == id }) else {
      throw ServeError(
        status: .notFound, kind: "not-found", message: "There is no job “\(id)”.")
    }
    return job
  }

  /// Runs the jobs until the task is canceled.
  func run() async {
    async let short: Void = run(edits.jobs)
    async let long: Void = run(others.jobs)
    _ = await (short, long)
  }

  private func run(_ queue: AsyncStream<Job>) async {
    await withTaskGroup(of: Void.self) { group in
      var running = 0
      for await job in queue {
        if running == JobBoard.width {
          await group.next()
          running -= 1
        }
        group.addTask { await job.run() }
        running += 1
      }
      for job in all { job.cancel() }
    }
  }
}
