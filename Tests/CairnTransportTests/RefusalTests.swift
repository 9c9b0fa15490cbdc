import CairnGit
import CairnHTTP
import CairnProcess
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Errors of remotes")
struct RefusalTests {
  private func refused(
    _ box: Sandbox, _ address: String, _ status: Int32, _ fragments: String...,
    environment: [String: String] = [:], location: SourceLocation = #_sourceLocation
  ) throws {
    let output = try box.runCairn(["clone", address, "copy"], environment: environment)
    let lines = output.stderr.split(separator: "\n")
    #expect(output.status == status, "\(address): \(output.all)", sourceLocation: location)
    #expect(lines.count == 2, "\(output.stderr)", sourceLocation: location)
    #expect(lines.last?.hasPrefix("hint: ") == true, sourceLocation: location)
    if let password = WebAddress(address)?.password {
      #expect(!output.all.contains(password), sourceLocation: location)
    }
    for fragment in fragments + [RemoteShown.address(address)] {
      #expect(
        output.stderr.contains(fragment), "\(fragment): \(output.stderr)", sourceLocation: location)
    }
    #expect(
      !FileManager.default.fileExists(atPath: box.root.appending("copy").string),
      sourceLocation: location)
  }

  private enum RemoteShown {
    /// Returns the part of an address that is always shown.
    static func address(_ text: String) -> String {
      text.split(separator: "@").last.map(String.init) ?? text
    }
  }

  @Test(
    "reports ssh errors with a hint and an exit code",
    .enabled(if: SSHServer.isInstalled, SSHServer.missing))
  func ssh() throws {
    let served = try Served(.ssh)
    let (box, server) = (served.box, try #require(served.ssh))
    let good = served.publicAddress
    try refused(box, "ssh://x@host.invalid/x", 69, "cannot be reached", "host.invalid")
    try refused(box, "ssh://x@127.0.0.1:\(freePort())/x", 69, "Connection refused")
    try refused(box, server.url("nothing.git"), 66, "There is no repository")
    try refused(box, good, 66, "is empty")
    try refused(
      box, good, 77, "Authentication failed", "Permission denied",
      environment: ["GIT_SSH_COMMAND": server.command(key: "stranger_key")])
    try refused(
      box, good, 77, "cannot be trusted", "host key is not in known_hosts",
      environment: ["GIT_SSH_COMMAND": server.command(knownHosts: "nobody")])
    let another = try box.text("stranger_key.pub").split(separator: " ").prefix(2)
    try box.write(
      "[127.0.0.1]:\(server.port) \(another.joined(separator: " "))\n", to: "other_hosts")
    try refused(
      box, good, 77, "cannot be trusted", "host key differs from the one in known_hosts",
      environment: ["GIT_SSH_COMMAND": server.command(knownHosts: "other_hosts")])
    try refused(
      box, good, 69, "cannot be run",
      environment: ["GIT_SSH": "/no/such/ssh"].merging(
        ["GIT_CONFIG_GLOBAL": "/dev/null"]) { $1 })
    try refused(box, "ssh://-oProxyCommand=touch x/y", 65, "begins with")
    #expect(!FileManager.default.fileExists(atPath: box.root.appending("x").string))
    // A startup file of the remote's shell prints text.
    try refused(
      box, good, 69, "prints text before git's protocol",
      environment: ["GIT_SSH_COMMAND": "echo Welcome to this machine; \(server.command())"])
  }

  @Test(
    "reports https errors with a hint and an exit code",
    .enabled(if: WebServer.isInstalled, WebServer.missing))
  func https() throws {
    let served = try Served(.https)
    let (box, server) = (served.box, try #require(served.web))
    try refused(box, "https://host.invalid/x", 69, "cannot be reached")
    try refused(box, "https://127.0.0.1:\(freePort())/x", 69, "cannot be reached")
    // No password is configured, and there is no terminal.
    try refused(box, server.url(served.name), 77, "Authentication failed")
    try refused(
      box, server.url(served.name, as: "ann:falsches-Pferd"), 77, "rejected the user name")
    try refused(box, server.url("nothing.git", as: server.login), 66, "404")
    try refused(box, server.url("plain/x"), 69, "not from a git server")
    try refused(box, server.url("circle/x"), 69, "redirect")
    try refused(box, server.url("broken/x"), 69, "503")
    try box.git("config", "--global", "--unset-all", "http.sslCAInfo")
    try refused(box, server.url(served.name), 77, "cannot be trusted", "certificate")
  }

  @Test("names a proxy that cannot be used or refuses")
  func proxy() throws {
    let box = try Sandbox(user: "Ann")
    let port = try freePort()
    try refused(
      box, "https://example.invalid/x", 69, "127.0.0.1:\(port)", "https_proxy",
      environment: ["https_proxy": "http://127.0.0.1:\(port)"])
    let script = """
      import socket, sys
      with socket.create_server(("127.0.0.1", 0)) as server:
          print(server.getsockname()[1], flush=True)
          while True:
              connection, _ = server.accept()
              with connection:
                  connection.recv(4096)
                  connection.sendall(b"HTTP/1.1 403 Forbidden\\r\\nContent-Length: 0\\r\\n\\r\\n")
      """
    let server = try ChildProcess("python3", ["-c", script])
    let greeting = try server.output(limit: 2, timeout: 60)
    let rest = String(decoding: greeting, as: UTF8.self).prefix { $0 != "\n" }
    try refused(
      box, "https://example.invalid/x", 69, "127.0.0.1:\(rest) returned 403",
      environment: ["https_proxy": "http://127.0.0.1:\(rest)"])
    // The same sync may succeed later only if the proxy cannot be reached.
    try box.cairn("init", "a")
    try box.cairn("remote", "add", "origin", "https://example.invalid/x", in: "a")
    for (proxy, status) in [("\(port)", Int32(68)), ("\(rest)", 69)] {
      let output = try box.runCairn(
        ["sync"], in: "a", environment: ["https_proxy": "http://127.0.0.1:\(proxy)"])
      #expect(output.status == status, "\(output.all)")
      #expect(output.stderr.contains("127.0.0.1:\(proxy)"), "\(output.all)")
    }
  }

  @Test(
    "waits and asks again when a busy web server says when to come back",
    .enabled(if: WebServer.isInstalled, WebServer.missing))
  func busy() throws {
    let served = try Served(.https)
    let (box, server) = (served.box, try #require(served.web))
    try server.addHelper()
    try box.cairn("init", "a")
    try box.cairn("remote", "add", "origin", server.url("busy/" + served.name), in: "a")
    try box.cairn("sync", in: "a")
    #expect(try box.text("access.log").contains("429"))
    #expect(
      try box.git("rev-parse", "main", in: "a").word
        == box.git("rev-parse", "main", in: served.name).word)
  }

  @Test(
    "waits for a slow hook behind a web server that sends nothing meanwhile",
    .enabled(if: WebServer.isInstalled, WebServer.missing))
  func slowHook() throws {
    let served = try Served(.https)
    let box = served.box
    try served.addHook("pre-receive", "sleep 4")
    let work = try box.newRepository("work")
    let commit = try box.commit(["a": "1"], in: "work")
    var context = TransportContext(try box.settings(), git: nil)
    context.timeout.between = 1
    let remote = try SmartRemote(RemoteAddress(served.address), named: nil, context)
    let outcome = try remote.push(
      ReferenceUpdate("refs/heads/main", from: nil, to: commit),
      with: work.newObjects(from: commit, excluding: []), from: work, progress: { _, _, _ in })
    #expect(outcome.result == .moved)
  }

  /// Returns the outcome of a push through a location of the server, whose hook waits until the client
  /// has looked at the branch that many times, or until the file `released` exists.
  private func interruptedPush(
    _ served: Served, through location: String, hook: String, releasedAfterLooks looks: Int,
    beforeLooks: [Int]
  ) throws -> PushOutcome {
    let (box, server) = (served.box, try #require(served.web))
    let release = box.root.appending("released").string
    // The hook ends after 20 seconds in any case.
    try served.addHook(
      hook, "for _ in $(seq 400); do [ -e '\(release)' ] && exit; sleep 0.05; done")
    // git would notice that the connection is gone when it writes that it is still alive.
    try box.git("config", "receive.keepAlive", "0", in: served.name)
    let work = try box.newRepository("work")
    let commit = try box.commit(["a": "1"], in: "work")
    var context = TransportContext(try box.settings(), git: nil)
    context.timeout.beforeLooks = beforeLooks
    context.isCancelled = { [root = box.root] in
      if WebServer.looks(root) >= looks {
        _ = FileManager.default.createFile(atPath: release, contents: nil)
      }
      return false
    }
    let url = server.url("\(location)/\(served.name)", as: server.login)
    let remote = try SmartRemote(RemoteAddress(url), named: nil, context)
    return try remote.push(
      ReferenceUpdate("refs/heads/main", from: nil, to: commit),
      with: work.newObjects(from: commit, excluding: []), from: work, progress: { _, _, _ in })
  }

  @Test(
    "looks again until the branch has moved when a proxy gives up while a hook runs",
    .enabled(if: WebServer.isInstalled, WebServer.missing), arguments: ["cut", "late"])
  func slowHookBehindProxy(location: String) throws {
    let served = try Served(.https)
    let outcome = try interruptedPush(
      served, through: location, hook: "pre-receive", releasedAfterLooks: 2,
      beforeLooks: [0] + Array(repeating: 1, count: 60))
    #expect(outcome.result == .moved)
    #expect(WebServer.looks(served.box.root) >= 2)
  }

  @Test(
    "reports that the server may still accept a push whose branch has not moved",
    .enabled(if: WebServer.isInstalled, WebServer.missing))
  func pendingPush() throws {
    let served = try Served(.https)
    let error = #expect(throws: TransportError.self) {
      try interruptedPush(
        served, through: "late", hook: "pre-receive", releasedAfterLooks: .max, beforeLooks: [0, 0])
    }
    #expect(error?.kind == .serverError && error?.subject == .pendingPush)
    #expect(error?.reason.contains("the server may still accept the push") == true)
    // nginx logs a request after its client has the response.
    wait { WebServer.looks(served.box.root) >= 3 }
    #expect(WebServer.looks(served.box.root) == 3)
    try served.box.write("", to: "released")
  }

  @Test(
    "trusts the report of a push although a hook after it outlasts the connection",
    .enabled(if: WebServer.isInstalled, WebServer.missing))
  func hookAfterReport() throws {
    let served = try Served(.https)
    let outcome = try interruptedPush(
      served, through: "cut", hook: "post-receive", releasedAfterLooks: .max, beforeLooks: [0])
    #expect(outcome.result == .moved)
    #expect(WebServer.looks(served.box.root) == 1)
    try served.box.write("", to: "released")
  }

  @Test("limits the rate of transfers as git does, only if both settings are set")
  func lowSpeed() throws {
    let address = try #require(WebAddress("https://example.org/x"))
    func settings(_ entries: [(String, String)]) -> HTTPSettings {
      var settings = GitSettings()
      settings.entries = entries
      return HTTPSettings(TransportContext(settings, git: nil), for: address, remote: nil)
    }
    let onlyTime = settings([("http.lowspeedtime", "7")])
    #expect(onlyTime.stallTimeoutSeconds == 120 && onlyTime.stallBytesPerSecond == 1)
    let both = settings([("http.lowspeedtime", "7"), ("http.lowspeedlimit", "1k")])
    #expect(both.stallTimeoutSeconds == 7 && both.stallBytesPerSecond == 1024)
  }

  @Test(
    "erases a helper's wrong password, stores a right one and follows redirects",
    .enabled(if: WebServer.isInstalled, WebServer.missing))
  func credentials() throws {
    let served = try Served(.https)
    let (box, server) = (served.box, try #require(served.web))
    try box.cairn("init", "a")
    try box.cairn("remote", "add", "origin", server.url("moved/" + served.name), in: "a")
    try server.addHelper(password: "wrong")
    #expect(try box.runCairn(["sync"], in: "a").status == 77)
    #expect(server.asked() == ["get", "erase"])
    try server.addHelper()
    try box.cairn("sync", in: "a")
    // The helper is asked once for a whole sync.
    #expect(server.asked() == ["get", "erase", "get", "store"])
    #expect(try box.text("access.log").contains("HTTP/2.0"))

    // The password comes from the address, from netrc, and from a configured header.
    try box.git("config", "--global", "--unset-all", "credential.helper")
    try box.cairn("clone", served.address, "b")
    #expect(try !box.text("b/.git/config").contains("Batterie"))
    try box.write(
      "machine 127.0.0.1 login \(WebServer.user) password \(server.password)\n", to: "home/.netrc")
    try box.sh("chmod 600 home/.netrc")
    try box.cairn("clone", server.url(served.name), "c")
    try FileManager.default.removeItem(atPath: box.root.pushing("home/.netrc").string)
    #expect(try box.runCairn(["pull"], in: "c").status == 77)
    try box.configure("http.https://127.0.0.1.extraHeader", "X-Other: 1")
    try box.configure(
      "http.https://127.0.0.1:\(server.port).extraHeader", "Authorization: Basic \(server.basic)")
    try box.cairn("pull", in: "c")
    // An address with a password is not stored.
    let output = try box.runCairn(["remote", "add", "other", served.address], in: "a")
    #expect(output.status == 65)
    #expect(!output.all.contains("Batterie"))
  }

  @Test(
    "trusts only a pinned public key, as git does",
    .enabled(if: WebServer.isInstalled, WebServer.missing))
  func pinnedKey() throws {
    let served = try Served(.https)
    let (box, server) = (served.box, try #require(served.web))
    try server.addHelper()
    let pipe = """
      openssl x509 -in tls.pem -pubkey -noout | openssl pkey -pubin -outform der |
      openssl dgst -sha256 -binary | openssl enc -base64
      """
    let hash = try box.run("sh", ["-c", pipe]).all.split(separator: "\n")[0]
    try box.cairn("init", "a")
    try box.cairn("remote", "add", "origin", server.url(served.name), in: "a")
    for (keys, isTrusted) in [
      ("sha256//\(hash)", true), ("sha256//\(String(repeating: "A", count: 43))=", false),
    ] {
      try box.git("config", "http.pinnedPubkey", keys, in: "a")
      let (ours, gits) = (
        try box.runCairn(["push"], in: "a"),
        try box.run("git", ["ls-remote", "origin"], in: "a")
      )
      #expect(ours.status == (isTrusted ? 0 : 77), "\(ours.all)")
      #expect((gits.status == 0) == isTrusted, "\(gits.all)")
      #expect(isTrusted || ours.stderr.contains("cannot be trusted"), "\(ours.all)")
    }
  }

  @Test(
    "shows secrets in no output, document, setting or process argument",
    .enabled(if: WebServer.isInstalled, WebServer.missing),
    .enabled(if: Giftless.isInstalled, Giftless.missing))
  func secrets() throws {
    let served = try Served(.https, name: "team/walk.git", hasLFS: true)
    let (box, server) = (served.box, try #require(served.web))
    try served.addHook("pre-receive", "sleep 0.5")
    try server.addHelper()
    try box.cairn("init", "a")
    try Data(PNG.bytes(1)).write(to: URL(filePath: box.root.appending("1.png").string))
    try box.cairn("photo", "add", "../1.png", in: "a")
    try box.cairn("remote", "add", "origin", server.url(served.name), in: "a")
    let program = try box.cairnProgram()
    // The token of each image transfer is a JSON Web Token, which begins with “eyJ”.
    let secrets = [server.password, server.login, server.basic, "eyJ"]
    var outputs = ""
    for arguments in [
      ["sync"], ["push", "--json"], ["pull", "--json"], ["remote", "list"],
      ["images", "push", "--json"], ["images", "drop", "--all"], ["images", "fetch", "--all"],
      ["verify", "--with", "origin"],
    ] {
      var lines: [String] = []
      let running = try box.command(program, arguments, in: "a").start()
      for _ in 0..<40 {
        lines += Self.commandLines()
        usleep(20_000)
      }
      let output = try running.wait()
      #expect(output.status == 0, "\(output.all)")
      outputs += output.all
      #expect(lines.contains { $0.contains("cairn") })
      #expect(!lines.contains { line in secrets.contains { line.contains($0) } })
    }
    #expect(served.lfs?.count(served.name) == 1)
    outputs += try box.runCairn(["clone", served.address, "b"]).all
    #expect(try box.cairn("images", "status", in: "b").stdout.hasPrefix("1 image on this disk"))
    try server.addHelper(password: "falsches-Pferd")
    outputs += try box.runCairn(["clone", server.url(served.name), "c"]).all
    outputs += try box.runCairn(["clone", server.url(served.name, as: "ann:falsches-Pferd"), "c"])
      .all
    #expect(!(secrets + ["Pferd"]).contains { outputs.contains($0) }, "\(outputs)")
    for directory in ["a", "b", served.name] {
      for secret in [server.password, server.basic, "eyJ"] {
        let found = try box.run("grep", ["-rIlF", secret, directory])
        #expect(found.status == 1, "\(found.all)")
      }
    }
    // A password in git's own configuration is not shown either.
    try box.git("remote", "add", "other", served.address, in: "b")
    #expect(try !box.cairn("remote", "list", in: "b").stdout.contains(server.login))
  }

  /// Returns the command lines of all processes on this machine.
  private static func commandLines() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.filter { $0.allSatisfy(\.isNumber) }.compactMap { name in
      FileManager.default.contents(atPath: "/proc/\(name)/cmdline").map {
        String(decoding: $0.map { $0 == 0 ? 32 : $0 }, as: UTF8.self)
      }
    }
  }
}
