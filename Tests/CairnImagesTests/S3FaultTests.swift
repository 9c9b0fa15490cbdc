import CairnDocument
import CairnHTTP
import CairnStore
import CairnTransport
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import CairnImages

@Suite("S3 requests and faults")
struct S3FaultTests {
  private let here: Scratch
  private let there: Scratch

  init() throws { (here, there) = (Scratch(), Scratch()) }

  private func send(
    _ server: StrictS3, _ images: [Pointer], attempts: Int = 8,
    _ change: (inout S3Images) -> Void = { _ in }
  ) throws -> ImageReport {
    var remote = try server.remote()
    change(&remote)
    return try ImageTransfer(remote, here.store, .quick { $0.retries.attempts = attempts })
      .send(images)
  }

  private func receive(_ server: StrictS3, _ images: [Pointer]) throws -> ImageReport {
    try ImageTransfer(server.remote(), there.store, .quick()).receive(images)
  }

  @Test("sends the hash and the length of each body, and a condition")
  func headers() throws {
    let server = try StrictS3()
    let images = try [0, 1, 300_000].map { try here.add(7, size: $0) }
    #expect(try send(server, images).transferred == 3)
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    let puts = try server.log().filter { $0.method == "PUT" }
    #expect(puts.count == 3)
    for put in puts {
      #expect(put.headers["if-none-match"] == "*")
      #expect(put.headers["content-length"] == "\(put.length)")
      #expect(put.headers["x-amz-content-sha256"].map { put.path.hasSuffix($0) } == true)
      #expect(put.headers["expect"] == nil && put.headers["transfer-encoding"] == nil)
    }
    #expect(try receive(server, images).transferred == 3)
  }

