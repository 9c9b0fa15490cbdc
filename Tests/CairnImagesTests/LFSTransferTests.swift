import CairnDocument
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

/// What all image stores have in common is in `ImageRemoteTests`.
@Suite("git-lfs-transfer")
struct LFSTransferTests {
  @Test(
    "is not used if the machine lacks it, or has another version", arguments: ["text", "version"])
  func absent(fault: String) throws {
    let server = try LFSTransferServer(fault: fault)
    #expect(try server.transfer() == nil)
    let error = #expect(throws: TransportError.self) { try server.transfer(isRequired: true) }
    #expect(error?.kind == .noImageStore, "\(String(describing: error))")
    try server.box.remove("programs/git-lfs-transfer")
    #expect(try server.transfer() == nil)
    let missing = #expect(throws: TransportError.self) { try server.transfer(isRequired: true) }
    #expect(missing?.kind == .noImageStore, "\(String(describing: missing))")
  }

  @Test(
    "stops with an error when it violates the protocol, or sends other bytes",
    arguments: [
      ("omits", .protocolViolation), ("line", .protocolViolation), ("hash", .protocolViolation),
      ("endless", .protocolViolation), ("empty", .protocolViolation), ("other", .damaged),
      ("long", .damaged), ("cut", .connectionLost),
    ] as [(String, TransportError.Kind)])
  func hostile(fault: String, kind: TransportError.Kind) throws {
    let (server, there) = (try LFSTransferServer(fault: fault), Scratch())
    let bytes = sampleBytes(1, size: 100_000)
    let image = pointer(to: bytes)
    try server.put(bytes, as: image.id)
    let received = try ImageTransfer(server.remote(), there.store, .quick(attempts: 2))
      .receive([image])
    #expect(received.failure?.cause.kind == kind, "\(received)")
    #expect(received.transferred == 0 && there.bytes(of: image.id) == nil)
  }

