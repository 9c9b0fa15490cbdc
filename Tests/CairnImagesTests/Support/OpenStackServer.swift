import CairnDocument
import CairnImages
import CairnProcess
import CairnTransport
import Foundation
import Testing

/// OpenStack Swift with its S3 API, whose bucket all tests share; it ends with them.
final class OpenStackSwift: Sendable {
  /// Debian's own Python, for which its packages are.
  private static let python = "/usr/bin/python3"

  static let isInstalled = succeeds("import swift.common.middleware.s3api")
  /// Whether temporary files can also have the attributes in which it keeps what it knows of an object.
  static let isUsable =
    isInstalled
    && succeeds(
      "import os, tempfile; os.setxattr(tempfile.TemporaryFile().fileno(), 'user.test', b'1')")

  static let missing: Comment =
    "OpenStack Swift is missing (`make setup` installs python3-swift), or TMPDIR has no attributes"

  private static func succeeds(_ program: String) -> Bool {
    (try? ChildProcess(python, ["-c", program]))?.end(timeout: 60_000) == 0
  }

  struct Account: Decodable {
    let port: UInt16
    let bucket: String
    let key: S3Key
  }

  let account: Account
  let program: S3Program

  private init() throws {
    program = try S3Program("openstack_swift.py", python: OpenStackSwift.python)
    account = try JSONDecoder().decode(Account.self, from: Data(program.greeting.utf8))
  }

  private static let only = Result { try OpenStackSwift() }
  static func shared() throws -> OpenStackSwift { try only.get() }
}

/// A prefix in the bucket of OpenStack Swift, for one test.
final class OpenStackServer: ImageServer {
  let swift: OpenStackSwift
  let prefix = "zürich (1)/\(UUID().uuidString.lowercased())"

  init() throws { swift = try OpenStackSwift.shared() }

  func remote() throws -> any ImageRemote { try images() }

  /// - Parameter port: The port of a proxy; nil for the server's own.
  func images(
    port: UInt16? = nil, _ change: (inout TransportContext) -> Void = { _ in }
  ) throws -> S3Images {
    var context = s3Context()
    change(&context)
    let (account, port) = (swift.account, port ?? swift.account.port)
    let address = try S3Address(
      "s3://\(account.bucket)/\(prefix)?endpoint=http://127.0.0.1:\(port)")
    return S3Images(address, context) { account.key.environment[$0] }
  }

  func bytes(of id: PhotoID) throws -> [UInt8]? {
    try swift.program.ask("get", ["key": key(id)], as: String?.self)
      .flatMap { Data(base64Encoded: $0) }.map { Array($0) }
  }

  func put(_ bytes: [UInt8]?, as id: PhotoID) throws {
    let text: any Sendable = bytes.map { Data($0).base64EncodedString() } ?? NSNull()
    try swift.program.ask("put", ["key": key(id), "bytes": text], as: String?.self)
  }

  /// Begins an upload of an image that nobody finishes, ten days ago.
  func orphan(_ id: PhotoID) throws {
    try swift.program.ask("orphan", ["key": key(id)], as: String?.self)
  }

  /// Lets the server store an image, and not list it.
  func unlist(_ id: PhotoID) throws {
    try swift.program.ask("unlist", ["name": "\(id)"], as: String?.self)
  }

  /// Returns the names of what the server keeps of uploads in parts: `UPLOAD` for one that has not ended,
  /// and `UPLOAD/PART`.
  func parts(of id: PhotoID) throws -> [String] {
    let prefix = key(id) + "/"
    return try swift.program.ask("parts", ["prefix": prefix], as: [String].self)
      .map { String($0.dropFirst(prefix.count)) }
  }

  private func key(_ id: PhotoID) -> String { prefix + "/" + s3Key(id) }
}
