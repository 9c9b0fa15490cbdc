import Cairn
import CairnDocument

/// A response of the server.
struct HTTPReply {
  let status: Int
  /// By name in lower case.
  let headers: [String: String]
  let body: [UInt8]

  init?(_ bytes: [UInt8]) {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      .split(separator: "\r\n")
    guard let first = lines.first, let status = Int(first.split(separator: " ")[1]) else {
      return nil
    }
    self.status = status
    headers = Dictionary(
      lines.dropFirst().compactMap { line -> (String, String)? in
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        return (line[..<colon].lowercased(), String(value))
      }, uniquingKeysWith: { $1 })
    let rest = Array(bytes[end.upperBound...])
    body = headers["transfer-encoding"] == "chunked" ? HTTPReply.unchunked(rest) : rest
  }

  private static func unchunked(_ bytes: [UInt8]) -> [UInt8] {
    var (body, rest) = ([UInt8](), bytes[...])
    while let line = rest.firstRange(of: Array("\r\n".utf8)),
      let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16), size > 0
    {
      let start = line.upperBound
      body += rest[start..<min(start + size, rest.endIndex)]
      rest = rest[min(start + size + 2, rest.endIndex)...]
    }
    return body
  }

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The first cookie that it sets: `name=value`.
  var cookie: String { String((headers["set-cookie"] ?? "").prefix { $0 != ";" }) }

  /// The body as JSON; null if it is not.
  var json: JSON { (try? JSON(bytes: body)) ?? .null }
}
