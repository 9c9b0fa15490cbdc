/// The faults that a ``FaultProxy`` injects.
package struct FaultPlan: Sendable, Encodable {
  package enum Direction: String, Sendable, Encodable, CaseIterable {
    /// From the client to the server.
    case up
    case down
  }

  /// A fault of a stream after a number of bytes.
  package struct Fault: Sendable, Encodable {
    fileprivate enum Kind: String, Encodable {
      case cut, truncate, stall, slow, flip, refuse
    }

    fileprivate let kind: Kind
    fileprivate var direction = Direction.up
    fileprivate var after = 0
    fileprivate var rate: Int?

    /// Resets the connection at both ends.
    package static func cut(_ direction: Direction, after bytes: Int) -> Fault {
      Fault(kind: .cut, direction: direction, after: bytes)
    }

    /// Closes the receiver's connection in an orderly way and discards the rest.
    package static func truncate(_ direction: Direction, after bytes: Int) -> Fault {
      Fault(kind: .truncate, direction: direction, after: bytes)
    }

    /// Sends nothing more and keeps the connection open.
    package static func stall(_ direction: Direction, after bytes: Int) -> Fault {
      Fault(kind: .stall, direction: direction, after: bytes)
    }

    /// Limits the rate.
    ///
    /// - Parameter rate: In bytes per second.
    package static func slow(_ direction: Direction, after bytes: Int, rate: Int) -> Fault {
      Fault(kind: .slow, direction: direction, after: bytes, rate: rate)
    }

    /// Flips one bit of the next byte.
    package static func flip(_ direction: Direction, after bytes: Int) -> Fault {
      Fault(kind: .flip, direction: direction, after: bytes)
    }

    /// Resets a connection as soon as it is accepted.
    package static let refuse = Fault(kind: .refuse)
  }

  /// A fault of HTTP requests.
  package struct RequestFault: Sendable, Encodable {
    /// Text in the first line of matching requests: `PUT /bucket/`; empty: all requests.
    package var match: String
    /// The number of matching requests that pass first.
    package var skip = 0
    package var times = 1
    /// The proxy's answer, without asking the server; nil: the request is passed on.
    package var status: Int?
    /// In seconds.
    package var retryAfter: Int?
    package var type = "text/plain"
    package var body = "broken for a test"
    /// Faults of the request's body, counted from its start.
    package var up: [Fault] = []
    /// Faults of the response's body.
    package var down: [Fault] = []

    package init(_ match: String = "", _ change: (inout RequestFault) -> Void) {
      self.match = match
      change(&self)
    }
  }

  /// The faults of the first connection, the second, …; later ones have none.
  package var connections: [[Fault]] = []
  /// A fault of the first connection that transfers enough bytes.
  package var once: Fault?
  /// The first one that matches a request applies to it.
  package var requests: [RequestFault] = []
  /// Whether to read HTTP/1.1 requests without TLS; then `connections` can only refuse.
  package var speaksHTTP = false

  package static func connections(_ faults: [[Fault]]) -> FaultPlan {
    FaultPlan(connections: faults)
  }

  package static func once(_ fault: Fault) -> FaultPlan { FaultPlan(once: fault) }

  package static func requests(_ faults: [RequestFault]) -> FaultPlan {
    FaultPlan(requests: faults, speaksHTTP: true)
  }

  /// Returns a plan with a random fault for each of some connections, the same for the same seed.
  ///
  /// - Parameters:
  ///   - bytes: The limit of the faults' offsets; small offsets are as frequent as large ones.
  ///   - rate: The rate of slow connections, in bytes per second.
  package static func random(
    seed: UInt64, connections count: Int, within bytes: Int, rate: Int
  ) -> FaultPlan {
    var random = SeededGenerator(seed)
    return connections(
      (0..<count).map { _ in
        let direction = Direction.allCases.randomElement(using: &random)!
        let limit = bytes >> Int.random(in: 0..<12, using: &random)
        let after = Int.random(in: 0...max(1, limit), using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return [.refuse]
        case 1...3: return [.cut(direction, after: after)]
        case 4, 5: return [.truncate(direction, after: after)]
        case 6, 7: return [.stall(direction, after: after)]
        case 8, 9: return [.slow(direction, after: after, rate: rate)]
        default: return [.flip(direction, after: after)]
        }
      })
  }
}
