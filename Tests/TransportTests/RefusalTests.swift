import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Errors of remotes")
struct RefusalTests {
  private func refused(
    _ place: Place, _ address: String, _ status: Int, _ fragments: String...,
    environment: [String: String] = [:], location: SourceLocation = #_sourceLocation
  ) throws {
    let program = try #require(Place.cairnProgram)
    let output = try place.run(program, ["clone", address, "copy"], environment: environment)
    let lines = output.errors.split(separator: "\n")
    #expect(output.status == status, "\(address): \(output.all)", sourceLocation: location)
    #expect(lines.count == 2, "\(output.errors)", sourceLocation: location)
    #expect(lines.last?.hasPrefix("hint: ") == true, sourceLocation: location)
    if let password = WebAddress(address)?.password {
      #expect(!output.all.contains(password), sourceLocation: location)
    }
    for fragment in fragments + [RemoteShown.address(address)] {
      #expect(
        output.errors.contains(fragment), "\(fragment): \(output.errors)", sourceLocation: location)
    }
    #expect(
      !FileManager.default.fileExists(atPath: place.root.appending("copy").string),
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
    let (place, server) = (served.place, try #require(served.ssh))
    let good = served.publicAddress
    try refused(place, "ssh://x@host.invalid/x", 69, "cannot be reached", "host.invalid")
    try refused(place, "ssh://x@127.0.0.1:\(freePort())/x", 69, "Connection refused")
    try refused(place, server.url("nothing.git"), 66, "There is no repository")
    try refused(place, good, 66, "is empty")
    try refused(
      place, good, 77, "Authentication failed", "Permission denied",
      environment: ["GIT_SSH_COMMAND": server.command(key: "stranger_key")])
    try refused(
      place, good, 77, "cannot be trusted", "host key is not in known_hosts",
      environment: ["GIT_SSH_COMMAND": server.command(knownHosts: "nobody")])
    let another = try place.read("stranger_key.pub").split(separator: " ").prefix(2)
    try place.write(
      "[127.0.0.1]:\(server.port) \(another.joined(separator: " "))\n", to: "other_hosts")
    try refused(
      place, good, 77, "cannot be trusted", "host key differs from the one in known_hosts",
      environment: ["GIT_SSH_COMMAND": server.command(knownHosts: "other_hosts")])
    try refused(
      place, good, 69, "cannot be run",
      environment: ["GIT_SSH": "/no/such/ssh"].merging(
        ["GIT_CONFIG_GLOBAL": "/dev/null"]) { $1 })
    try refused(place, "ssh://-oProxyCommand=touch x/y", 65, "begins with")
    #expect(!FileManager.default.fileExists(atPath: place.root.appending("x").string))
    // A startup file of the remote's shell prints text.
    try refused(
      place, good, 69, "prints text before git's protocol",
      environment: ["GIT_SSH_COMMAND": "echo Welcome to this machine; \(server.command())"])
  }

