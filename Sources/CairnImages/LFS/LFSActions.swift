internal import CairnBase
internal import CairnDocument
internal import CairnHTTP
internal import CairnTransport

/// The actions that an LFS server offers for one object.
///
/// Source: Git LFS, docs/api/batch.md, “Successful Responses”.
struct LFSActions: Sendable {
  struct Action: Sendable {
    let address: WebAddress
    let url: String
    let headers: HTTPHeaders
  }

  /// The upload or the download.
  let transfer: Action
  /// The action that confirms a finished upload.
  let verify: Action?
  /// Whether the headers already authenticate us.
  let isAuthenticated: Bool
  /// Milliseconds since 1970; nil when not specified.
  let expires: Int64?

  /// Maximum number of headers to accept.
  private static let headerLimit = 50

  /// Reads the actions of an object; nil when there are none for this direction.
  init?(_ object: JSON, _ direction: ImageDirection, now: Int64) throws(Malformed) {
    // Older servers call them links.
    let actions = object["actions"] ?? object["_links"]
    guard let transfer = try Action(actions?[direction.rawValue]) else { return nil }
    self.transfer = transfer
    verify = try Action(actions?["verify"])
    isAuthenticated = object["authenticated"]?.bool ?? false
    expires = LFSActions.expiry(actions?[direction.rawValue] ?? .null, now: now)
  }

  struct Malformed: Error {
    let reason: String
  }

  /// Returns when something issued by a server expires, five seconds early.
  static func expiry(_ object: JSON, now: Int64) -> Int64? {
    var end: Int64?
    // `expires_in` takes precedence, since it does not depend on two clocks.
    if let seconds = object["expires_in"]?.int, seconds != 0, seconds.magnitude <= 1 << 31 {
      end = now + Int64(seconds) * 1000
    } else if let text = object["expires_at"]?.string {
      // Source: Git LFS API, “Batch API”: an RFC 3339 time, so it has an offset.
      let time = RFC3339(text, allowingLowerCase: true)
      end = time?.offset == nil ? nil : time?.milliseconds
    }
    // Leave it to the server to reject what has already expired on arrival: clocks differ.
    return end.map { $0 - 5000 }.flatMap { $0 > now ? $0 : nil }
  }
}

extension LFSActions.Action {
  /// - Throws: ``LFSActions/Malformed`` for an address that is not http or https.
  fileprivate init?(_ object: JSON?) throws(LFSActions.Malformed) {
    guard let object, !object.isNull else { return nil }
    guard let url = object["href"]?.string, let address = WebAddress(url) else {
      throw LFSActions.Malformed(reason: "it returned a URL that is not http or https")
    }
    var headers: HTTPHeaders = [:]
    for (name, value) in (object["header"]?.object?.members ?? []).prefix(LFSActions.headerLimit) {
      if let text = value.string { headers.add(name, text) }
    }
    (self.address, self.url, self.headers) = (address, url, headers)
  }
}
