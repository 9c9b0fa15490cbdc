internal import CairnBase
package import CairnTransport

/// The URL of an image store on a WebDAV server: `davs://host/path` (over https) or
/// `dav://host/path`, also written `webdavs` and `webdav`.
package struct WebDAVAddress: Sendable, Equatable, CustomStringConvertible {
  /// The directory, percent-encoded and without a slash at its end.
  package let directory: WebAddress

  /// Returns the scheme of requests to a URL with this scheme; nil if it is not one of WebDAV.
  private static func scheme(_ text: some StringProtocol) -> String? {
    switch text.lowercased() {
    case "dav", "webdav": "http"
    case "davs", "webdavs": "https"
    default: nil
    }
  }

  /// Reads a URL; nil if it is one of another kind.
  package init?(_ text: String) throws(RemoteAddress.Malformed) {
    guard let colon = text.firstRange(of: "://"),
      let scheme = WebDAVAddress.scheme(text[..<colon.lowerBound])
    else { return nil }
    let rest = text[colon.upperBound...]
    guard !rest.contains(where: { "?#".contains($0) }) else {
      throw RemoteAddress.Malformed(reason: "it has a query or a fragment")
    }
    guard case .web(let web) = try RemoteAddress("\(scheme)://\(rest)") else { return nil }
    let components = web.path.split(separator: "/").map(\.percentDecoded)
    guard !components.contains(where: { [".", ".."].contains($0) || $0.contains("/") }) else {
      throw RemoteAddress.Malformed(reason: "its path has a component “.” or “..”")
    }
    let path = components.map { "/" + PercentEncoding.encoded($0) }.joined()
    guard let directory = web.with(path: path) else {
      throw RemoteAddress.Malformed(reason: "its path is invalid")
    }
    self.directory = directory
  }

  package var description: String { "dav" + directory.text.dropFirst("http".count) }
}
