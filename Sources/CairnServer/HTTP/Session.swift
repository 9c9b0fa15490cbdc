internal import Cairn
internal import Synchronization

/// A person who uses the server.
struct Person: Equatable, Sendable {
  /// Nil if git knows no identity: then nothing can be changed.
  let annotator: Annotator?
  let name: String
  /// The name and address of an invited person; nil for the user of this device.
  let author: Author?

  /// The tag of an invited person's own review history; nil for the user of this device.
  var reviewer: String? { author == nil ? nil : annotator?.tag }

  var json: JSON {
    guard let annotator else { return .null }
    return [
      "email": .string(annotator.identity), "id": .string(annotator.description),
      "name": .string(name),
    ]
  }
}

/// One browser, or one program, of a person.
final class Session: Sendable {
  let id: Int
  let person: Person
  let isReadOnly: Bool
  /// When it ends, in milliseconds since 1970.
  let end: Int64
  let sets = Registry<ResultSet>(
    prefix: "s", limit: 16, expired: "The list of photos is out of date. Run the query again.")
  let tables = Registry<ResultTable>(
    prefix: "t", limit: 8, expired: "The table is out of date. Open it again.")
  let queues = Registry<ReviewQueue>(prefix: "q", limit: 8, expired: Session.queueExpired)
  /// Questions that an undo asks again, each in a queue of its own.
  let askedAgain = Registry<ReviewQueue>(prefix: "u", limit: 500, expired: Session.queueExpired)
  private static let queueExpired = "The review is out of date. Start it again."
  let progress = Mutex(ReviewProgress())
  let presence = Mutex<Presence?>(nil)

  /// The resources that a session may use only a limited number of at once.
  enum Resource: Int, CaseIterable, Sendable {
    case streams, thumbnails, uploads

    var limit: Int { self == .streams ? 3 : 4 }
    var name: String {
      switch self {
      case .streams: "event streams"
      case .thumbnails: "requests for thumbnails"
      case .uploads: "uploads"
      }
    }
  }

  // A page sends a few requests for each key that is pressed.
  private let requests = Mutex(TokenBucket(perSecond: 200, burst: 1_000))
  private let presences = Mutex(TokenBucket(perSecond: 4, burst: 8))

  private let used = Mutex([Int](repeating: 0, count: Resource.allCases.count))

  init(id: Int, person: Person, isReadOnly: Bool, end: Int64) {
    (self.id, self.person, self.isReadOnly, self.end) = (id, person, isReadOnly, end)
  }

  /// Throws if the session sends requests too fast.
  func countRequest() throws {
    if !requests.withLock({ $0.take() }) { throw ServeError.tooMany("requests") }
  }

  /// Throws if the session reports too often what it looks at.
  func countPresence() throws {
    if !presences.withLock({ $0.take() }) { throw ServeError.tooMany("reports of presence") }
  }

  /// Takes one unit of a resource, which must be released.
  func take(_ resource: Resource) throws {
    let isFree = used.withLock { used in
      if used[resource.rawValue] >= resource.limit { return false }
      used[resource.rawValue] += 1
      return true
    }
    if !isFree { throw ServeError.tooMany(resource.name) }
  }

  func release(_ resource: Resource) { used.withLock { $0[resource.rawValue] -= 1 } }

  var streamCount: Int { used.withLock { $0[Resource.streams.rawValue] } }
  var hasStream: Bool { streamCount > 0 }
}

/// What a person looks at.
struct Presence: Equatable, Sendable {
  var photo: PhotoID?
  var view: String
}

/// Names of things that are kept until the server ends: a letter and a number.
///
/// Pages outlive the server. The numbers begin at random, so that a name of an earlier server is
/// unknown, not the name of something else.
struct NameSequence: Sendable {
  private let prefix: String
  private var last = Int.random(in: 1...1 << 31) << 20

  init(_ prefix: String) { self.prefix = prefix }

  mutating func next() -> String {
    last += 1
    return "\(prefix)\(last)"
  }
}

/// Things that clients created and refer to by name; the oldest ones expire.
final class Registry<Value: Sendable>: Sendable {
  private struct Fields {
    var values: [(name: String, value: Value)] = []
    var names: NameSequence
  }

  private let prefix: String
  private let limit: Int
  /// The message about one that expired.
  private let expired: String
  private let fields: Mutex<Fields>

  init(prefix: String, limit: Int, expired: String) {
    (self.prefix, self.limit, self.expired) = (prefix, limit, expired)
    fields = Mutex(Fields(names: NameSequence(prefix)))
  }

  /// Keeps a value, and returns its name.
  func add(_ value: Value) -> String {
    fields.withLock { fields in
      let name = fields.names.next()
      fields.values.append((name, value))
      if fields.values.count > limit { fields.values.removeFirst() }
      return name
    }
  }

  /// Returns a value, which then expires last.
  func get(_ name: String) throws -> Value {
    let value = fields.withLock { fields -> Value? in
      guard let index = fields.values.firstIndex(where: { $0.name == name }) else { return nil }
      let found = fields.values.remove(at: index)
      fields.values.append(found)
      return found.value
    }
    guard let value else {
      let isOwn = name.hasPrefix(prefix) && Int(name.dropFirst(prefix.count)) != nil
      throw isOwn ? ServeError.gone(expired) : ServeError.noRoute
    }
    return value
  }

  func remove(_ name: String) { fields.withLock { $0.values.removeAll { $0.name == name } } }
}
