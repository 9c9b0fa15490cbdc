public import SystemPackage

/// One request to a server.
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
    /// A part of a file, which is read while it is sent.
    case file(FilePath, offset: Int, length: Int)
    /// Pieces until there are none; of unknown length they are sent in chunks. A request with such
    /// a body cannot be sent again, so curl gives up where it would have to.
    case pieces(length: Int?, () throws -> [UInt8]?)
  }

  public var method: Method
  /// An `http` or `https` address; user and password in it are sent as basic authentication.
  public var url: String
  public var headers: HTTPHeaders
  public var body: Body?
  public var credentials: HTTPCredentials?
  /// Whether the server may compress what it sends. Sizes and ranges then mean something else.
  public var acceptsCompression = false
  /// How long the answer may take in all; nil for as long as something comes.
  public var patience: HTTPPatience?

  public init(
    _ method: Method, _ url: String, headers: HTTPHeaders = [:], body: Body? = nil,
    credentials: HTTPCredentials? = nil
  ) {
    (self.method, self.url, self.headers) = (method, url, headers)
    (self.body, self.credentials) = (body, credentials)
  }
}

/// A user's name and password, which no description shows.
public struct HTTPCredentials: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  public let user: String
  public let password: String

  public init(user: String, password: String) {
    (self.user, self.password) = (user, password)
  }

  public var description: String { "credentials" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
