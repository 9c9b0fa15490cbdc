internal import CairnBase
internal import CairnGit
internal import CairnProcess

/// A server's response to a ``PushRequest``: whether it accepted the objects, and the result for
/// the ref.
///
/// Source: git's Documentation/gitprotocol-pack.txt, “Report Status”.
struct PushResponse {
  /// The response is not a report.
  struct Malformed: Error {}

  /// The server ended with an error; its message is in ``messages``.
  struct Fatal: Error {}

  /// Maximum size of all lines of the report, in bytes.
  private static let reportLimit = 1 << 20

  /// Whether the report arrives on one of three streams that share the connection.
  let usesSideband: Bool
  /// Messages from the server and its hooks to people.
  private(set) var messages = ServerMessages()
  private var decoder = PacketDecoder()
  private var report = Report()

  init(usesSideband: Bool) { self.usesSideband = usesSideband }

  /// Processes a packet; returns false after the last.
  mutating func take(_ packet: Packet) throws -> Bool {
    guard usesSideband else { return try report.take(packet) }
    guard case .data(let bytes) = packet else { return false }
    switch SidebandMessage(bytes) {
    case .content(let bytes):
      var report = report
      _ = try decoder.feed(bytes) { try report.take($0) }
      self.report = report
    case .messages(let bytes): messages.append(bytes)
    case .failure(let bytes):
      messages.append(bytes)
      throw Fatal()
    case nil: throw Malformed()
    }
    return true
  }

  /// The lines of the report.
  private struct Report {
    var unpack: String?
    var results: [String: String?] = [:]
    var isComplete = false
    private var size = 0

    /// Processes a line; returns false at the end.
    mutating func take(_ packet: Packet) throws -> Bool {
      guard let line = packet.line else {
        isComplete = true
        return false
      }
      size += line.utf8.count
      guard size <= PushResponse.reportLimit else { throw Malformed() }
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

  /// Returns the reported result for a ref; nil when the report is incomplete.
  func outcome(of name: String) -> PushOutcome.Result? {
    guard report.isComplete, let unpack = report.unpack else { return nil }
    guard unpack == "ok" else { return .refused(ServerMessages.printable(unpack)) }
    guard let result = report.results[name] else { return nil }
    guard let reason = result.map(ServerMessages.printable) else { return .moved }
    return PushResponse.isAboutLock(reason) ? .busy(reason) : .refused(reason)
  }

  /// Whether a rejection, in git's words, means that another process has the ref locked or moved
  /// it.
  private static func isAboutLock(_ reason: String) -> Bool {
    let reason = reason.lowercased()
    return [
      "failed to update ref", "failed to lock", "cannot lock ref", "incorrect old value",
      "reference already exists", "unable to lock", "fetch first", "stale info",
      "atomic transaction failed",
    ].contains { reason.contains($0) }
  }
}
