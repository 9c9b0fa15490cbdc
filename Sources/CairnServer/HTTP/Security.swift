internal import Hummingbird

/// The checks and headers that keep other web sites and other computers out.
struct Security: Sendable {
  /// The names under which the server may be addressed, with the port: `127.0.0.1:8080`.
  let hosts: Set<String>
  let port: Int
  let scheme: String
  let cookieName: String

  init(port: Int, hostNames: [String], isSecure: Bool = false) {
    self.port = port
    scheme = isSecure ? "https" : "http"
    let names = ["127.0.0.1", "localhost", "[::1]"] + hostNames.map { $0.lowercased() }
    let isDefault = port == (isSecure ? 443 : 80)
    hosts = Set(names.flatMap { isDefault ? [$0, "\($0):\(port)"] : ["\($0):\(port)"] })
    // Cookies ignore ports: each server has a name of its own.
    cookieName = "cairn-\(port)"
  }

  /// Rejects a request under a name that is not the server's: another site may have pointed its
  /// name here (DNS rebinding).
  func checkHost(_ request: Request) throws {
    guard let host = request.head.authority ?? request.headers[.host],
      hosts.contains(host.lowercased())
    else {
      throw ServeError(
        status: .misdirectedRequest, kind: "refused",
        message: "The server does not answer to this host name.",
        hint: "Use the address that `cairn serve` prints.")
    }
  }

  /// Rejects a change that is requested by another site's page.
  func checkOrigin(_ request: Request) throws {
    guard let origin = request.headers[.origin]?.lowercased(), origin.hasPrefix("\(scheme)://"),
      let host = (request.head.authority ?? request.headers[.host])?.lowercased(),
      origin.dropFirst(scheme.count + 3) == host
    else {
      throw ServeError(
        status: .forbidden, kind: "refused",
        message: "Changes are only accepted from the server's own page.",
        hint: "Programs use `Authorization: Bearer KEY` instead of a cookie.")
    }
  }

  /// Returns the session's key, and whether a cookie carries it.
  func key(_ request: Request) -> (key: String, isCookie: Bool)? {
    if let text = request.headers[.authorization] {
      let parts = text.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
      return (String(parts[1]), false)
    }
    for field in request.headers[values: .cookie] {
      for cookie in field.split(separator: ";") {
        let parts = cookie.split(separator: "=", maxSplits: 1)
        if parts.count == 2, parts[0].drop(while: { $0 == " " }) == cookieName {
          return (String(parts[1]), true)
        }
      }
    }
    return nil
  }

  func cookie(_ key: String) -> String {
    "\(cookieName)=\(key); HttpOnly; SameSite=Strict; Path=/; Max-Age=\(Sessions.lifetime / 1000)"
      + (scheme == "https" ? "; Secure" : "")
  }

  static let pagePolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
    "connect-src 'self'", "font-src 'none'", "manifest-src 'self'", "base-uri 'none'",
    "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
  ].joined(separator: "; ")

  static let dataPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

  /// Adds the headers of every response.
  static func harden(_ response: inout Response) {
    response.headers[.contentTypeOptions] = "nosniff"
    response.headers[.referrerPolicy] = "no-referrer"
    response.headers[.resourcePolicy] = "same-origin"
    response.headers[.openerPolicy] = "same-origin"
    if response.headers[.contentPolicy] == nil { response.headers[.contentPolicy] = dataPolicy }
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
  }
}
