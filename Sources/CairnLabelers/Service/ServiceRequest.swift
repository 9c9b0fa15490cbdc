internal import CairnBase
internal import CairnDocument
internal import CairnHTTP
internal import Foundation

/// A request description, with templates for all of its parts.
struct ServiceRequest: Sendable {
  enum Body: Sendable {
    case none
    /// The image's bytes, unchanged.
    case bytes
    /// A form with the image in one field.
    case multipart(field: String)
    case json(JSONTemplate)
  }

  private let method: HTTPRequest.Method
  private let url: Template
  private let headers: [(name: String, value: Template)]
  private let basic: (user: Template, password: Template)?
  private let body: Body

  /// The names that must have a value.
  var required: Set<String> {
    headers.reduce(into: url.required) { $0.formUnion($1.value.required) }
      .union(basic.map { $0.user.required.union($0.password.required) } ?? [])
  }

  init(json: JSON, names: Set<String>, secrets: Set<String>) throws(LabelerError) {
    guard let object = json.object, let address = object["url"]?.string else {
      throw .description("a request has no “url”")
    }
    let known = ["method", "url", "headers", "basic", "body"]
    if let other = object.members.first(where: { !known.contains($0.key) }) {
      throw .description("“\(other.key)” is not a known key of a request")
    }
    url = try Template(address, names: names)
    headers = try ServiceRequest.headers(object, names, secrets)
    basic = try ServiceRequest.basic(object["basic"], names, secrets)
    switch object["body"] {
    case nil: body = .none
    case .string("bytes")?: body = .bytes
    case .string(let text)? where text.hasPrefix("multipart:"):
      body = .multipart(field: String(text.dropFirst("multipart:".count)))
    case .string(let text)?:
      throw .description("“body” must be bytes, multipart:FIELD or JSON, not “\(text)”")
    case let value?: body = .json(try JSONTemplate(value, names: names))
    }
    switch object["method"]?.string {
    case nil: if case .none = body { method = .get } else { method = .post }
    case "GET"?: method = .get
    case "POST"?: method = .post
    case "PUT"?: method = .put
    case let text?: throw .description("“method” must be GET, POST or PUT, not “\(text)”")
    }
  }

  private static func headers(
    _ object: JSONObject, _ names: Set<String>, _ secrets: Set<String>
  ) throws(LabelerError) -> [(name: String, value: Template)] {
    var headers: [(name: String, value: Template)] = []
    for (name, text) in try object.texts("headers") {
      let value = try Template(text, names: names)
      // The description is readable by others.
      let isKey = ["authorization", "key", "token", "secret"].contains {
        name.lowercased().contains($0)
      }
      if isKey, value.names.isDisjoint(with: secrets) {
        throw .description(
          "“\(name)” contains a secret: use {key} there, and name its variable in “secrets”")
      }
      headers.append((name, value))
    }
    return headers
  }

  private static func basic(
    _ json: JSON?, _ names: Set<String>, _ secrets: Set<String>
  ) throws(LabelerError) -> (user: Template, password: Template)? {
    guard let json else { return nil }
    guard let texts = json.array, texts.count == 2, let user = texts[0].string,
      let password = texts[1].string
    else { throw .description("“basic” must be a user and a password") }
    let secret = try Template(password, names: names)
    if secret.names.isDisjoint(with: secrets) {
      throw .description(
        "“basic” contains a password: use {key} there, and name its variable in “secrets”")
    }
    return (try Template(user, names: names), secret)
  }

  /// Returns the request for an image.
  ///
  /// - Parameter values: Settings and secrets.
  func filled(
    _ values: [String: String], _ image: LabelerImage, address: String?
  ) throws(LabelerError) -> HTTPRequest {
    var all = values
    all["mediaType"] = image.mediaType
    all["id"] = image.name
    all["extension"] = image.sentExtension
    all["address"] = address ?? ""
    var bytes: [UInt8] = []
    if isWithBytes {
      bytes = try image.bytes()
      if case .json = body { all["base64"] = Data(bytes).base64EncodedString() }
    }
    let plain = { (name: String) in all[name] ?? "" }
    // Only the endpoint at the beginning of a URL may contain reserved characters.
    let target = url.filled { $0 == "endpoint" ? plain($0) : ServiceRequest.encoded(plain($0)) }
    var request = HTTPRequest(method, target)
    for (name, value) in headers { request.headers[name] = value.filled(plain) }
    if let basic {
      request.credentials = HTTPCredentials(
        user: basic.user.filled(plain), password: basic.password.filled(plain))
    }
    if request.headers["Accept"] == nil { request.headers["Accept"] = "application/json" }
    fill(&request, bytes, image, plain)
    return request
  }

  /// Returns the token of basic authentication; nil if it is not used.
  func basicToken(_ values: [String: String]) -> String? {
    basic.map { basic in
      let value = { (name: String) in values[name] ?? "" }
      let text = "\(basic.user.filled(value)):\(basic.password.filled(value))"
      return Data(text.utf8).base64EncodedString()
    }
  }

  private var isWithBytes: Bool {
    switch body {
    case .bytes, .multipart: true
    case .json(let template): template.names.contains("base64")
    case .none: false
    }
  }

  private func fill(
    _ request: inout HTTPRequest, _ bytes: [UInt8], _ image: LabelerImage,
    _ value: (String) -> String
  ) {
    let type: String
    switch body {
    case .none: return
    case .bytes:
      request.body = .bytes(bytes)
      type = image.mediaType
    case .json(let template):
      request.body = .bytes(Array(template.filled(value).line.utf8.dropLast()))
      type = "application/json"
    case .multipart(let field):
      // The boundary must not occur in the image; these dashes and zeros do not.
      let boundary = "cairn-" + String(repeating: "0", count: 58)
      let head = """
        --\(boundary)\r\nContent-Disposition: form-data; name="\(field)"; \
        filename="image.\(image.sentExtension)"\r\nContent-Type: \(image.mediaType)\r\n\r\n
        """
      request.body = .bytes(Array(head.utf8) + bytes + Array("\r\n--\(boundary)--\r\n".utf8))
      type = "multipart/form-data; boundary=\(boundary)"
    }
    if request.headers["Content-Type"] == nil { request.headers["Content-Type"] = type }
  }

  /// Returns text encoded for a path or a query. Slashes are kept, since model names contain them.
  ///
  /// Source: RFC 3986 section 2.3.
  static func encoded(_ text: String) -> String {
    PercentEncoding.encoded(text, keeping: "/,")
  }
}
