internal import Cairn
internal import Synchronization

/// An event that is sent to the pages.
struct ServerEvent: Sendable {
  /// Nil for one that pages may miss.
  let id: Int?
  let name: String
  let data: JSON
  /// The session that does not get it.
  var exceptSession: Int?

  /// A heartbeat, which is not an event for the page.
  static let heartbeat = ServerEvent(id: nil, name: "", data: [:])

  /// The event as it is sent.
  ///
  /// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
  var text: String {
    if name.isEmpty { return ":\n\n" }
    // The line of the data ends in a line break.
    return (id.map { "id: \($0)\n" } ?? "") + "event: \(name)\ndata: \(data.line)\n"
  }
}

/// The latest events, and the streams that wait for more.
final class EventHub: Sendable {
  private struct Fields {
    var recent: [ServerEvent] = []
    var last: Int
    var streams: [Int: AsyncStream<ServerEvent>.Continuation] = [:]
    var lastStream = 0
  }

  private static let recentLimit = 1_000
  private static let slack = 250
  private static let streamLimit = 1_000
  private static let pause = Duration.seconds(15)

  private let fields: Mutex<Fields>

  /// - Parameter start: The id before the first event: later than all ids of earlier servers.
  init(start: Int) { fields = Mutex(Fields(last: start)) }

  /// The id of the latest event.
  var last: Int { fields.withLock { $0.last } }

  /// Sends an event that pages must not miss.
  func send(_ name: String, _ data: JSON, exceptSession session: Int? = nil) {
    yield { fields in
      fields.last += 1
      let event = ServerEvent(id: fields.last, name: name, data: data, exceptSession: session)
      fields.recent.append(event)
      if fields.recent.count > EventHub.recentLimit + EventHub.slack {
        fields.recent.removeFirst(EventHub.slack)
      }
      return event
    }
  }

  /// Sends an event that pages may miss, such as a color: it is not sent again.
  func announce(_ name: String, _ data: JSON, exceptSession session: Int? = nil) {
    let event = ServerEvent(id: nil, name: name, data: data, exceptSession: session)
    yield { _ in event }
  }

  /// Sends heartbeats, which keep the connections open, until its task is canceled.
  func sendHeartbeats() async {
    while (try? await Task.sleep(for: EventHub.pause)) != nil {
      yield { _ in .heartbeat }
    }
  }

  /// Sends what `event` returns to all streams. A stream that is too slow ends: its page reconnects
  /// and continues where it left off.
  private func yield(_ event: (inout Fields) -> ServerEvent) {
    let full = fields.withLock { fields in
      let event = event(&fields)
      return fields.streams.values.filter {
        if case .dropped = $0.yield(event) { true } else { false }
      }
    }
    // This removes them from the fields.
    for stream in full { stream.finish() }
  }

  /// Returns the events after one; begins with `reset` if they are no longer known.
  func stream(after id: Int?) -> AsyncStream<ServerEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ServerEvent.self, bufferingPolicy: .bufferingOldest(2 * EventHub.streamLimit))
    let number = fields.withLock { fields -> Int in
      if let id {
        let first = (fields.recent.first?.id ?? nil) ?? fields.last + 1
        if id > fields.last || id < first - 1 {
          continuation.yield(ServerEvent(id: fields.last, name: "reset", data: [:]))
        } else {
          for event in fields.recent where event.id ?? 0 > id { continuation.yield(event) }
        }
      }
      fields.lastStream += 1
      fields.streams[fields.lastStream] = continuation
      return fields.lastStream
    }
    continuation.onTermination = { [weak self] _ in
      self?.fields.withLock { $0.streams[number] = nil }
    }
    return stream
  }

  /// Ends all streams.
  func finish() {
    let streams = fields.withLock { fields in
      defer { fields.streams = [:] }
      return fields.streams.values.map { $0 }
    }
    for stream in streams { stream.finish() }
  }
}
