/// What a ``FaultProxy`` breaks.
package struct FaultPlan: Sendable, Encodable {
  package enum Direction: String, Sendable, Encodable, CaseIterable {
    /// From the client to the server.
    case up
    case down
  }

  /// What happens to a stream of bytes after so many of them.
  package struct Fault: Sendable, Encodable {
    fileprivate enum Kind: String, Encodable {
      case cut, truncate, stall, slow, flip, refuse
    }

    fileprivate let kind: Kind
    fileprivate var direction = Direction.up
    fileprivate var after = 0
    fileprivate var rate: Int?

    /// Both ends see the connection break.
    package static func cut(_ direction: Direction, after bytes: Int) -> Fault {
      Fault(kind: .cut, direction: direction, after: bytes)
    }

    /// Whoever receives sees an orderly end; the rest is thrown away.
    package static func truncate(_ direction: Direction, after bytes: Int) -> Fault {
      Fault(kind: .truncate, direction: direction, after: bytes)
    }

    /// Nothing more comes, and the connection stays.
    package static func stall(_ direction: Direction, after bytes: Int) -> Fault {
      Fault(kind: .stall, direction: direction, after: bytes)
    }

    /// - Parameter rate: In bytes per second.
    package static func slow(_ direction: Direction, after bytes: Int, rate: Int) -> Fault {
      Fault(kind: .slow, direction: direction, after: bytes, rate: rate)
    }

    /// One bit of the next byte is turned.
    package static func flip(_ direction: Direction, after bytes: Int) -> Fault {
      Fault(kind: .flip, direction: direction, after: bytes)
    }

    /// The connection breaks as soon as it is there.
    package static let refuse = Fault(kind: .refuse)
  }

  /// What happens to HTTP requests.
  package struct RequestFault: Sendable, Encodable {
    /// What stands in the first line of a request: `PUT /bucket/`; empty: every one.
    package var match: String
    /// How many of those pass before.
    package var skip = 0
    package var times = 1
    /// What the proxy answers in the place of the server, which sees nothing of it; nil: it passes.
    package var status: Int?
    /// In seconds.
    package var retryAfter: Int?
    package var type = "text/plain"
    package var body = "broken for a test"
    /// Faults of the request's body, counted from its beginning.
    package var up: [Fault] = []
    /// Faults of the response's body.
    package var down: [Fault] = []

    package init(_ match: String = "", _ change: (inout RequestFault) -> Void) {
      self.match = match
      change(&self)
    }
  }

  /// Faults of the first connection, of the second…; those after them pass whole.
  package var connections: [[Fault]] = []
  /// A fault that waits for the first connection that comes so far.
  package var once: Fault?
  /// The first that fits a request holds for it.
  package var requests: [RequestFault] = []
  /// Whether requests of HTTP/1.1 without TLS are looked at; `connections` can only refuse then.
  package var speaksHTTP = false

  package static func connections(_ faults: [[Fault]]) -> FaultPlan {
    FaultPlan(connections: faults)
  }

  package static func once(_ fault: Fault) -> FaultPlan { FaultPlan(once: fault) }

  package static func requests(_ faults: [RequestFault]) -> FaultPlan {
    FaultPlan(requests: faults, speaksHTTP: true)
  }

  /// A plan in which each of some connections meets a fault, the same ones for the same seed.
  ///
  /// - Parameters:
  ///   - bytes: Within how many the faults come; small offsets are as frequent as large ones.
  ///   - rate: Of what is slow, in bytes per second.
  package static func random(
    seed: UInt64, connections count: Int, within bytes: Int, rate: Int
  ) -> FaultPlan {
    var random = Seeded(seed &+ 1)
    // The first numbers of seeds that are neighbors are alike.
    for _ in 0..<8 { _ = random.next() }
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
