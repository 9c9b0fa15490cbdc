import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("What goes wrong is told in one sentence, with a hint and a code")
struct RefusalTests {
  private func refused(
    _ place: Place, _ address: String, _ status: Int, _ words: String...,
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
    for word in words + [RemoteShown.address(address)] {
      #expect(output.errors.contains(word), "\(word): \(output.errors)", sourceLocation: location)
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

  @Test("over ssh", .enabled(if: SSHServer.isInstalled, SSHServer.missing))
  func ssh() throws {
    let served = try Served(.ssh)
    let (place, server) = (served.place, try #require(served.ssh))
    let good = served.publicAddress
    try refused(place, "ssh://x@host.invalid/x", 69, "cannot be reached", "host.invalid")
    try refused(place, "ssh://x@127.0.0.1:\(freePort())/x", 69, "Connection refused")
    try refused(place, server.url("nothing.git"), 66, "There is no repository")
    try refused(place, good, 66, "There is nothing in")
    try refused(
      place, good, 77, "does not let you in", "Permission denied",
      environment: ["GIT_SSH_COMMAND": server.command(key: "stranger_key")])
    try refused(
      place, good, 77, "cannot be trusted", "host key is not known here",
      environment: ["GIT_SSH_COMMAND": server.command(knownHosts: "nobody")])
    let another = try place.read("stranger_key.pub").split(separator: " ").prefix(2)
    try place.write(
      "[127.0.0.1]:\(server.port) \(another.joined(separator: " "))\n", to: "other_hosts")
    try refused(
      place, good, 77, "cannot be trusted", "host key is not the one that is known here",
      environment: ["GIT_SSH_COMMAND": server.command(knownHosts: "other_hosts")])
    try refused(
      place, good, 69, "cannot be run",
      environment: ["GIT_SSH": "/no/such/ssh"].merging(
        ["GIT_CONFIG_GLOBAL": "/dev/null"]) { $1 })
    try refused(place, "ssh://-oProxyCommand=touch x/y", 69, "begins with")
    #expect(!FileManager.default.fileExists(atPath: place.root.appending("x").string))
    // A start-up file of the remote's shell that prints.
    try refused(
      place, good, 69, "prints text before git speaks",
      environment: ["GIT_SSH_COMMAND": "echo Welcome to this machine; \(server.command())"])
  }

  @Test("over https", .enabled(if: WebServer.isInstalled, WebServer.missing))
  func https() throws {
    let served = try Served(.https)
    let (place, server) = (served.place, try #require(served.web))
    try refused(place, "https://host.invalid/x", 69, "cannot be reached")
    try refused(place, "https://127.0.0.1:\(freePort())/x", 69, "cannot be reached")
    // Nobody knows a password, and there is no terminal.
    try refused(place, server.url(served.name), 77, "does not let you in")
    try refused(place, server.url(served.name, as: "ann:falsches-Pferd"), 77, "does not accept")
    try refused(place, server.url("nothing.git", as: server.login), 66, "404")
    try refused(place, server.url("plain/x"), 69, "not a git server")
    try refused(place, server.url("circle/x"), 69, "redirect")
    try refused(place, server.url("broken/x"), 69, "503")
    try place.git("config", "--global", "--unset-all", "http.sslCAInfo")
    try refused(place, server.url(served.name), 77, "cannot be trusted", "certificate")
  }

  @Test(
    "a helper's wrong password is rejected, a right one approved, and redirects are followed",
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
    // Asked once for all that a sync does.
    #expect(server.asked() == ["get", "erase", "get", "store"])
    #expect(try place.read("access.log").contains("HTTP/2.0"))

    // From the address, from netrc, and from a header of the configuration.
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
    // An address with a password is not remembered.
    let output = try place.cairn(["remote", "add", "other", served.address], in: "a")
    #expect(output.status == 65)
    #expect(!output.all.contains("Batterie"))
  }

  @Test(
    "a server with another key than the one that is pinned is not trusted, as by git",
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
    "no secret is in any output, document, setting or argument of a process",
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
    // What each transfer of an image is allowed by is a JSON Web Token, which begins so.
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
    #expect(try place.cairn("images", "status", in: "b").hasPrefix("1 image here"))
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
    // What somebody has put into git's configuration is not shown either.
    try place.git("remote", "add", "other", served.address, in: "b")
    #expect(try !place.cairn("remote", "list", in: "b").contains(server.login))
  }

  /// The arguments of every process of this machine.
  private static func commandLines() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.filter { $0.allSatisfy(\.isNumber) }.compactMap { name in
      FileManager.default.contents(atPath: "/proc/\(name)/cmdline").map {
        String(decoding: $0.map { $0 == 0 ? 32 : $0 }, as: UTF8.self)
      }
    }
  }
}
