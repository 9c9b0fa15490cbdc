package import SystemPackage

/// An HTTP request.
package struct HTTPRequest {
  package enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case put = "PUT"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"
    // Of WebDAV (RFC 4918).
    case mkcol = "MKCOL"
    case move = "MOVE"
    case propfind = "PROPFIND"
  }

  package enum Body {
    case bytes([UInt8])
    /// A part of a file, read while it is sent. The request fails if the file ends before it.
    case file(FilePath, offset: Int, length: Int)
    /// Pieces of at most 256 KiB, each read into a buffer, until one is empty; sent in chunks if the
    /// length is unknown. Such a body cannot be sent again, so curl gives up where it would need to.
    case pieces(length: Int?, (UnsafeMutableRawBufferPointer) throws -> Int)
  }

  package var method: Method
  /// An `http` or `https` URL; a user and password in it are sent as basic authentication.
  package var url: String
  package var headers: HTTPHeaders
  package var body: Body?
  package var credentials: HTTPCredentials?
  /// Whether the server may compress the response. Sizes and ranges then refer to the compressed
  /// bytes.
  package var acceptsCompression = false
  /// Time limit for the whole response; nil to wait as long as data arrives.
  package var timeout: HTTPDeadline?
  /// The time in which data must move; nil for the client's, 0 for no limit.
  package var stallTimeoutSeconds: Int?

  package init(
    _ method: Method, _ url: String, headers: HTTPHeaders = [:], body: Body? = nil,
    credentials: HTTPCredentials? = nil
  ) {
    (self.method, self.url, self.headers) = (method, url, headers)
    (self.body, self.credentials) = (body, credentials)
  }
}

/// A user name and password, redacted from every description.
package struct HTTPCredentials: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  package let user: String
  package let password: String

  package init(user: String, password: String) {
    (self.user, self.password) = (user, password)
  }

  package var description: String { "credentials" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
