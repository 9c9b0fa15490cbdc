import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import Testing

@testable import CairnImages

// Keys, what they may do, and what the server's errors mean.

extension S3FaultTests {
  @Test("downloads from a public bucket without a key and reports that it cannot upload")
  func anonymous() throws {
    let server = try StrictS3(["public": true])
    let images = try (0..<3).map { try here.add($0) }
    #expect(try send(server, images).transferred == 3)
    let remote = try server.remote(environment: [:])
    #expect(try ImageTransfer(remote, there.store, .quick()).receive(images).transferred == 3)
    let sent = try ImageTransfer(remote, here.store, .quick()).send([try here.add(77)])
    #expect(sent.end?.cause.kind == .authentication)
    #expect("\(try #require(sent.end))".contains("AWS_ACCESS_KEY_ID"))

    let many = (0..<200).map { pointer(to: [$0]) }
    let closed = try StrictS3()
    let received = try ImageTransfer(
      closed.remote(environment: [:]), Scratch().store, .quick { $0.connections = 2 }
    ).receive(many)
    #expect(received.end?.cause.kind == .authentication)
    // The transfer ends before it has requested all images.
    #expect(try closed.log().count < 100)
  }

  @Test("downloads the other images when a missing one is denied")
  func listless() throws {
    let server = try StrictS3(["public": true, "listingDenied": true])
    let images = try (0..<3).map { try here.add($0) }
    #expect(try send(server, images).transferred == 3)
    for environment in [[:], server.key.environment] {
      let received = try ImageTransfer(
        server.remote(environment: environment), Scratch().store, .quick { $0.connections = 1 }
      ).receive([pointer(to: [1])] + images)
      #expect(received.transferred == 3 && received.failed.count == 1 && received.end == nil)
    }
  }

  @Test("finds missing images for an upload with keys that may not list")
  func checkForUpload() throws {
    let server = try StrictS3(["listingDenied": true])
    let images = try (0..<3).map { try here.add($0) }
    #expect(try send(server, Array(images[..<1])).transferred == 1)
    let transfer = ImageTransfer(try server.remote(), here.store, .quick())
    let found = try transfer.check(images, for: .upload)
    #expect(found.known == [images[0]] && found.missing.count == 2 && found.failure == nil)
    #expect(try transfer.check(images).failure != nil)
  }

  @Test("renews expired credentials")
  func expired() throws {
    let counter = here.path.appending("count").string
    let secret = "hush" + UUID().uuidString
    let server = try StrictS3(
      key: S3Key(keyID: "KEY", secret: secret, token: "new"), ["expired": ["old"]])
    let script = here.path.appending("keys").string
    try Data(
      """
      if [ -e '\(counter)' ]; then token=new; else token=old; fi
      echo x >> '\(counter)'
      echo '{"Version":1,"AccessKeyId":"KEY","SecretAccessKey":"\(secret)","SessionToken":"'$token'"}'
      """.utf8
    ).write(to: URL(filePath: script))
    let config = here.path.appending("config").string
    try Data("[default]\ncredential_process = sh \(script)\n".utf8)
      .write(to: URL(filePath: config))
    let remote = try server.remote(environment: ["AWS_CONFIG_FILE": config])
    let images = try (0..<20).map { try here.add($0) }
    #expect(try ImageTransfer(remote, here.store, .quick()).send(images).transferred == 20)
    #expect(try String(contentsOfFile: counter, encoding: .utf8) == "x\nx\n")

    try FileManager.default.removeItem(atPath: counter)
    let again = try server.remote(environment: ["AWS_CONFIG_FILE": config])
    #expect(try ImageTransfer(again, there.store, .quick()).receive(images).transferred == 20)
    #expect(try String(contentsOfFile: counter, encoding: .utf8) == "x\nx\n")
  }

  @Test(
    "maps each error code to its kind and scope",
    arguments: [
      (400, "ExpiredToken", TransportError.Kind.authentication, TransferError.Scope.remote),
      (403, "RequestTimeTooSkewed", .authentication, .remote),
      (403, "InvalidAccessKeyId", .authentication, .remote),
      (403, "InvalidObjectState", .forbidden, .image),
      (403, "AccessDenied", .forbidden, .remote),
      (404, "NoSuchBucket", .noRepository, .remote),
      (507, "XMinioStorageFull", .noSpace, .remote),
      (400, "EntityTooLarge", .protocolViolation, .image),
      (301, "PermanentRedirect", .unsupportedAddress, .remote),
      (302, "", .protocolViolation, .image),
    ])
  func meanings(
    status: Int, code: String, kind: TransportError.Kind, scope: TransferError.Scope
  ) throws {
    let server = try StrictS3()
    let image = try here.add(1)
    try server.fail(
      ["PUT"],
      [
        "status": status, "code": code,
        "message": "it\u{1B}[31m &lt;is&gt; so.",
        "headers": ["Location": "http://127.0.0.1:1/"],
      ])
    let error = try #require(
      #expect(throws: TransferError.self) {
        try server.remote().connect().send(
          ImageObject(image), from: here.store.path(of: image.id), TransferAction()
        ) { _ in }
      })
    #expect(error.cause.kind == kind && error.scope == scope && !error.isTransient)
    if !code.isEmpty { #expect(error.cause.reason.contains("(\(code): it <is> so)")) }
    #expect(!"\(error)".contains("\u{1B}"))
  }

  @Test("shows no secret in messages and descriptions")
  func secrets() throws {
    let key = S3Key(
      keyID: "AKIA" + UUID().uuidString, secret: UUID().uuidString, token: UUID().uuidString)
    let server = try StrictS3(key: key)
    var wrong = key
    wrong.token = UUID().uuidString
    let image = try here.add(1)
    var shown: [String] = []
    for (key, code) in [(key, "Odd"), (wrong, "Odd"), (key, "SignatureDoesNotMatch")] {
      let remote = try server.remote(environment: key.environment)
      for text in [key.keyID, key.secret, key.token!] {
        try server.fail(
          ["HEAD"], ["status": 403, "code": "", "message": ""])
        try server.fail(["GET"], ["status": 403, "code": code, "message": "sent: \(text)"])
        let report = try ImageTransfer(remote, here.store, .quick()).send([image])
        shown += ["\(report)", "\(String(describing: report.failure))"]
      }
      for thing in [remote, try remote.connect()] as [Any] {
        shown += ["\(thing)", String(reflecting: thing)]
        var text = ""
        dump(thing, to: &text)
        shown.append(text)
      }
      let credentials = S3Credentials(keyID: key.keyID, secret: key.secret, token: key.token)
      var text = ""
      dump(credentials, to: &text)
      shown += [text, String(reflecting: credentials), "\(String(describing: credentials))"]
    }
    #expect(shown.contains { $0.contains("SignatureDoesNotMatch") })
    for secret in [key.keyID, key.secret, key.token!, wrong.token!] {
      #expect(!shown.contains { $0.contains(secret) })
    }
  }
}
