internal import Cairn
internal import HTTPTypes
internal import Hummingbird

extension HTTPField.Name {
  static let cairnClient = HTTPField.Name("X-Cairn-Client")!
  static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options")!
  static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
  static let resourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
  static let openerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
  static let contentPolicy = HTTPField.Name("Content-Security-Policy")!
  static let host = HTTPField.Name("Host")!
}

extension Response {
  static func json(_ json: JSON, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: json.line)))
  }

  static func json(_ members: [(String, JSON)], status: HTTPResponse.Status = .ok) -> Response {
    json(.object(JSONObject(members)), status: status)
  }

  static let noContent = Response(status: .noContent)

  static func bytes(_ bytes: [UInt8], type: String, isImmutable: Bool = false) -> Response {
    var headers: HTTPFields = [.contentType: type]
    if isImmutable { headers[.cacheControl] = Response.immutable }
    return Response(
      status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  static let immutable = "private, max-age=31536000, immutable"

  static func error(_ error: ServeError) -> Response {
    var response = json(error.json, status: error.status)
    if let seconds = error.retrySeconds { response.headers[.retryAfter] = "\(seconds)" }
    return response
  }
}
