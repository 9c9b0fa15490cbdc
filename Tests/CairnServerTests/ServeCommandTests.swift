import CairnDocument
import CairnServer
import CairnTerminal
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("cairn serve", .serialized, .timeLimit(.minutes(10)))
struct ServeCommandTests {
  private func run(_ scene: ServerScene, _ arguments: String...) async throws -> ProgramOutput {
    let program = try #require(Programs.cairn)
    return try await onThread {
      try Command(program.path, ["serve"] + arguments, in: scene.dataset.string).run()
    }
  }

  @Test("ends with Ctrl-C, with an open stream, and labels stay")
  func interrupt() async throws {
    let scene = try await ServerScene.start()
    await scene.stop()
    let process = try await ServeProcess(scene.dataset)
    let stream = try await process.client.openEvents()
    #expect(try await process.client.label([scene.photos[0]], "oak").status == 200)
    #expect(try await process.interrupt() == 0)
    while try await !stream.receive().isEmpty {}
    #expect(try await scene.states(0) == ["oak confirmed"])
  }

  @Test("prints links for invited people, and the fingerprint of the certificate")
  func invites() async throws {
    let scene = try await ServerScene.start()
    let process = try await ServeProcess(
      scene.dataset, "--lan", "--invite", "Bob <bob@example.org>")
    let invited = process.output["invited"]?.array?.first
    #expect(invited?["email"]?.string == "bob@example.org")
    #expect(invited?["link"]?.string?.hasPrefix("https://") == true)
    #expect(process.output["fingerprint"]?.string?.count == 95)
  }

  @Test("shows each invited person's link as a QR code in a terminal, until Ctrl-C is pressed")
  func showsCodes() async throws {
    let scene = try await ServerScene.start()
    let fingerprint = try #require(
      try await ServeProcess(scene.dataset, "--lan").output["fingerprint"]?.string)
    let program = try #require(Programs.cairn).path
    let script = #"""
      import os, pty, sys
      server, terminal = pty.fork()
      if server == 0:
          os.environ["TERM"] = "xterm"
          os.environ.pop("NO_COLOR", None)
          os.execv(sys.argv[1], sys.argv[1:])
      written, isPressed = b"", False
      while True:
          try:
              piece = os.read(terminal, 65536)
          except OSError:
              break
          if not piece:
              break
          written += piece
          if not isPressed and b"Ctrl-C ends the server." in written:
              isPressed = True
              os.write(terminal, b"\x03")
      sys.stdout.buffer.write(written)
      sys.stdout.buffer.flush()
      sys.exit(os.waitstatus_to_exitcode(os.waitpid(server, 0)[1]))
      """#
    let arguments = ["-c", script, program, "serve", "--no-open", "--port", "0", "--lan"]
    let people = ["--invite", "Bob <bob@example.org>", "--invite", "Eve <eve@example.org>"]
    let output = try await onThread {
      try Command("python3", arguments + people, in: scene.dataset.string).run()
    }
    #expect(output.status == 0, "\(output.all)")
    let lines = output.stdout.split(separator: "\r\n").map(String.init)
    for name in ["Bob", "Eve"] {
      let invitation = try #require(
        lines.firstIndex { $0.hasPrefix("\(name): https://") }, "\(output.all)")
      let link = String(lines[invitation].dropFirst("\(name): ".count))
      let code = try #require(QRCode(link)).lines.map { "\u{1B}[97;40m\($0)\u{1B}[0m" }
      #expect(Array(lines.dropFirst(invitation + 1).prefix(code.count)) == code, "\(output.all)")
    }
    #expect(lines.contains("SHA-256 of the certificate: \(fingerprint)"), "\(output.all)")
  }

  @Test("opens the page in the browser, except with --no-open", arguments: [true, false])
  func opensBrowser(opens: Bool) async throws {
    let scene = try await ServerScene.start()
    let directory = TemporaryDirectory()
    let opened = directory.path("opened").string
    #if os(macOS)
      let name = "open"
    #else
      let name = "xdg-open"
    #endif
    // The browser, or the test in its place, ends the server as Ctrl-C does.
    let browser = "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$1\" > '\(opened)'\nkill -INT $PPID\n"
    try Data(browser.utf8).write(to: URL(filePath: directory.path(name).string))
    #expect(chmod(directory.path(name).string, 0o755) == 0)
    let cairn = "'\(try #require(Programs.cairn).path)' serve --port 0"
    let output = directory.path("output").string
    let script =
      opens
      ? "exec \(cairn)"
      : """
      \(cairn) --no-open > '\(output)' & server=$!
      until grep -q Ctrl-C '\(output)'; do kill -0 $server || exit; sleep 0.1; done
      kill $server && wait $server && cat '\(output)'
      """
    var command = Command("sh", ["-c", script], in: scene.dataset.string)
    command.environment = ProcessInfo.processInfo.environment
    command.environment?["PATH"] =
      "\(directory.root.string):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    let ended = try await onThread { [command] in try command.run() }
    #expect(ended.status == 0, "\(ended.all)")
    let link = try #require(ended.lines.first { $0.hasPrefix("Open ") }).dropFirst(5)
    #expect(link.hasPrefix("http://127.0.0.1:") && link.contains("/?token="))
    let shown = try? String(contentsOfFile: opened, encoding: .utf8)
    #expect(shown == (opens ? "1\n\(link)\n" : nil))
  }

  @Test("takes any free port if the default one is in use")
  func otherPort() async throws {
    // This server has the default port, unless another program has it.
    let scene = try await ServerScene.start { options, _ in
      options.port = 8642
      options.allowsOtherPort = true
    }
    let process = try await ServeProcess(scene.dataset, port: nil)
    #expect(process.client.port != 8642)
    #expect(try await process.client.get("/api/session")["dataset"]?["photos"]?.int == 4)
  }

  @Test("reports a port that is in use")
  func portInUse() async throws {
    let scene = try await ServerScene.start()
    let output = try await run(scene, "--no-open", "--port", "\(scene.port)")
    #expect(output.status == 73)
    #expect(output.stderr.contains("Port \(scene.port) is in use."), "\(output.all)")
  }

  @Test(
    "refuses arguments that do not fit",
    arguments: [
      ["--port", "70000"], ["--invite", "Bob <bob@example.org>"], ["--certificate", "a.pem"],
      ["--lan", "--invite", "Bob"], ["--no-https", "--certificate", "a", "--private-key", "b"],
    ])
  func refuses(arguments: [String]) async throws {
    let scene = try await ServerScene.start()
    let program = try #require(Programs.cairn)
    let output = try await onThread {
      try Command(program.path, ["serve", "--no-open"] + arguments, in: scene.dataset.string).run()
    }
    #expect(output.status == 64, "\(output.all)")
  }

  @Test("reports a map or a certificate that cannot be used")
  func badFiles() async throws {
    let scene = try await ServerScene.start()
    let map = try await run(scene, "--no-open", "--map", "cairn.json")
    #expect(map.status == 65 && map.stderr.contains("is not a raster MBTiles file"), "\(map.all)")
    let certificate = try await run(
      scene, "--no-open", "--certificate", "cairn.json", "--private-key", "cairn.json")
    #expect(certificate.status == 65, "\(certificate.all)")
  }
}
