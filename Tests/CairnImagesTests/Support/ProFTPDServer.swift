import CairnDocument
import CairnGit
import CairnImages
import CairnProcess
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

/// ProFTPD with mod_sftp on loopback, with a directory for images.
final class ProFTPDServer: ImageServer {
  private static let program = "/usr/sbin/proftpd"
  static let isInstalled =
    Programs.isProgram(program)
    && FileManager.default.fileExists(atPath: "/usr/lib/proftpd/mod_sftp.so")
  static let missing: Comment =
    "proftpd is missing: `make setup` installs proftpd-core and proftpd-mod-crypto"

  let box: Sandbox
  let files: DirectoryServer
  private let port: UInt16
  private let process: ChildProcess

  /// - Parameter overwriting: What its configuration says about overwriting files: as Debian's does, or not.
  init(_ overwriting: String = "AllowOverwrite on") throws {
    let box = try Sandbox(user: "Ann")
    files = DirectoryServer(at: box.path("files/images"))
    try FileManager.default.createDirectory(
      atPath: box.path("files").string, withIntermediateDirectories: true)
    for key in ["host", "user"] {
      try box.succeed("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "\(key)_key"])
    }
    let key = try box.succeed("ssh-keygen", ["-e", "-f", "user_key.pub"])
    try box.write(key.stdout, to: "authorized_keys")
    let host = try box.text("host_key.pub").split(separator: " ").prefix(2).joined(separator: " ")
    // Logins run as the user who runs this test, who may be root.
    try box.write(
      "ann:*:\(getuid()):\(getgid())::\(box.path("files")):/bin/sh\n", to: "users")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: box.path("users").string)
    let group = try #require(getgrgid(getgid())).pointee
    (port, process) = try startServer("proftpd") { port in
      try box.write("[127.0.0.1]:\(port) \(host)\n", to: "known_hosts")
      try box.write(
        """
        LoadModule mod_sftp.c
        DefaultAddress 127.0.0.1
        Port \(port)
        UseIPv6 off
        UseReverseDNS off
        User \(NSUserName())
        Group \(String(cString: group.gr_name))
        RootLogin on
        MaxInstances 30
        Umask 022 022
        \(overwriting)
        AuthOrder mod_auth_file.c
        AuthUserFile \(box.root)/users
        RequireValidShell off
        ControlsEngine off
        DelayEngine off
        WtmpLog off
        SystemLog none
        TransferLog none
        PidFile \(box.root)/pid
        ScoreboardFile \(box.root)/scoreboard
        SFTPEngine on
        SFTPHostKey \(box.root)/host_key
        SFTPAuthMethods publickey
        SFTPAuthorizedUserKeys file:\(box.root)/authorized_keys

        """, to: "proftpd.conf")
      return try ChildProcess(
        ProFTPDServer.program, ["-n", "-c", box.path("proftpd.conf").string])
    }
    self.box = box
  }

  /// The ssh command that trusts and uses only this server's keys.
  var ssh: String {
    "ssh -F /dev/null -o IdentitiesOnly=yes -o IdentityAgent=none -o StrictHostKeyChecking=yes"
      + " -o UserKnownHostsFile=\(box.root)/known_hosts -i \(box.root)/user_key"
  }

  /// - Parameter ssh: The command to run; nil for ``ssh``.
  func images(ssh command: String? = nil) throws -> SFTPImages {
    var context = TransportContext(GitSettings(), git: nil)
    context.callSSH(command ?? ssh)
    let address = try SSHAddress(sftp: "sftp://ann@127.0.0.1:\(port)\(files.store.directory)")
    return try SFTPImages(address, context)
  }

  func remote() throws -> any ImageRemote { try images() }

  func bytes(of id: PhotoID) throws -> [UInt8]? { try files.bytes(of: id) }

  func put(_ bytes: [UInt8]?, as id: PhotoID) throws { try files.put(bytes, as: id) }
}
