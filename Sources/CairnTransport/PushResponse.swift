internal import CairnGit

/// What a server answers to a ``PushRequest``: whether it took the objects, and what became of the
/// ref.
///
/// Source: git's Documentation/gitprotocol-pack.txt, “Report Status”.
struct PushResponse {
  /// What came is not a report.
  struct Malformed: Error {}

  /// The server ended with an error, in its own words.
  struct Fatal: Error {}

  /// More lines than that are not listened to.
  private static let lineLimit = 10_000

  /// Whether the report comes on one of three streams that share the connection.
  let sharesConnection: Bool
  /// What the server and its hooks say to people.
  private(set) var words = ServerWords()
  private var decoder = PacketDecoder()
  private var report = Report()

  init(sharesConnection: Bool) { self.sharesConnection = sharesConnection }

  /// Takes a packet; false after the last.
  mutating func take(_ packet: Packet) throws -> Bool {
    guard sharesConnection else { return try report.take(packet) }
    guard case .data(let bytes) = packet else { return false }
    switch SidebandMessage(bytes) {
    case .content(let bytes):
      var report = report
      _ = try decoder.feed(bytes) { try report.take($0) }
      self.report = report
    case .words(let bytes): words.append(bytes)
    case .failure(let bytes):
      words.append(bytes)
      throw Fatal()
    case nil: throw Malformed()
    }
    return true
  }

  /// The lines of the report.
  private struct Report {
    var unpack: String?
    var results: [String: String?] = [:]
    var isWhole = false
    private var lines = 0

    /// Takes a line; false at the end.
    mutating func take(_ packet: Packet) throws -> Bool {
      guard let line = packet.line else {
        isWhole = true
        return false
      }
      lines += 1
      guard lines < PushResponse.lineLimit else { throw Malformed() }
      let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
      switch (parts.first, parts.count) {
      case ("unpack", 2...): unpack = String(line.dropFirst("unpack ".count))
      case ("ok", 2...): results[parts[1]] = .some(nil)
      case ("ng", 2...): results[parts[1]] = parts.count > 2 ? parts[2] : "no reason given"
      default: throw Malformed()
      }
      return true
    }
  }

  /// Returns what the server says of a ref; nil when it has not come to its end.
  func outcome(of name: String) -> PushOutcome.Result? {
    guard report.isWhole, let unpack = report.unpack else { return nil }
    guard unpack == "ok" else { return .refused(ServerWords.printable(unpack)) }
    guard let result = report.results[name] else { return nil }
    guard let reason = result.map(ServerWords.printable) else { return .moved }
    return PushResponse.isAboutLock(reason) ? .busy(reason) : .refused(reason)
  }

  /// Whether a refusal is of somebody else's having the ref at the moment, in git's words.
  private static func isAboutLock(_ reason: String) -> Bool {
    let reason = reason.lowercased()
    return [
      "failed to update ref", "failed to lock", "cannot lock ref", "incorrect old value",
      "reference already exists", "unable to lock", "fetch first", "stale info",
      "atomic transaction failed",
    ].contains { reason.contains($0) }
  }
}
