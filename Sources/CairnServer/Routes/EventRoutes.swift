internal import Cairn
internal import HTTPTypes
internal import Hummingbird

/// Server-sent events.
///
/// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
enum EventRoutes {
  static let all = [Route(.get, "/api/events", events)]

  private static let pause = Duration.seconds(15)

  private static func events(_ request: APIRequest) async throws -> Response {
    let after = (request.http.headers[.lastEventID] ?? request["after"]).flatMap { Int($0) }
    let (session, server) = (request.session, request.server)
    try session.take(.streams)
    announce(session, server, isOnline: true)
    let lease = Lease {
      session.release(.streams)
      if !session.hasStream { announce(session, server, isOnline: false) }
    }
    let stream = server.events.stream(after: after)
    let http = request.http
    let body = ResponseBody { writer in
      defer { lease.end() }
      let box = UnsafeWriter(writer)
      // The stream must end when the client leaves, even if nothing is written.
      try await http.body.consumeWithCancellationOnInboundClose { _ in
        try await send(stream, for: session, to: box)
      }
      try await box.value.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"],
      body: body)
  }

  private static func announce(_ session: Session, _ server: ServerState, isOnline: Bool) {
    server.events.send(
      "presence",
      [
        "online": .bool(isOnline), "person": session.person.json, "photo": .null, "view": .null,
      ], exceptSession: session.id)
  }

  /// Interleaves the events with comments that keep the connection open.
  private static func send(
    _ stream: AsyncStream<ServerEvent>, for session: Session, to writer: UnsafeWriter
  ) async throws {
    let (merged, continuation) = AsyncStream.makeStream(of: ServerEvent?.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await event in stream { continuation.yield(event) }
        continuation.finish()
      }
      group.addTask {
        while true {
          continuation.yield(nil)
          try await Task.sleep(for: pause)
        }
      }
      for await event in merged {
        if let event, event.exceptSession == session.id { continue }
        let text =
          event.map { event in
            (event.id.map { "id: \($0)\n" } ?? "")
              + "event: \(event.name)\ndata: \(event.data.eventLine)\n\n"
          } ?? ":\n\n"
        try await writer.value.write(ByteBuffer(string: text))
      }
      group.cancelAll()
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

extension JSON {
  /// The value on one line, without a line break at its end.
  fileprivate var eventLine: String {
    let line = line
    return line.hasSuffix("\n") ? String(line.dropLast()) : line
  }
}