  @Test("learns the region once, from any kind of error response", arguments: [301, 307, 400])
  func region(status: Int) throws {
    let server = try StrictS3(["wrongRegionStatus": status])
    let images = try (0..<10).map { try here.add($0) }
    let remote = try server.remote(region: "eu-west-1", environment: server.key.environment)
    #expect(
      try ImageTransfer(remote, here.store, .quick { $0.connections = 1 }).send(images).transferred
        == 10)
    let log = try server.log()
    #expect(log.filter { $0.headers["authorization"]!.contains("/eu-west-1/s3/") }.count == 1)
    #expect(try ImageTransfer(remote, there.store, .quick()).receive(images).transferred == 10)
  }

  @Test(
    "takes a refused condition for success only if the image is there", arguments: [false, true])
  func refusedCondition(inParts: Bool) throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 9_000)
    // A proxy that refuses conditions.
    let refusal: [String: any Sendable] = [
      "status": 412, "code": "PreconditionFailed", "message": "No.",
    ]
    try server.fail(inParts ? ["POST", "uploadId="] : ["PUT"], refusal)
    let sent = try send(server, [image]) {
      if inParts { ($0.multipartThreshold, $0.partSize) = (4_000, 5_000) }
    }
    #expect(sent.transferred == 1)
    #expect(try server.bytes(of: image.id) == here.bytes(of: image.id))

    // A server that refuses everything.
    let other = try here.add(2)
    try server.fail(["PUT"], refusal, times: 99)
    let report = try send(server, [other], attempts: 2)
    #expect(report.transferred == 0 && report.failure != nil)
    #expect(try server.bytes(of: other.id) == nil)
  }

  @Test("waits for a busy server as long as it asks")
  func slowDown() throws {
    let server = try StrictS3()
    let image = try here.add(1)
    let busy: [String: any Sendable] = [
      "status": 503, "code": "SlowDown", "message": "Please reduce your request rate.",
      "headers": ["Retry-After": "1"],
    ]
    try server.fail(["PUT"], busy)
    let sent = try send(server, [image])
    #expect(sent.transferred == 1)
    #expect(try server.log().map(\.method) == ["HEAD", "GET", "PUT", "HEAD", "PUT"])

    let connection = try server.remote().connect()
    try server.fail(["GET"], busy)
    let partial = try there.store.partial(image)
    let error = try #require(
      #expect(throws: TransferError.self) {
        try connection.receive(ImageObject(image), into: partial, TransferAction())
      })
    #expect(error.isTransient && error.retryAfterMilliseconds == 1000 && error.scope == .image)
    #expect("\(error)".contains("SlowDown: Please reduce your request rate"))
  }

  @Test(
    "retries temporary failures",
    arguments: [
      ["status": 500, "code": "InternalError"], ["status": 500, "code": ""],
      ["status": 400, "code": "RequestTimeout"], ["drop": true], ["flip": true],
      ["status": 409, "code": "ConditionalRequestConflict"], ["status": 503, "code": "Busy"],
    ] as [[String: any Sendable]])
  func transient(fault: [String: any Sendable]) throws {
    let server = try StrictS3()
    let images = try (0..<4).map { try here.add($0, size: 100_000) }
    try server.fail(["PUT"], fault, times: 3)
    let sent = try send(server, images)
    #expect(sent.transferred == 4 && sent.failure == nil)
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    if fault["flip"] != nil { return }
    try server.fail(["GET"], fault, times: 3)
    #expect(try receive(server, images).transferred == 4)
  }

  @Test("requests only the missing bytes after a download was cut off")
  func resumes() throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 500_000)
    #expect(try send(server, [image]).transferred == 1)
    _ = try server.log()
    try server.fail(["GET"], ["cut": 300_000])
    try server.fail(["GET"], ["cut": 100_000])
    #expect(try receive(server, [image]).transferred == 1)
    let ranges = try server.log().filter { $0.method == "GET" }.map { $0.headers["range"] }
    #expect(ranges == [nil, "bytes=300000-", "bytes=400000-"])
    #expect(there.bytes(of: image.id) == here.bytes(of: image.id))
  }

  @Test(
    "rejects a range that it did not request",
    arguments: [["ignoreRange": true], ["shift": 1], ["status": 416, "code": "InvalidRange"]]
      as [[String: any Sendable]])
  func ranges(fault: [String: any Sendable]) throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 50_000)
    #expect(try send(server, [image]).transferred == 1)
    let partial = try there.store.partial(image)
    try sampleBytes(1, size: 20_000).withUnsafeBytes { try partial.append($0) }
    try server.fail(["GET"], fault)
    let connection = try server.remote().connect()
    if fault["shift"] == nil {
      try connection.receive(ImageObject(image), into: partial, TransferAction())
      try partial.finish()
      #expect(there.bytes(of: image.id) == here.bytes(of: image.id))
    } else {
      let error = #expect(throws: TransferError.self) {
        try connection.receive(ImageObject(image), into: partial, TransferAction())
      }
      #expect(try #require(error).isTransient && partial.count == 0)
    }
  }

  @Test("overwrites an image of another size, but not one that was uploaded meanwhile")
  func conditions() throws {
    let server = try StrictS3()
    let image = try here.add(1)
    try server.put(sampleBytes(2, size: 10), as: image.id)
    #expect(try send(server, [image]).transferred == 1)
    #expect(try server.bytes(of: image.id) == here.bytes(of: image.id))
    #expect(try server.log().last?.headers["if-none-match"] == nil)

    // Another client uploads it between the query and the upload.
    let connection = try server.remote().connect()
    try connection.send(ImageObject(image), from: here.store.path(of: image.id), TransferAction()) {
      _ in
    }
    // It is refused, and asked whether the image is there.
    let log = try server.log().suffix(2)
    #expect(log.map(\.method) == ["PUT", "HEAD"])
    #expect(log.first?.headers["if-none-match"] == "*")
  }

  @Test("stops sending conditions when the server does not support them")
  func noConditions() throws {
    let server = try StrictS3(["conditions": false])
    let images = try (0..<3).map { try here.add($0) } + [try here.add(9, size: 300_000)]
    let report = Mutex(0)
    var remote = try server.remote()
    (remote.multipartThreshold, remote.partSize) = (100_000, 100_000)
    let sent = try ImageTransfer(
      remote, here.store,
      .quick {
        $0.connections = 1
        $0.progress = { progress in report.withLock { $0 = progress.bytes } }
      }
    ).send(images)
    #expect(sent.transferred == 4 && sent.failure == nil)
    #expect(report.withLock { $0 } == sent.bytes)
    #expect(try server.log().filter { $0.headers["if-none-match"] != nil }.count == 1)
  }

  @Test("uploads parts of one size and resends those that fail")
  func brokenPart() throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 1_000_000)
    try server.fail(["PUT", "partNumber=3"], ["flip": true])
    try server.fail(["PUT", "partNumber=2"], ["drop": true])
    try server.fail(["POST", "uploadId"], ["late": true])
    let sent = try send(server, [image]) { ($0.multipartThreshold, $0.partSize) = (1000, 300_000) }
    #expect(sent.transferred == 1 && sent.failure == nil)
    #expect(try server.bytes(of: image.id) == here.bytes(of: image.id))
    #expect(try server.uploads() == 0)
    let parts = try server.log().filter { $0.query["partNumber"] == "1" || $0.length == 100_000 }
    // The attempt after the failed completion sends no part again.
    #expect(parts.map(\.length) == [300_000, 100_000])
  }

  @Test("continues an upload that a killed process left unfinished, and removes old ones")
  func continues() throws {
    let server = try StrictS3()
    let images = try [1, 2].map { try here.add($0, size: 1_000_000) }
    let parts = { (remote: inout S3Images) in
      (remote.multipartThreshold, remote.partSize) = (1000, 300_000)
    }
    try server.orphan(images[1].id)
    try server.fail(
      ["PUT", "partNumber=3"], ["status": 500, "code": "InternalError"], times: 3)
    #expect(try send(server, [images[0]], attempts: 1, parts).transferred == 0)
    #expect(try server.uploads() == 1)
    _ = try server.log()
    // Another process, which knows nothing of the first one.
    #expect(try send(server, images, attempts: 1, parts).transferred == 2)
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    let sent = try server.log().filter { $0.method == "PUT" }
    #expect(sent.filter { $0.path.hasSuffix("\(images[0].id)") }.count == 2)
    #expect(try server.uploads() == 0)
  }

  @Test("uploads in parts without listing them where that is denied")
  func listingDenied() throws {
    let server = try StrictS3(["listingDenied": true])
    let image = try here.add(1, size: 500_000)
    let sent = try send(server, [image]) { ($0.multipartThreshold, $0.partSize) = (1000, 300_000) }
    #expect(sent.transferred == 1, "\(sent)")
  }

  @Test("completes an upload on a server that knows no checksums of parts, such as Swift")
  func withoutPartChecksums() throws {
    let server = try StrictS3(["partChecksums": false])
    let images = try [1, 2].map { try here.add($0, size: 500_000) }
    let sent = try send(server, images) {
      ($0.multipartThreshold, $0.partSize) = (1000, 300_000)
    }
    #expect(sent.transferred == 2 && sent.failure == nil, "\(sent)")
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
  }

  @Test("removes the parts of a failed upload and leaves no object")
  func abandonedParts() throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 1_000_000)
    try server.fail(["PUT", "partNumber=2"], ["status": 403, "code": "AccessDenied"])
    let sent = try send(server, [image]) { ($0.multipartThreshold, $0.partSize) = (1000, 300_000) }
    #expect(sent.end?.cause.kind == .forbidden)
    #expect(try server.uploads() == 0 && server.bytes(of: image.id) == nil)

    _ = try server.log()
    // The last byte is wrong, so that the first parts are uploaded before that is noticed.
    let blob = here.store.path(of: image.id).string
    var bytes = sampleBytes(1, size: 1_000_000)
    bytes[999_999] ^= 1
    try FileManager.default.removeItem(atPath: blob)
    try Data(bytes).write(to: URL(filePath: blob))
    #expect(throws: StoreError.self) {
      try send(server, [image]) { ($0.multipartThreshold, $0.partSize) = (1000, 300_000) }
    }
    #expect(try server.uploads() == 0 && server.bytes(of: image.id) == nil)
    #expect(try server.log().contains { $0.query["partNumber"] == "2" })
  }

  @Test("fails when completing an upload fails, but not when the object already exists")
  func ends() throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 500_000)
    try server.fail(["POST", "uploadId"], ["late": true], times: 2)
    let parts = { (remote: inout S3Images) in
      (remote.multipartThreshold, remote.partSize) = (1000, 300_000)
    }
    let failed = try send(server, [image], attempts: 2, parts)
    #expect(
      failed.transferred == 0 && failed.failure?.cause.reason.contains("InternalError") == true)
    #expect(try server.bytes(of: image.id) == nil)

    try server.put(sampleBytes(1, size: 500_000), as: image.id)
    var remote = try server.remote()
    parts(&remote)
    try remote.connect().send(
      ImageObject(image), from: here.store.path(of: image.id), TransferAction()
    ) { _ in }
    #expect(try server.uploads() == 0)
  }

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

  @Test("stops when it is canceled and removes uploaded parts")
  func cancelled() throws {
    let server = try StrictS3()
    let image = try here.add(1, size: 2_000_000)
    let isStopped = Mutex(false)
    var context = s3Context()
    context.isCancelled = { isStopped.withLock { $0 } }
    let environment = server.key.environment
    var remote = S3Images(
      try S3Address(server.address()), context, environment: { environment[$0] })
    (remote.multipartThreshold, remote.partSize) = (1000, 300_000)
    let sent = try ImageTransfer(
      remote, here.store,
      .quick {
        $0.isCancelled = { isStopped.withLock { $0 } }
        $0.progress = { progress in
          if progress.bytes > 500_000 { isStopped.withLock { $0 = true } }
        }
      }
    ).send([image])
    #expect(sent.transferred == 0 && sent.end?.cause.kind == .cancelled)
    #expect(try server.uploads() == 0 && server.bytes(of: image.id) == nil)
  }
}
