internal import Cairn
internal import CairnBase
internal import CairnFiles
internal import Crypto
internal import Synchronization
internal import SystemPackage

/// The sessions, and the links that start them.
///
/// A link has a token that works once; the browser then holds a cookie. Only digests of both are
/// kept; those of sessions also in a file, so that a page keeps working after a restart. A program
/// may use a key instead of a cookie.
final class Sessions: Sendable {
  private struct Fields {
    var links: [Secret: (person: Person, isReadOnly: Bool)] = [:]
    var sessions: [Secret: Session] = [:]
    var last = 0
  }

  /// The SHA-256 of a token or key, in hexadecimal.
  private typealias Secret = String

  /// Maximum number of sessions; the oldest ones end.
  private static let limit = 256

  /// Sessions end after this time, in milliseconds.
  static let lifetime: Int64 = 7 * 86_400_000

  private let fields: Mutex<Fields>
  private let failures = Mutex(TokenBucket(perSecond: 10, burst: 100))
  private let file: FilePath
  private let environment: Cairn.Environment

  /// Reads the sessions of earlier servers of this dataset.
  ///
  /// - Parameter isReadOnly: Whether they may only read now, whatever they could do before.
  init(file: FilePath, owner: Person, isReadOnly: Bool, environment: Cairn.Environment) {
    (self.file, self.environment) = (file, environment)
    var fields = Fields()
    let bytes = (try? environment.files.read(file, limit: 1 << 20)) ?? nil
    var kept: [UInt8] = []
    for line in (bytes ?? []).split(separator: UInt8(ascii: "\n")).suffix(Sessions.limit) {
      guard let json = try? JSON(bytes: line), let secret = json["secret"]?.string,
        let started = json["started"]?.double,
        let person = Person(json, owner: owner)
      else { continue }
      let end = Int64(started) + Sessions.lifetime
      if end <= environment.now() { continue }
      fields.last += 1
      fields.sessions[secret] = Session(
        id: fields.last, person: person, isReadOnly: isReadOnly || json["readOnly"]?.bool ?? true,
        end: end)
      kept += line + [UInt8(ascii: "\n")]
    }
    self.fields = Mutex(fields)
    if bytes != nil {
      try? environment.files.write(kept, to: file, temporary: FilePath("\(file).new"))
    }
  }

  /// Returns random hexadecimal digits: 256 bits for keys, 128 for links, which fit a small QR code.
  static func token(bits: Int = 256) -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<bits / 64).map { _ in Hex.text(generator.next() as UInt64, digits: 16) }.joined()
  }

  /// Creates a link for a person, and returns its token.
  func invite(_ person: Person, isReadOnly: Bool) -> String {
    let token = Sessions.token(bits: 128)
    fields.withLock { $0.links[Sessions.secret(token)] = (person, isReadOnly) }
    return token
  }

  /// Creates a session, and returns the key that programs or cookies carry.
  func start(_ person: Person, isReadOnly: Bool) -> String {
    let now = environment.now()
    let key = Sessions.token()
    let secret = Sessions.secret(key)
    let line: JSON = [
      "email": JSON(person.author?.email), "name": JSON(person.author?.name),
      "readOnly": .bool(isReadOnly), "secret": .string(secret),
      "started": JSON(Double(now)),
    ]
    // If this fails, the session ends with this server.
    try? environment.files.append(Array(line.line.utf8), to: file)
    fields.withLock { fields in
      fields.last += 1
      let session = Session(
        id: fields.last, person: person, isReadOnly: isReadOnly, end: now + Sessions.lifetime)
      fields.sessions[secret] = session
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

  /// Returns the session of a key; nil if there is none, or it has expired.
  func session(_ key: String) -> Session? {
    // The lookup compares digests, whose timing reveals nothing about the key.
    let secret = Sessions.secret(key)
    let now = environment.now()
    return fields.withLock { fields in
      guard let session = fields.sessions[secret] else { return nil }
      if now < session.end { return session }
      fields.sessions[secret] = nil
      return nil
    }
  }

  /// Returns whether a token is that of an unused link.
  func isLink(_ token: String) -> Bool {
    fields.withLock { $0.links[Sessions.secret(token)] != nil }
  }

  /// Counts a wrong token, and returns whether the rate of wrong tokens is still low enough: at
  /// this rate, guessing one takes more than a lifetime.
  func mayFail() -> Bool { failures.withLock { $0.take() } }

  var all: [Session] {
    fields.withLock { Array($0.sessions.values) }.sorted { $0.id < $1.id }
  }

  private static func secret(_ text: String) -> Secret {
    Hex.text(Array(SHA256.hash(data: Array(text.utf8))))
  }
}

extension Person {
  /// Reads a person from the file of sessions.
  fileprivate init?(_ json: JSON, owner: Person) {
    guard let email = json["email"]?.string, let name = json["name"]?.string else {
      self = owner
      return
    }
    self.init(
      annotator: Annotator(email: email), name: name, author: Author(name: name, email: email))
  }
}
