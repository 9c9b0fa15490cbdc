import CairnBase
import Crypto
import Foundation
import Testing

@testable import CairnImages

@Suite("Signature Version 4")
struct S3SignatureTests {
  /// A request whose signature Amazon has published.
  struct Published: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var method = "GET"
    var path = "/"
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var payloadHash = S3Signature.emptyHash
    let signature: String
  }

  /// Source: aws-sig-v4-test-suite.
  static let suite = [
    Published(
      testDescription: "get-vanilla",
      signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    Published(
      testDescription: "post-vanilla", method: "POST",
      signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    Published(
      testDescription: "get-unreserved",
      path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
      signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
    Published(
      testDescription: "get-vanilla-query-order-key-case",
      query: [("Param2", "value2"), ("Param1", "value1")],
      signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    Published(
      testDescription: "get-vanilla-utf8-query", query: [("ሴ", "bar")],
      signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
    Published(
      testDescription: "get-header-value-trim",
      headers: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
      signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
  ]

  @Test("computes the signatures of the published test suite", arguments: suite)
  func publishedSuite(_ published: Published) throws {
    let credentials = try #require(
      S3Credentials(
        keyID: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token: nil))
    let signature = S3Signature(
      credentials: credentials, region: "us-east-1", service: "service", time: 1_440_938_160_000)
    #expect(signature.date == "20150830T123600Z")
    let text = signature.authorization(
      of: S3Signature.Message(
        method: published.method, path: published.path, query: published.query,
        headers: [("Host", "example.amazonaws.com"), ("X-Amz-Date", signature.date)]
          + published.headers, payloadHash: published.payloadHash))
    #expect(text.hasSuffix("Signature=\(published.signature)"))
  }

  /// Source: Amazon S3 API Reference, “Examples: Signature Calculations”.
  static let examples = [
    Published(
      testDescription: "GET Object", path: "/test.txt", headers: [("Range", "bytes=0-9")],
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    Published(
      testDescription: "PUT Object", method: "PUT",
      path: "/" + PercentEncoding.encoded("test$file.text", keeping: "/"),
      headers: [
        ("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
      ], payloadHash: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
      signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    Published(
      testDescription: "GET Bucket Lifecycle", query: [("lifecycle", "")],
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    Published(
      testDescription: "GET Bucket", query: [("prefix", "J"), ("max-keys", "2")],
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
  ]

  @Test("computes the signatures of Amazon's examples", arguments: examples)
  func publishedExamples(_ published: Published) throws {
    let credentials = try #require(
      S3Credentials(
        keyID: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        token: nil))
    let signature = S3Signature(
      credentials: credentials, region: "us-east-1", time: 1_369_353_600_000)
    let text = signature.authorization(
      of: S3Signature.Message(
        method: published.method, path: published.path, query: published.query,
        headers: [
          ("host", "examplebucket.s3.amazonaws.com"), ("x-amz-date", signature.date),
          ("x-amz-content-sha256", published.payloadHash),
        ] + published.headers, payloadHash: published.payloadHash))
    #expect(text.hasSuffix("Signature=\(published.signature)"))
  }

  @Test(
    "signs random requests as botocore does",
    .enabled(if: S3Program.isMotoInstalled, S3Program.missing), arguments: 0..<60)
  func botocore(seed: Int) throws {
    var generator = SystemRandomNumberGenerator()
    func word(_ longest: Int = 12) -> String {
      let letters = Array("abzAZ019-._~ /+&=%!*'()$@:;,?#\"<>[]{}|\\^`éßሴ🐕")
      return String(
        (0..<Int.random(in: 1...longest, using: &generator)).map { _ in
          letters.randomElement(using: &generator)!
        })
    }
    let credentials = try #require(
      S3Credentials(
        keyID: "AK\(seed)", secret: UUID().uuidString,
        token: seed % 2 == 0 ? nil : UUID().uuidString))
    let signature = S3Signature(
      credentials: credentials, region: ["us-east-1", "auto"][seed % 3 / 2],
      time: Int64.random(in: 0..<4_000_000_000_000, using: &generator))
    let path = "/" + PercentEncoding.encoded("bucket/" + word(40), keeping: "/")
    let query = (0..<seed % 4).map { (name: word() + "\($0)", value: seed % 5 == 0 ? "" : word()) }
    let host = ["127.0.0.1:9000", "b.s3.eu-west-1.amazonaws.com"][seed % 2]
    let hash = Hex.text((0..<32).map { _ in UInt8.random(in: 0 ... .max) })
    var headers = ["x-amz-checksum-sha256": checksumText([UInt8(seed)]), "If-None-Match": "*"]
    if seed % 3 == 0 { headers["Range"] = "bytes=\(seed)-" }
    let method = ["GET", "PUT", "HEAD", "POST", "DELETE"][seed % 5]

    let expected = try S3Moto.shared().program.ask(
      "sign",
      [
        "method": method, "headers": headers, "date": signature.date,
        "url": "http://\(host)\(path)"
          + (query.isEmpty ? "" : "?" + S3Signature.canonicalQuery(query)),
        "key_id": credentials.keyID, "secret": credentials.secret,
        "token": credentials.token.map { $0 as any Sendable } ?? NSNull(),
        "region": signature.region, "payload_hash": hash,
      ], as: String.self)
    headers["Host"] = host
    headers["X-Amz-Date"] = signature.date
    headers["X-Amz-Content-SHA256"] = hash
    headers["X-Amz-Security-Token"] = credentials.token
    let ours = signature.authorization(
      of: S3Signature.Message(
        method: method, path: path, query: query,
        headers: headers.map { (name: $0.key, value: $0.value) }, payloadHash: hash))
    #expect(ours == expected, "\(method) \(path) \(query)")
  }

  @Test("encodes a checksum in base64, with padding")
  func checksum() {
    // openssl dgst -sha256 -binary </dev/null | openssl enc -base64
    let hash = SHA256.hash(data: [UInt8]())
    #expect(checksumText(hash) == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
  }
}
