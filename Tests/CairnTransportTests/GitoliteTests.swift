import Foundation
import SystemPackage
import TestSupport
import Testing

enum Gitolite {
  static let isInstalled = SSHServer.isInstalled && Programs.isInstalled("gitolite")
  static let missing: Comment = "gitolite is missing: `make setup` installs gitolite3"
}

@Suite("gitolite", .enabled(if: Gitolite.isInstalled, Gitolite.missing))
struct GitoliteTests {
  private let box: Sandbox
  private let ssh: SSHServer

  /// A gitolite with its default configuration, in which Ann may use the repository `testing`.
  init() throws {
    box = try Sandbox(user: "Ann")
    ssh = try SSHServer(box)
    let home = box.root.appending("gitolite").string
    try FileManager.default.createDirectory(
      atPath: home + "/.ssh", withIntermediateDirectories: true)
    // A key has the name of its user.
    try box.write(try box.text("user_key.pub"), to: "ann.pub")
    try box.succeed("gitolite", ["setup", "-pk", "ann.pub"], environment: ["HOME": home])
    let keys = try box.text("gitolite/.ssh/authorized_keys")
    let command = "command=\"env HOME='\(home)' "
    try box.write(keys.replacing("command=\"", with: command), to: "authorized_keys")
  }

  private func url(_ repository: String) -> String {
    "ssh://\(NSUserName())@127.0.0.1:\(ssh.port)/\(repository)"
  }

  @Test("exchanges commits as far as its rules allow, and needs an image URL for images")
  func exchanges() throws {
    try box.exchangePins(through: url("testing"))

    try box.addOnePhoto()
    let refused = try box.runCairn(["sync"], in: "a")
    #expect(refused.status == 69, "\(refused.all)")
    #expect(refused.stderr.contains("does not accept images"), "\(refused.stderr)")
    let store = box.root.appending("images").string
    try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
    try box.cairn("remote", "images", "origin", store, in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("verify", "--with", "origin", "--content", in: "a")
  }

  @Test("shows why gitolite denies access, and does not take it for being offline")
  func denied() throws {
    try box.cairn("init", "a")
    try box.cairn("pin", "add", "1", "2", in: "a")
    try box.cairn("remote", "add", "origin", url("other"), in: "a")
    let output = try box.runCairn(["sync"], in: "a")
    #expect(output.status == 77, "\(output.all)")
    #expect(output.stderr.contains("DENIED by fallthru"), "\(output.stderr)")
  }
}
