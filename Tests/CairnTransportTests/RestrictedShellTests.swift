import Foundation
import SystemPackage
import TestSupport
import Testing

/// Machines that run only certain commands: git's own shell, and one that answers as gitolite does.
@Suite(
  "Machines with a restricted shell",
  .enabled(if: SSHServer.isInstalled, SSHServer.missing))
struct RestrictedShellTests {
  private let served: Served
  private var box: Sandbox { served.box }

  /// A served dataset with a device.
  init() throws {
    served = try Served(.ssh, name: "walk.git")
    try served.box.cairn("init", "a")
    try served.box.cairn("remote", "add", "origin", served.publicAddress, in: "a")
    try served.box.cairn("sync", in: "a")
  }

  /// Makes sshd run a command for whatever the client asks for.
  private func force(_ command: String) throws {
    let key = try box.text("user_key.pub")
    let quoted = command.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    try box.write("command=\"\(quoted)\" \(key)", to: "authorized_keys")
  }

  private func forceGitShell() throws { try force(#"git-shell -c "$SSH_ORIGINAL_COMMAND""#) }

  /// Makes the machine answer as gitolite does, with `rule` for pushes.
  ///
  /// Source: gitolite's src/gitolite-shell.
  private func forceGitolite(_ rule: String) throws {
    try box.write(
      """
      #!/bin/sh
      case "$SSH_ORIGINAL_COMMAND" in
        "git-upload-pack "*) eval "exec $SSH_ORIGINAL_COMMAND" ;;
        "git-receive-pack "*) \(rule) ;;
        *) echo "FATAL: unknown git/gitolite command: '$SSH_ORIGINAL_COMMAND'" >&2; exit 1 ;;
      esac

      """, to: "gitolite", isProgram: true)
    try force("\(box.root)/gitolite")
  }

  private func addPhoto() throws {
    try Data(PNG.bytes(1)).write(to: URL(filePath: box.root.appending("1.png").string))
    try box.cairn("photo", "add", "../1.png", in: "a")
  }

  @Test("exchanges labels with git's own shell, which has no image store")
  func gitShell() throws {
    try forceGitShell()
    try box.cairn("pin", "add", "1", "2", in: "a")
    try box.cairn("sync", in: "a")
    try addPhoto()
    let output = try box.runCairn(["sync", "--json"], in: "a")
    #expect(output.status == 69, "\(output.all)")
    #expect(output.stderr.contains("does not accept images"), "\(output.stderr)")
    #expect(output.stderr.contains("no git-lfs-authenticate"), "\(output.stderr)")
    #expect(output.stdout.contains("\"unreachable\": null"))
    try box.cairn("push", "--no-images", in: "a")
  }

  @Test("shows why a machine refuses a push, and does not take it for being offline")
  func denied() throws {
    try forceGitolite("echo 'FATAL: W any walk ann DENIED by fallthru' >&2; exit 1")
    try box.cairn("pin", "add", "1", "2", in: "a")
    for arguments in [["sync"], ["push"]] {
      let output = try box.runCairn(arguments, in: "a")
      #expect(output.status == 77, "\(output.all)")
      #expect(output.stderr.contains("W any walk ann DENIED by fallthru"), "\(output.stderr)")
    }
  }

  @Test("pulls although a machine refuses the push")
  func pullsAnyway() throws {
    try box.cairn("clone", served.publicAddress, "b")
    try box.cairn("pin", "add", "1", "2", "--name", "mill", in: "b")
    try box.cairn("sync", in: "b")
    try forceGitolite("echo 'FATAL: W any walk ann DENIED by fallthru' >&2; exit 1")
    try box.cairn("pin", "add", "3", "4", in: "a")
    let output = try box.runCairn(["sync"], in: "a")
    #expect(output.status == 77, "\(output.all)")
    #expect(try box.cairn("pin", "list", in: "a").stdout.contains("mill"))
  }

  @Test("recognizes that a machine has neither git-lfs-authenticate nor sftp")
  func gitolite() throws {
    try forceGitolite(#"eval "exec $SSH_ORIGINAL_COMMAND""#)
    try addPhoto()
    let output = try box.runCairn(["sync"], in: "a")
    #expect(output.status == 69, "\(output.all)")
    #expect(output.stderr.contains("no git-lfs-authenticate, and no sftp"), "\(output.stderr)")
    #expect(output.stderr.contains("cairn remote images"), "\(output.stderr)")
  }

  @Test("does not take an error of a program there for being offline")
  func broken() throws {
    try forceGitolite("echo 'fatal: unable to create thread: Cannot allocate memory' >&2; exit 128")
    try box.cairn("pin", "add", "1", "2", in: "a")
    let output = try box.runCairn(["sync"], in: "a")
    #expect(output.status == 69, "\(output.all)")
    #expect(output.stderr.contains("Cannot allocate memory"), "\(output.stderr)")
  }
}