  @Test("repeats what a busy server refused, and what it refused for an expired token")
  func recovers() throws {
    for fault in ["busy", "expired"] {
      let (server, here) = (try LFSTransferServer(fault: fault), Scratch())
      let images = try (0..<3).map { try here.add($0) }
      let sent = try ImageTransfer(server.remote(), here.store, .quick()).send(images)
      #expect(sent.transferred == 3 && sent.failure == nil, "\(fault): \(sent)")
      for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }
    }
  }

  @Test(
    "reports why it refuses an upload, and counts none that it does not confirm",
    arguments: [("denied", .forbidden), ("full", .noSpace), ("unverified", .noRepository)]
      as [(String, TransportError.Kind)])
  func refused(fault: String, kind: TransportError.Kind) throws {
    let (server, here) = (try LFSTransferServer(fault: fault), Scratch())
    let sent = try ImageTransfer(server.remote(), here.store, .quick(attempts: 3))
      .send([here.add(1)])
    #expect(sent.transferred == 0 && sent.failure?.cause.kind == kind, "\(sent)")
    let words = ["denied": "not now", "full": "no space is left", "unverified": "it is not there"]
    #expect(sent.failure?.cause.reason.contains(words[fault] ?? "?") == true, "\(sent)")
  }

  @Test(
    "leaves whole images or none when the connection is cut, and completes next time",
    arguments: [0, 3, 30, 400, 1500, 40_000, 150_000, 400_000])
  func cut(bytes: Int) throws {
    for cut in [
      "exec < <(stdbuf -o0 head -c \(bytes))", "exec > >(stdbuf -o0 head -c \(bytes))",
    ] {
      let (server, here, there) = (try LFSTransferServer(cut: cut), Scratch(), Scratch())
      let images = try (0..<3).map { try here.add($0, size: 150_000) }
      // It may be cut before there is a session.
      if let remote = try? server.transfer() {
        let sent = try ImageTransfer(remote, here.store, .quick(attempts: 2)).send(images)
        #expect(sent.transferred == 3 || sent.failure != nil, "\(sent)")
      }
      #expect(try wrongObjects(in: server.store) == [])
      if let remote = try? server.transfer(.download) {
        let received = try ImageTransfer(remote, there.store, .quick(attempts: 2)).receive(images)
        #expect(received.transferred == 3 || received.failure != nil || !received.missing.isEmpty)
      }
      #expect(try wrongObjects(in: there.store) == [])

      try server.stopCutting()
      let sent = try ImageTransfer(server.remote(), here.store, .quick()).send(images)
      #expect(sent.failure == nil && sent.transferred + sent.known.count == 3, "\(sent)")
      let received = try ImageTransfer(server.remote(), there.store, .quick()).receive(images)
      #expect(received.failure == nil && received.missing.isEmpty, "\(received)")
      for image in images { #expect(there.bytes(of: image.id) == here.bytes(of: image.id)) }
    }
  }

  @Test("confirms each upload, and asks for all images at once")
  func requests() throws {
    let (server, here) = (try LFSTransferServer(), Scratch())
    let images = try (0..<20).map { try here.add($0) }
    let sent = try ImageTransfer(server.remote(), here.store, .quick()).send(images)
    #expect(sent.transferred == 20 && sent.failure == nil, "\(sent)")
    let log = try server.box.text(LFSTransfer.log).split(separator: "\n")
    #expect(log.count { $0 == "batch" } == 1)
    #expect(LFSTransfer.count("put-object", in: server.box) == 20)
    #expect(LFSTransfer.count("verify-object", in: server.box) == 20)
  }

  @Test("keeps an image that a damaged copy has under its name, and says so")
  func truncated() throws {
    let (server, here) = (try LFSTransferServer(), Scratch())
    let image = try here.add(1)
    try server.put([1, 2, 3], as: image.id)
    let sent = try ImageTransfer(server.remote(), here.store, .quick(attempts: 2)).send([image])
    #expect(sent.failure?.cause.reason.contains("administrator") == true, "\(sent)")
    #expect(try server.bytes(of: image.id) == [1, 2, 3])
  }

  /// A restricted machine answers as git's own shell does.
  @Test("is used where there is no git-lfs-authenticate and no file to reach over sftp, or if set")
  func chosen() throws {
    func images(
      _ server: LFSTransferServer, _ name: String? = nil, _ setting: String? = nil
    ) throws -> any ImageRemote {
      let address = try server.address(name)
      let web = try #require(WebAddress("https://h/walk.git/info/lfs"))
      return try LFSEndpoint(web: web, ssh: address, isGuess: true).images(
        over: address, .upload, branch: "refs/heads/main", server.context(setting),
        environment: .machine)
    }
    let restricted = try LFSTransferServer(
      refusal: #"echo "fatal: unrecognized command '$command'" >&2; exit 128"#)
    let open = try LFSTransferServer()
    #expect(try images(restricted) is LFSTransferImages)
    #expect(try images(restricted, nil, "never") is SFTPImages)
    #expect(try images(open) is SFTPImages)
    #expect(try images(open, nil, "always") is LFSTransferImages)
    // It needs no name that ends in “.git”.
    try FileManager.default.createDirectory(
      atPath: open.box.path("walk").string, withIntermediateDirectories: true)
    #expect(try images(open, "walk") is LFSTransferImages)
    let none = #expect(throws: TransportError.self) { try images(open, "walk", "never") }
    #expect(none?.kind == .noImageStore, "\(String(describing: none))")

    try open.box.write(
      "#!/bin/sh\necho '{\"href\": \"https://h/lfs\"}'\n", to: "programs/git-lfs-authenticate",
      isProgram: true)
    #expect(try images(open) is LFSImages)
    #expect(try images(open, nil, "always") is LFSTransferImages)
    try open.box.remove("programs/git-lfs-transfer")
    let absent = #expect(throws: TransportError.self) { try images(open, nil, "always") }
    #expect(absent?.kind == .noImageStore, "\(String(describing: absent))")
  }
}
