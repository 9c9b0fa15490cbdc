import CairnDocument
import CairnGit
import CairnHTTP
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnImages

@Suite("Git LFS servers")
struct LFSTests {
  private var options: ImageTransfer.Options {
    var options = ImageTransfer.Options()
    options.retries.firstDelayMilliseconds = 1
    options.retries.longestDelayMilliseconds = 20
    return options
  }

  @Test(
    "transfers every image with an unreliable server and uploads each only once",
    arguments: [
      "{}", #"{"batch": 7}"#, #"{"busy": 2}"#, #"{"broken": 4}"#, #"{"cut": 4}"#,
      #"{"redirect": 9}"#,
      #"{"expired": 1000}"#, #"{"batch": 3, "busy": 1, "broken": 2, "cut": 2}"#,
    ])
  func difficult(_ plan: String) throws {
    let (served, here, there) = (Scratch(), Scratch(), Scratch())
    let server = try StrictLFSServer(served.path, plan)
    let images = try (0..<30).map { try here.add($0, size: 20_000) }
    let sent = try ImageTransfer(server.remote(), here.store, options).send(images)
    #expect(sent.transferred == 30 && sent.failure == nil, "\(String(describing: sent.failure))")
    #expect(Set(server.log("put")).count == 30 && server.log("put").count == 30)
    #expect(server.log("verify").count == 30)
    let again = try ImageTransfer(server.remote(), here.store, options).send(images)
    #expect(again.known.count == 30 && server.log("put").count == 30)

    let received = try ImageTransfer(server.remote(), there.store, options).receive(images)
    #expect(received.transferred == 30 && received.failure == nil)
    for image in images { #expect(there.bytes(of: image.id).map(pointer(to:)) == image) }
  }

  @Test(
    "sends an image in parts where the server asks for that",
    arguments: [#"{"parts": 6000}"#, #"{"parts": 6000, "broken": 4, "cut": 4}"#])
  func parts(_ plan: String) throws {
    let (served, here, there) = (Scratch(), Scratch(), Scratch())
    let server = try StrictLFSServer(served.path, plan)
    let images = try [20_000, 18_000, 6_000, 1].map { try here.add(1, size: $0) }
    let sent = try ImageTransfer(server.remote(), here.store, options).send(images)
    #expect(sent.transferred == 4 && sent.failure == nil, "\(String(describing: sent.failure))")
    #expect(server.log("complete").count == 2 && server.log("put").count == 2)
    #expect(server.log("verify").count == 4)
    #expect(Set(server.log("part").map { $0.split(separator: " ").last }) == ["6000", "2000"])
    let received = try ImageTransfer(server.remote(), there.store, options).receive(images)
    #expect(received.transferred == 4)
    for image in images { #expect(there.bytes(of: image.id).map(pointer(to:)) == image) }
  }

  @Test("completes no upload in parts of an image that is damaged here")
  func damagedParts() throws {
    let (served, here) = (Scratch(), Scratch())
    let server = try StrictLFSServer(served.path, #"{"parts": 6000}"#)
    let image = try here.add(1, size: 20_000)
    let path = here.store.path(of: image.id).string
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    try Data(sampleBytes(2, size: 20_000)).write(to: URL(filePath: path))
    #expect(throws: StoreError.self) {
      try ImageTransfer(server.remote(), here.store, options).send([image])
    }
    #expect(server.log("complete").isEmpty && server.log("part").count < 4)
  }

  @Test(
    "rejects an upload in parts that the server does not specify",
    arguments: [
      (#"{"chunk_size": "9", "1": "https://h/1"}"#, TransportError.Kind.protocolViolation),
      (#"{"chunk_size": "0", "1": "https://h/1"}"#, .protocolViolation),
      (#"{"chunk_size": "x", "1": "https://h/1", "2": "https://h/2"}"#, .protocolViolation),
      (#"{"chunk_size": "9", "1": "https://h/1", "2": "ftp://h/2"}"#, .protocolViolation),
      (#"{"chunk_size": "9", "1": "https://h/1", "2": "http://h/2"}"#, .untrusted),
    ])
  func unspecifiedParts(_ header: String, _ kind: TransportError.Kind) throws {
    let image = pointer(to: [UInt8](repeating: 1, count: 10))
    let action = #"{"upload": {"href": "https://h/c", "header": \#(header)}}"#
    let text =
      #"{"transfer": "multipart", "objects": [{"oid": "\#(image.id)", "actions": \#(action)}]}"#
    let statuses = try LFSBatch.statuses(
      Array(text.utf8), .upload, about: [ImageObject(image)], from: WebAddress("https://h/x")!,
      now: 0)
    guard case .rejected(let error) = statuses.first else {
      Issue.record("the image was not refused")
      return
    }
    #expect(error.cause.kind == kind)
  }

  @Test("resumes a cut download, or starts again if the server ignores ranges")
  func resumes() throws {
    for hasRanges in [true, false] {
      let (served, here, there) = (Scratch(), Scratch(), Scratch())
      let server = try StrictLFSServer(served.path, #"{"cut": 2, "ranges": \#(hasRanges)}"#)
      let image = try here.add(1, size: 4_000_000)
      try server.put(here.bytes(of: image.id)!, as: image.id.description)
      let received = try ImageTransfer(server.remote(), there.store, options).receive([image])
      #expect(received.transferred == 1)
      #expect(there.bytes(of: image.id).map(pointer(to:)) == image)
      let asked = server.log("get").map { $0.split(separator: " ").dropFirst(2).joined() }
      #expect(asked.count == 3 && asked[0] == "")
      if hasRanges {
        let starts = asked.dropFirst().map { Int($0.dropFirst(6).prefix { $0 != "-" }) ?? 0 }
        #expect(starts[0] > 0 && starts[1] > starts[0], "\(asked)")
      } else {
        #expect(asked.allSatisfy { $0 == "" })
      }
    }
  }

  @Test("gets a token over ssh, and a new one when the server rejects it")
  func tokens() throws {
    let (served, here) = (Scratch(), Scratch())
    let server = try StrictLFSServer(served.path, #"{"token": "RemoteAuth 3"}"#)
    // Each call returns another token; only the third is accepted.
    let program = here.path.appending("ssh").string
    let script = """
      #!/bin/sh
      echo "$@" >> \(here.path)/calls
      n=$(wc -l < \(here.path)/calls)
      echo "{\\"header\\": {\\"Authorization\\": \\"RemoteAuth $((n))\\"}}"
      """
    try Data(script.utf8).write(to: URL(filePath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    guard case .ssh(let ssh) = try RemoteAddress("git@example.org:team/it's.git") else { return }
    let images = try (0..<3).map { try here.add($0) }
    let remote = try server.remote(ssh: ssh) {
      $0.settings.entries.append(("core.sshcommand", program))
      $0.ssh = SSHCommand($0.settings)
    }
    let sent = try ImageTransfer(remote, here.store, options).send(images)
    #expect(sent.transferred == 3, "\(String(describing: sent.failure))")
    let calls = try String(contentsOfFile: here.path.appending("calls").string, encoding: .utf8)
    #expect(
      calls.split(separator: "\n").allSatisfy {
        $0 == #"git@example.org git-lfs-authenticate 'team/it'\''s.git' upload"#
      })
  }

  @Test("reports a rejected token and sends nothing more")
  func refused() throws {
    let (served, here) = (Scratch(), Scratch())
    let server = try StrictLFSServer(served.path, #"{"token": "Basic nobody knows"}"#)
    let images = try (0..<3).map { try here.add($0) }
    let report = try ImageTransfer(server.remote(), here.store, options).send(images)
    #expect(report.end?.cause.kind == .authentication)
    #expect(server.log("put").isEmpty)
  }

  @Test(
    "sends a password to a server that names an unknown kind of login, as git-lfs does",
    arguments: ["Bearer realm=x", "Digest realm=x, Token", "Digest realm=x", "Negotiate, NTLM"])
  func challenges(_ challenge: String) throws {
    let (served, here) = (Scratch(), Scratch())
    let login = Data("ann:secret".utf8).base64EncodedString()
    let server = try StrictLFSServer(
      served.path, #"{"token": "Basic \#(login)", "challenge": "\#(challenge)"}"#)
    let endpoint = LFSEndpoint(
      web: try #require(WebAddress("http://ann:secret@127.0.0.1:\(server.port)")))
    let remote = LFSImages(
      endpoint, TransportContext(GitSettings(), git: nil), environment: .machine)
    let report = try ImageTransfer(remote, here.store, options).send([here.add(1)])
    // These are made so that the password is not sent.
    let isRefused = ["Digest realm=x", "Negotiate, NTLM"].contains(challenge)
    #expect(report.transferred == (isRefused ? 0 : 1), "\(report)")
    #expect((report.end?.cause.kind == .authentication) == isRefused, "\(report)")
    #expect(server.log("login").allSatisfy { $0 == "login none" })
  }

  @Test(
    "derives the same endpoint as git-lfs",
    arguments: [
      "https://h/foo/bar", "https://h/foo/bar/", "https://h/foo/bar.git", "http://h:8080/bar",
      "git@h:foo/bar.git", "git@h:foo/bar", "ssh://git@h:2222/foo/bar.git", "h:foo/bar",
    ])
  func endpoint(_ address: String) throws {
    let endpoint = try #require(LFSEndpoint(ofRemote: RemoteAddress(address)))
    let scratch = Scratch()
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.currentDirectoryURL = URL(filePath: scratch.path.string)
    process.arguments = [
      "-c", "git init -q . && git remote add origin \"$0\" && git lfs env", address,
    ]
    process.environment = [
      "HOME": scratch.path.string, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "",
      "GIT_CONFIG_NOSYSTEM": "1",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let line = text.split(separator: "\n").first { $0.hasPrefix("Endpoint=") } ?? ""
    #expect(line.hasPrefix("Endpoint=\(endpoint.web.text) "), "\(line)")
  }

  @Test(
    "rejects a malformed response",
    arguments: [
      "", "[]", "{}", #"{"objects": 3}"#, #"{"objects": [], "hash_algo": "md5"}"#,
      #"{"objects": [], "transfer": "tus"}"#,
    ])
  func malformed(_ text: String) throws {
    let image = pointer(to: [1])
    let bytes = Array(text.replacingOccurrences(of: "ID", with: "\(image.id)").utf8)
    #expect(throws: LFSActions.Malformed.self) {
      try LFSBatch.statuses(
        bytes, .download, about: [ImageObject(image)], from: WebAddress("https://h/x")!, now: 0)
    }
  }

  @Test(
    "reports an error about one object as an error of that image",
    arguments: [
      (#"{"objects": []}"#, TransportError.Kind.protocolViolation),
      (#"{"objects": [{"oid": "ID"}]}"#, .protocolViolation),
      (
        #"{"objects": [{"oid": "ID", "actions": {"download": {"href": "file:///etc/x"}}}]}"#,
        .protocolViolation
      ),
      (
        #"{"objects": [{"oid": "ID", "actions": {"download": {"href": "ftp://x"}}}]}"#,
        .protocolViolation
      ),
      (#"{"objects": [{"oid": "ID", "actions": {"download": {}}}]}"#, .protocolViolation),
      (#"{"objects": [{"oid": "ID", "error": {"code": 422, "message": "no"}}]}"#, .forbidden),
      (#"{"objects": [{"oid": "ID", "error": {"code": 507, "message": "no"}}]}"#, .noSpace),
      (
        #"{"objects": [{"oid": "ID", "actions": {"download": {"href": "http://h/x"}}}]}"#,
        .untrusted
      ),
    ])
  func refusals(_ text: String, _ kind: TransportError.Kind) throws {
    let image = pointer(to: [1])
    let bytes = Array(text.replacingOccurrences(of: "ID", with: "\(image.id)").utf8)
    let answers = try LFSBatch.statuses(
      bytes, .download, about: [ImageObject(image)], from: WebAddress("https://h/x")!, now: 0)
    guard case .rejected(let error) = answers.first else {
      Issue.record("the image was not refused")
      return
    }
    #expect(error.cause.kind == kind)
  }

  @Test(
    "shows what a server says about a batch, unless that repeats a password",
    arguments: ["forbidden", "rejection"],
    [("Ask the owner of this store.", true), ("Nobody has the password fir-cone.", false)])
  func batchSentence(answer: String, _ said: (text: String, isShown: Bool)) throws {
    let (served, here) = (Scratch(), Scratch())
    let login = Data("ann:fir-cone".utf8).base64EncodedString()
    let server = try StrictLFSServer(
      served.path, #"{"\#(answer)": "\#(said.text)", "token": "Basic \#(login)"}"#)
    let address = "http://ann:fir-cone@127.0.0.1:\(server.port)"
    let remote = LFSImages(
      LFSEndpoint(web: try #require(WebAddress(address))),
      TransportContext(GitSettings(), git: nil), environment: .machine)
    let sent = try ImageTransfer(remote, here.store, options).send([here.add(1)])
    let cause = try #require(sent.failure ?? sent.end).cause
    #expect(sent.transferred == 0 && cause.kind == .forbidden, "\(cause)")
    #expect(cause.reason.hasSuffix(": \(said.text.dropLast())") == said.isShown, "\(cause)")
    #expect(!cause.reason.contains("fir-cone"), "\(cause)")
  }
}
