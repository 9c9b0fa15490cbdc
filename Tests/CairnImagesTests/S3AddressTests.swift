import CairnDocument
import CairnStore
import CairnTransport
import Testing

@testable import CairnImages

@Suite("S3 addresses")
struct S3AddressTests {
  @Test("parses and formats an address")
  func reads() throws {
    let address = try S3Address(
      "s3://photos-of.us/Alps 2026/über/?region=eu-west-1&endpoint=https%3A%2F%2FMinio.example.org:9000/s3/"
        + "&profile=team")
    #expect(address.bucket == "photos-of.us")
    #expect(address.prefix == "Alps 2026/über")
    #expect(address.region == "eu-west-1")
    #expect(address.profile == "team")
    let text =
      "s3://photos-of.us/Alps 2026/über?endpoint=https://Minio.example.org:9000/s3/&profile=team"
      + "&region=eu-west-1"
    #expect("\(address)" == text)
    #expect(try S3Address(text) == address)
    #expect(try S3Address("s3://abc/").prefix.isEmpty)
    #expect("\(try S3Address("s3://abc"))" == "s3://abc")
  }

  @Test(
    "rejects an invalid address without showing a possible secret",
    arguments: [
      "s3://", "s3://ab", "s3://Photos", "s3://a..b", "s3://-abc", "s3://abc-", "s3://abc.-d",
      "s3://192.168.1.1", "s3://a_b", "s3://\(String(repeating: "a", count: 64))",
      "s3://hush:hush@bucket/x", "S3://bucket", "https://bucket", "s3:bucket",
      "s3://bucket/../x", "s3://bucket/x/./y", "s3://bucket//x", "s3://bucket/a\u{1B}[31m",
      "s3://bucket/a\u{202E}b", "s3://bucket/x%2e%2e", "s3://bucket/a#b", "s3://bucket/a\\b",
      "s3://bucket/x?secret=hush", "s3://bucket?region", "s3://bucket?region=",
      "s3://bucket?region=a&region=b", "s3://bucket?region=evil.example.org/",
      "s3://bucket?region=EU", "s3://bucket?profile=a]b", "s3://bucket?profile=%0a",
      "s3://bucket?profile=%+1", "s3://bucket?endpoint=ftp://x", "s3://bucket?endpoint=minio:9000",
      "s3://bucket?endpoint=https://me:hush@x", "s3://bucket?endpoint=https://me@x",
      "s3://bucket?endpoint=https://x/a/../b", "s3://bucket?endpoint=https://x/?hush",
      "s3://bucket/\(String(repeating: "a", count: 600))",
    ])
  func refuses(text: String) throws {
    let error = #expect(throws: S3Address.Malformed.self) { try S3Address(text) }
    #expect(try #require(error).reason.contains("hush") == false)
  }

  @Test(
    "puts the bucket into the host name at Amazon, and into the path elsewhere",
    arguments: [
      ("s3://abc/p q", "eu-west-1", nil, "https://abc.s3.eu-west-1.amazonaws.com", "/p%20q/"),
      ("s3://abc", "cn-north-1", nil, "https://abc.s3.cn-north-1.amazonaws.com.cn", "/"),
      ("s3://a.bc", "us-east-1", nil, "https://s3.us-east-1.amazonaws.com", "/a.bc/"),
      ("s3://abc/p", "x", "http://LOCALHOST:80", "http://localhost", "/abc/p/"),
      ("s3://abc", "x", "https://[::1]:9000/s3/", "https://[::1]:9000", "/s3/abc/"),
    ] as [(String, String, String?, String, String)])
  func places(text: String, region: String, endpoint: String?, base: String, path: String) throws {
    let target = S3Endpoint(
      try S3Address(text), region: region,
      endpoint: try endpoint.map { try S3Address.endpoint($0) })
    let id = pointer(to: [1]).id
    #expect(target.base == base)
    #expect(target.path(of: target.key(of: id)) == path + s3Key(id))
  }
}
