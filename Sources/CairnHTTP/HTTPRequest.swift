public import SystemPackage

/// An HTTP request.
public struct HTTPRequest {
  public enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case put = "PUT"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  public enum Body {
    case bytes([UInt8])
    /// A part of a file, read while it is sent.
    case file(FilePath, offset: Int, length: Int)
    /// Pieces until nil; sent in chunks if the length is unknown. Such a body cannot be sent again,
    /// so curl gives up where it would need to.
    case pieces(length: Int?, () throws -> [UInt8]?)
  }

  public var method: Method
  /// An `http` or `https` URL; a user and password in it are sent as basic authentication.
  public var url: String
  public var headers: HTTPHeaders
  public var body: Body?
  public var credentials: HTTPCredentials?
  /// Whether the server may compress the response. Sizes and ranges then refer to the compressed
  /// bytes.
  public var acceptsCompression = false
  /// Time limit for the whole response; nil to wait as long as data arrives.
  public var timeout: HTTPDeadline?

  public init(
    _ method: Method, _ url: String, headers: HTTPHeaders = [:], body: Body? = nil,
    credentials: HTTPCredentials? = nil
  ) {
    (self.method, self.url, self.headers) = (method, url, headers)
    (self.body, self.credentials) = (body, credentials)
  }
}

/// A user name and password, redacted from every description.
public struct HTTPCredentials: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  public let user: String
  public let password: String

  public init(user: String, password: String) {
    (self.user, self.password) = (user, password)
  }

  public var description: String { "credentials" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
