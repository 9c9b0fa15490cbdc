internal import Cairn
internal import Crypto
internal import Synchronization

/// The sessions, and the links that start them.
///
/// A link has a token that works once; the browser then holds a cookie. Only digests of both are
/// kept. A program may use a key instead of a cookie.
final class Sessions: Sendable {
  private struct Fields {
    var links: [Secret: (person: Person, isReadOnly: Bool)] = [:]
    var sessions: [Secret: Session] = [:]
    var last = 0
  }

  private typealias Secret = SHA256Digest

  /// Maximum number of sessions; the oldest ones end.
  private static let limit = 256

  private let fields = Mutex(Fields())

  /// Returns a random token of 256 bits.
  static func token() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let text = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
  }

  /// Creates a link for a person, and returns its token.
  func invite(_ person: Person, isReadOnly: Bool) -> String {
    let token = Sessions.token()
    fields.withLock { $0.links[Sessions.secret(token)] = (person, isReadOnly) }
    return token
  }

  /// Creates a session, and returns the key that programs or cookies carry.
  func start(_ person: Person, isReadOnly: Bool) -> String {
    let key = Sessions.token()
    fields.withLock { fields in
      fields.last += 1
      let session = Session(id: fields.last, person: person, isReadOnly: isReadOnly)
      fields.sessions[Sessions.secret(key)] = session
      if fields.sessions.count > Sessions.limit,
        let oldest = fields.sessions.min(by: { $0.value.id < $1.value.id })
      {
        fields.sessions[oldest.key] = nil
      }
    }
    return key
  }

  /// Uses up the token of a link, and starts its session.
  ///
  /// - Returns: The key of the session; nil if the token is unknown or was used.
  func redeem(_ token: String) -> String? {
    let link = fields.withLock { $0.links.removeValue(forKey: Sessions.secret(token)) }
    return link.map { start($0.person, isReadOnly: $0.isReadOnly) }
  }

  func session(_ key: String) -> Session? {
    // The lookup compares digests, whose timing reveals nothing about the key.
    fields.withLock { $0.sessions[Sessions.secret(key)] }
  }

  var all: [Session] {
    fields.withLock { Array($0.sessions.values) }.sorted { $0.id < $1.id }
  }

  private static func secret(_ text: String) -> Secret { SHA256.hash(data: Array(text.utf8)) }
}
