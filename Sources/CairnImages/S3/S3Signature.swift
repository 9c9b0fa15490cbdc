internal import CairnBase
internal import CairnDocument
internal import Crypto
internal import Foundation

/// A signature that identifies the sender of a request and protects it from changes.
///
/// Source: AWS, “Create a signed AWS API request” (Signature Version 4), and Amazon S3 API
/// Reference, “Signature Calculations for the Authorization Header”.
struct S3Signature {
  var credentials: S3Credentials
  var region: String
  var service = "s3"
  /// In milliseconds since 1970.
  var time: Int64

  /// The signed parts of a request.
  struct Message {
    var method: String
    /// Encoded.
    var path: String
    /// Not encoded.
    var query: [(name: String, value: String)] = []
    /// Includes Host and X-Amz-Date, each name once.
    var headers: [(name: String, value: String)]
    /// The SHA-256 of the body, in hexadecimal digits.
    var payloadHash: String
  }

  /// The SHA-256 of no bytes.
  static let emptyHash = Hex.text(SHA256.hash(data: [UInt8]()))

  /// The time as `20130524T000000Z`.
  var date: String {
    let text = RFC3339.text(milliseconds: time).prefix { $0 != "." }
    return text.filter { $0 != "-" && $0 != ":" } + "Z"
  }

  private var scope: String { "\(date.prefix(8))/\(region)/\(service)/aws4_request" }

  /// Returns the value of the Authorization field.
  func authorization(of message: Message) -> String {
    let fields = S3Signature.canonicalFields(message.headers)
    let names = fields.map(\.name).joined(separator: ";")
    let request = [
      message.method, message.path, S3Signature.canonicalQuery(message.query),
      fields.map { "\($0.name):\($0.value)\n" }.joined(), names, message.payloadHash,
    ].joined(separator: "\n")
    let text = [
      "AWS4-HMAC-SHA256", date, scope,
      Hex.text(SHA256.hash(data: Array(request.utf8))),
    ].joined(separator: "\n")
    let signature = S3Signature.code(text, SymmetricKey(data: signingKey))
    return "AWS4-HMAC-SHA256 Credential=\(credentials.keyID)/\(scope), "
      + "SignedHeaders=\(names), Signature=\(Hex.text(signature))"
  }

  private var signingKey: HashedAuthenticationCode<SHA256> {
    let first = SymmetricKey(data: Array("AWS4\(credentials.secret)".utf8))
    return [region, service, "aws4_request"].reduce(
      S3Signature.code(String(date.prefix(8)), first)
    ) { S3Signature.code($1, SymmetricKey(data: $0)) }
  }

  private static func code(
    _ text: String, _ key: SymmetricKey
  ) -> HashedAuthenticationCode<SHA256> {
    HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
  }

  private static func canonicalFields(
    _ headers: [(name: String, value: String)]
  ) -> [(name: String, value: String)] {
    headers.map { name, value in
      (
        name.lowercased(),
        value.utf8.split(separator: UInt8(ascii: " ")).map { String($0)! }
          .joined(separator: " ")
      )
    }.sorted { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) }
  }

  /// Returns a query encoded and sorted for signing; it is also sent in this form.
  static func canonicalQuery(_ query: [(name: String, value: String)]) -> String {
    let encoded = { (text: String) in Array(PercentEncoding.encoded(text).utf8) }
    return query.map { (encoded($0.name), encoded($0.value)) }
      .sorted {
        $0.0 == $1.0
          ? $0.1.lexicographicallyPrecedes($1.1) : $0.0.lexicographicallyPrecedes($1.0)
      }
      .map { String(decoding: $0.0 + [UInt8(ascii: "=")] + $0.1, as: UTF8.self) }
      .joined(separator: "&")
  }
}

/// Returns a SHA-256 in the form of checksum fields, in base64.
///
/// Source: Amazon S3 API Reference, “PutObject”, `x-amz-checksum-sha256`.
func checksumText(_ digest: some Sequence<UInt8>) -> String { Data(digest).base64EncodedString() }
