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

  /// An upload in parts, each of which has a URL of its own.
  ///
  /// Source: Hugging Face, huggingface_hub, lfs.py: the transfer type “multipart”.
  struct Parts: Sendable {
    /// Size of all parts but the last, in bytes.
    let size: Int
    /// Where to send each part, in their order.
    let targets: [Action]
  }

  /// The upload or the download; for an upload in parts, the action that puts them together.
  let transfer: Action
  /// Nil to send the image whole.
  let parts: Parts?
  /// The action that confirms a finished upload.
  let verify: Action?
  /// Whether the headers already authenticate us.
  let isAuthenticated: Bool
  /// Milliseconds since 1970; nil when not specified.
  let expires: Int64?

  /// Maximum number of headers to accept.
  private static let headerLimit = 50

  /// Every action that leads to a server.
  var all: [Action] { [transfer] + (verify.map { [$0] } ?? []) + (parts?.targets ?? []) }

  /// Reads the actions of an object; nil when there are none for this direction.
  ///
  /// - Parameter size: The size of the image, in bytes.
  init?(
    _ object: JSON, _ direction: ImageDirection, of size: Int, now: Int64
  ) throws(Malformed) {
    // Older servers call them links.
    let actions = object["actions"] ?? object["_links"]
    guard let transfer = try Action(actions?[direction.rawValue]) else { return nil }
    self.transfer = transfer
    let header = actions?[direction.rawValue]?["header"]?.object
    parts = try direction == .upload ? Parts(header, of: size) : nil
    verify = try Action(actions?["verify"])
    isAuthenticated = object["authenticated"]?.bool ?? false
    expires = LFSActions.expiry(actions?[direction.rawValue] ?? .null, now: now)
  }

  struct Malformed: Error {
    let reason: String
  }

  /// Returns when something issued by a server expires, five seconds early.
  ///
  /// - Parameter object: An object with `expires_in` or `expires_at`.
  static func expiry(_ object: JSON, now: Int64) -> Int64? {
    expiry(seconds: object["expires_in"]?.int, at: object["expires_at"]?.string, now: now)
  }

  /// Returns when something issued by a server expires, five seconds early.
  ///
  /// - Parameters:
  ///   - seconds: The time from now on, which takes precedence: it does not depend on two clocks.
  ///   - text: A time of RFC 3339.
  static func expiry(seconds: Int?, at text: String?, now: Int64) -> Int64? {
    var end: Int64?
    if let seconds, seconds != 0, seconds.magnitude <= 1 << 31 {
      end = now + Int64(seconds) * 1000
    } else if let text {
      // Source: Git LFS API, “Batch API”: an RFC 3339 time, so it has an offset.
      let time = RFC3339(text, allowingLowerCase: true)
      end = time?.offset == nil ? nil : time?.milliseconds
    }
    // Leave it to the server to reject what has already expired on arrival: clocks differ.
    return end.map { $0 - 5000 }.flatMap { $0 > now ? $0 : nil }
  }
}

extension LFSActions.Parts {
  /// Maximum size of a part, which is kept in memory, in bytes.
  private static let sizeLimit = 512 << 20

  /// Reads the parts from the header fields of an upload; nil if there are none.
  fileprivate init?(_ header: JSONObject?, of total: Int) throws(LFSActions.Malformed) {
    guard let header, let text = header["chunk_size"]?.string else { return nil }
    var numbered: [(number: Int, action: LFSActions.Action)] = []
    for (name, value) in header.members where name.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
      guard let number = Int(name), let action = try LFSActions.Action(["href": value]) else {
        continue
      }
      numbered.append((number, action))
    }
    guard let size = Int(text).map({ min($0, max(1, total)) }),
      1...LFSActions.Parts.sizeLimit ~= size,
      numbered.count == total / size + (total % size == 0 ? 0 : 1)
    else {
      throw LFSActions.Malformed(reason: "it asks for an upload in parts that it does not specify")
    }
    self.size = size
    targets = numbered.sorted { $0.number < $1.number }.map { $0.action }
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
