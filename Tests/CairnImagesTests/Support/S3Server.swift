import CairnDocument
import CairnGit
import CairnImages
import CairnTransport
import Foundation
import Testing

/// An access key of a test.
struct S3Key: Decodable, Sendable {
  var keyID: String
  var secret: String
  var token: String?

  var environment: [String: String] {
    var variables = ["AWS_ACCESS_KEY_ID": keyID, "AWS_SECRET_ACCESS_KEY": secret]
    variables["AWS_SESSION_TOKEN"] = token
    return variables
  }
}

/// The moto server, whose bucket all tests share; it ends with them.
final class S3Moto: Sendable {
  struct Account: Decodable {
    let port: Int
    let bucket: String
    let region: String
    let admin: S3Key
    /// A user who may only read.
    let reader: S3Key
    /// A user who may only write.
    let writer: S3Key
    /// A user with temporary credentials.
    let guest: S3Key
  }

  let account: Account
  let program: S3Program

  private init() throws {
    program = try S3Program("moto_s3.py")
    account = try JSONDecoder().decode(Account.self, from: Data(program.greeting.utf8))
  }

  private static let only = Result { try S3Moto() }
  static func shared() throws -> S3Moto { try only.get() }
}

/// A prefix in moto's bucket, for one test.
final class S3Server: ImageServer {
  let moto: S3Moto
  /// Contains a space; moto changes other characters in paths, so that their signatures are wrong.
  let prefix = "with space/\(UUID().uuidString.lowercased())"

  init() throws { moto = try S3Moto.shared() }

  var address: String { address(bucket: moto.account.bucket) }

  func address(bucket: String, options: String = "region=eu-west-1") -> String {
    "s3://\(bucket)/\(prefix)?endpoint=http://127.0.0.1:\(moto.account.port)&\(options)"
  }

  func remote() throws -> any ImageRemote { try remote(as: moto.account.admin) }

  func remote(as key: S3Key, at other: String? = nil) throws -> S3Images {
    try s3Images(other ?? address, key.environment)
  }

  func bytes(of id: PhotoID) throws -> [UInt8]? {
    try moto.program.ask("get", ["key": key(id)], as: String?.self)
      .flatMap { Data(base64Encoded: $0) }.map { Array($0) }
  }

  func put(_ bytes: [UInt8]?, as id: PhotoID) throws {
    let text: any Sendable = bytes.map { Data($0).base64EncodedString() } ?? NSNull()
    try moto.program.ask("put", ["key": key(id), "bytes": text], as: String?.self)
  }

  private func key(_ id: PhotoID) -> String { prefix + "/" + s3Key(id) }
}

/// A bucket that checks every hash and signature, and fails on demand.
final class StrictS3 {
  static let bucket = "strict.bucket"
  /// Contains characters that addresses, paths and signatures encode differently.
  static let prefix = "zürich (1)+a&b=c*~'$/d"
  static let region = "nowhere-7"

  let key: S3Key
  let port: Int
  private let program: S3Program

  init(
    key: S3Key? = nil, _ expected: [String: any Sendable] = [:]
  ) throws {
    let secret = UUID().uuidString
    self.key = key ?? S3Key(keyID: "AK\(secret.prefix(8))", secret: secret)
    var expected = expected
    expected["bucket"] = StrictS3.bucket
    expected["region"] = StrictS3.region
    expected["keyID"] = self.key.keyID
    expected["secret"] = self.key.secret
    expected["token"] = self.key.token
    let text = try JSONSerialization.data(withJSONObject: expected)
    program = try S3Program("strict_s3.py", [String(decoding: text, as: UTF8.self)])
    port = try #require(Int(program.greeting))
  }

  func address(region: String = region) -> String {
    "s3://\(StrictS3.bucket)/\(StrictS3.prefix)?endpoint=http://127.0.0.1:\(port)&region=\(region)"
  }

  func remote(
    region: String = region, environment: [String: String]? = nil,
    now: @escaping @Sendable () -> Int64 = s3Now
  ) throws -> S3Images {
    try s3Images(address(region: region), environment ?? key.environment, now: now)
  }

  func bytes(of id: PhotoID) throws -> [UInt8]? {
    try program.ask("get", ["key": "\(StrictS3.prefix)/" + s3Key(id)], as: String?.self)
      .flatMap { Data(base64Encoded: $0) }.map { Array($0) }
  }

  func put(_ bytes: [UInt8], as id: PhotoID) throws {
    let text = Data(bytes).base64EncodedString()
    try program.ask(
      "put", ["key": "\(StrictS3.prefix)/" + s3Key(id), "bytes": text], as: String?.self)
  }

  /// Begins an upload of an image that nobody finishes, years ago.
  func orphan(_ id: PhotoID) throws {
    try program.ask("orphan", ["key": "\(StrictS3.prefix)/" + s3Key(id)], as: String?.self)
  }

  /// Deletes an image as other programs do: its versions stay.
  func hide(_ id: PhotoID) throws {
    try program.ask("hide", ["key": "\(StrictS3.prefix)/" + s3Key(id)], as: String?.self)
  }

  /// Returns the number of versions of all objects and of deletions, in a bucket with versions.
  func versions() throws -> Int { try program.ask("versions", as: Int.self) }

  /// Makes the next requests fail whose method, path and query contain all of `match`.
  func fail(_ match: [String], _ fault: [String: any Sendable], times: Int = 1) throws {
    var fault = fault
    fault["match"] = match
    fault["times"] = times
    try program.ask("fail", ["fault": fault], as: String?.self)
  }

  struct Request: Decodable {
    let method: String
    let path: String
    let query: [String: String]
    let length: Int
    let headers: [String: String]
  }

  /// Returns the requests since the last call.
  func log() throws -> [Request] { try program.ask("log", as: [Request].self) }

  /// Returns the number of uploads that have been neither completed nor aborted.
  func uploads() throws -> Int { try program.ask("uploads", as: Int.self) }
}

func s3Images(
  _ address: String, _ environment: [String: String],
  now: @escaping @Sendable () -> Int64 = s3Now
) throws -> S3Images {
  S3Images(try S3Address(address), s3Context(), now: now, environment: { environment[$0] })
}

/// Returns a context without a proxy, since all servers run on this machine.
func s3Context() -> TransportContext {
  var settings = GitSettings()
  settings.entries.append(("http.proxy", ""))
  return TransportContext(settings, git: nil)
}

func s3Key(_ id: PhotoID) -> String {
  let text = "\(id)"
  return "objects/\(text.prefix(2))/\(text.dropFirst(2).prefix(2))/\(text)"
}

@Sendable func s3Now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
