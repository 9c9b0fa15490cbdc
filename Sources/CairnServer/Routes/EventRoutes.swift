internal import Cairn
internal import HTTPTypes
internal import Hummingbird
internal import Synchronization

/// Server-sent events.
///
/// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
enum EventRoutes {
  static let all = [Route(.get, "/api/events", events)]

  private static func events(_ request: APIRequest) async throws -> Response {
    let after = (request.http.headers[.lastEventID] ?? request["after"]).flatMap { Int($0) }
    let (session, server) = (request.session, request.server)
    try session.take(.streams)
    announce(session, server, isOnline: true)
    let lease = Lease {
      session.release(.streams)
      if session.hasStream { return }
      // A person who has closed the page looks at nothing.
      session.presence.withLock { $0 = nil }
      announce(session, server, isOnline: false)
    }
    let stream = server.events.stream(after: after)
    let http = request.http
    let body = ResponseBody { writer in
      defer { lease.end() }
      let box = UnsafeWriter(writer)
      // The stream must end when the client leaves, even if nothing is written.
      try await http.body.consumeWithCancellationOnInboundClose { _ in
        try await send(stream, for: session, server, to: box)
      }
      try await box.value.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"],
      body: body)
  }

  private static func announce(_ session: Session, _ server: ServerState, isOnline: Bool) {
    let presence = PersonPresence(person: session.person, isOnline: isOnline)
    server.events.announce("presence", presence.event, exceptSession: session.id)
  }

  /// Sends who is online, and then the events.
  ///
  /// A client that does not read them makes the writer wait; then its stream ends, which holds a
  /// limited number of them.
  private static func send(
    _ stream: AsyncStream<ServerEvent>, for session: Session, _ server: ServerState,
    to writer: UnsafeWriter
  ) async throws {
    var start = ""
    for one in PersonPresence.all(server.sessions) where one.person != session.person {
      start += ServerEvent(id: nil, name: "presence", data: one.event).text
    }
    try await writer.value.write(ByteBuffer(string: start + ServerEvent.heartbeat.text))
    for await event in stream where event.exceptSession != session.id {
      try await writer.value.write(ByteBuffer(string: event.text))
    }
  }
}

/// A writer that only one task uses at a time.
private final class UnsafeWriter: @unchecked Sendable {
  var value: any ResponseBodyWriter
  init(_ value: any ResponseBodyWriter) { self.value = value }
}

extension HTTPField.Name {
  fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