  @Test(
    "reports https errors with a hint and an exit code",
    .enabled(if: WebServer.isInstalled, WebServer.missing))
  func https() throws {
    let served = try Served(.https)
    let (place, server) = (served.place, try #require(served.web))
    try refused(place, "https://host.invalid/x", 69, "cannot be reached")
    try refused(place, "https://127.0.0.1:\(freePort())/x", 69, "cannot be reached")
    // No password is configured, and there is no terminal.
    try refused(place, server.url(served.name), 77, "Authentication failed")
    try refused(
      place, server.url(served.name, as: "ann:falsches-Pferd"), 77, "rejected the user name")
    try refused(place, server.url("nothing.git", as: server.login), 66, "404")
    try refused(place, server.url("plain/x"), 69, "not from a git server")
    try refused(place, server.url("circle/x"), 69, "redirect")
    try refused(place, server.url("broken/x"), 69, "503")
    try place.git("config", "--global", "--unset-all", "http.sslCAInfo")
    try refused(place, server.url(served.name), 77, "cannot be trusted", "certificate")
  }

  @Test(
    "erases a helper's wrong password, stores a right one and follows redirects",
    .enabled(if: WebServer.isInstalled, WebServer.missing))
  func credentials() throws {
    let served = try Served(.https)
    let (place, server) = (served.place, try #require(served.web))
    try place.cairn("init", "a")
    try place.cairn("remote", "add", "origin", server.url("moved/" + served.name), in: "a")
    try server.addHelper(password: "wrong")
    #expect(try place.cairn(["sync"], in: "a").status == 77)
    #expect(server.asked() == ["get", "erase"])
    try server.addHelper()
    try place.cairn("sync", in: "a")
    // The helper is asked once for a whole sync.
    #expect(server.asked() == ["get", "erase", "get", "store"])
    #expect(try place.read("access.log").contains("HTTP/2.0"))

    // The password comes from the address, from netrc, and from a configured header.
    try place.git("config", "--global", "--unset-all", "credential.helper")
    try place.cairn("clone", served.address, "b")
    #expect(try !place.read("b/.git/config").contains("Batterie"))
    try place.write(
      "machine 127.0.0.1 login \(WebServer.user) password \(server.password)\n", to: "home/.netrc")
    try place.cairn("clone", server.url(served.name), "c")
    try FileManager.default.removeItem(atPath: place.root.pushing("home/.netrc").string)
    #expect(try place.cairn(["pull"], in: "c").status == 77)
    try place.configure("http.https://127.0.0.1.extraHeader", "X-Other: 1")
    try place.configure(
      "http.https://127.0.0.1:\(server.port).extraHeader", "Authorization: Basic \(server.basic)")
    try place.cairn("pull", in: "c")
    // An address with a password is not stored.
    let output = try place.cairn(["remote", "add", "other", served.address], in: "a")
    #expect(output.status == 65)
    #expect(!output.all.contains("Batterie"))
  }

  @Test(
    "trusts only a pinned public key, as git does",
    .enabled(if: WebServer.isInstalled, WebServer.missing))
  func pinnedKey() throws {
    let served = try Served(.https)
    let (place, server) = (served.place, try #require(served.web))
    try server.addHelper()
    let pipe = """
      openssl x509 -in tls.pem -pubkey -noout | openssl pkey -pubin -outform der |
      openssl dgst -sha256 -binary | openssl enc -base64
      """
    let hash = try place.run("sh", ["-c", pipe]).all.split(separator: "\n")[0]
    try place.cairn("init", "a")
    try place.cairn("remote", "add", "origin", server.url(served.name), in: "a")
    for (keys, isTrusted) in [
      ("sha256//\(hash)", true), ("sha256//\(String(repeating: "A", count: 43))=", false),
    ] {
      try place.git("config", "http.pinnedPubkey", keys, in: "a")
      let (ours, gits) = (
        try place.cairn(["push"], in: "a"),
        try place.run("git", ["ls-remote", "origin"], in: "a")
      )
      #expect(ours.status == (isTrusted ? 0 : 77), "\(ours.all)")
      #expect((gits.status == 0) == isTrusted, "\(gits.all)")
      #expect(isTrusted || ours.errors.contains("cannot be trusted"), "\(ours.all)")
    }
  }

  @Test(
    "shows secrets in no output, document, setting or process argument",
    .enabled(if: WebServer.isInstalled, WebServer.missing),
    .enabled(if: Giftless.isInstalled, Giftless.missing))
  func secrets() throws {
    let served = try Served(.https, name: "team/walk.git", hasLFS: true)
    let (place, server) = (served.place, try #require(served.web))
    try served.addHook("pre-receive", "sleep 0.5")
    try server.addHelper()
    try place.cairn("init", "a")
    try Data(PNG.bytes(1)).write(to: URL(filePath: place.root.appending("1.png").string))
    try place.cairn("photo", "add", "../1.png", in: "a")
    try place.cairn("remote", "add", "origin", server.url(served.name), in: "a")
    let program = try #require(Place.cairnProgram)
    // The token of each image transfer is a JSON Web Token, which begins with “eyJ”.
    let secrets = [server.password, server.login, server.basic, "eyJ"]
    var outputs = ""
    for arguments in [
      ["sync"], ["push", "--json"], ["pull", "--json"], ["remote", "list"],
      ["images", "push", "--json"], ["images", "drop", "--all"], ["images", "fetch", "--all"],
      ["verify", "--with", "origin"],
    ] {
      var lines: [String] = []
      let output = try place.run(program, arguments, in: "a") {
        for _ in 0..<40 {
          lines += Self.commandLines()
          usleep(20_000)
        }
      }
      #expect(output.status == 0, "\(output.all)")
      outputs += output.all
      #expect(lines.contains { $0.contains("cairn") })
      #expect(!lines.contains { line in secrets.contains { line.contains($0) } })
    }
    #expect(served.lfs?.count(served.name) == 1)
    outputs += try place.cairn(["clone", served.address, "b"]).all
    #expect(try place.cairn("images", "status", in: "b").hasPrefix("1 image on this disk"))
    try server.addHelper(password: "falsches-Pferd")
    outputs += try place.cairn(["clone", server.url(served.name), "c"]).all
    outputs += try place.cairn(["clone", server.url(served.name, as: "ann:falsches-Pferd"), "c"])
      .all
    #expect(!(secrets + ["Pferd"]).contains { outputs.contains($0) }, "\(outputs)")
    for directory in ["a", "b", served.name] {
      for secret in [server.password, server.basic, "eyJ"] {
        let found = try place.run("grep", ["-rIlF", secret, directory])
        #expect(found.status == 1, "\(found.all)")
      }
    }
    // A password in git's own configuration is not shown either.
    try place.git("remote", "add", "other", served.address, in: "b")
    #expect(try !place.cairn("remote", "list", in: "b").contains(server.login))
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
