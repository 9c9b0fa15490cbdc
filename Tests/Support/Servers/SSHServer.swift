internal import CairnProcess
internal import Foundation
internal import SystemPackage
package import Testing

/// A local sshd on loopback with a host key of its own, running while this object lives.
package final class SSHServer {
  package static let program = "/usr/sbin/sshd"
  package static let isInstalled = FileManager.default.isExecutableFile(atPath: program)
  package static let missing: Comment = "sshd is missing: `make setup` installs openssh-server"

  /// Another name for its host key, for clients that connect through another port.
  package static let alias = "loopback"

  package let port: UInt16
  package let box: Sandbox
  private let process: ChildProcess

  /// - Parameter sftp: The program that speaks sftp, with its arguments; nil: the server offers none.
  package init(_ box: Sandbox, sftp: String? = nil) throws {
    self.box = box
    for key in ["host", "user", "stranger"] {
      let output = try box.run(
        "ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "\(key)_key"])
      try #require(output.status == 0, "\(output.all)")
    }
    try box.write(try box.text("user_key.pub"), to: "authorized_keys")
    let host = try box.text("host_key.pub").split(separator: " ").prefix(2).joined(separator: " ")
    // sshd requires this directory when root runs it; it stays empty.
    if getuid() == 0 { mkdir("/run/sshd", 0o755) }
    (port, process) = try startServer("sshd") { port in
      try box.write("[127.0.0.1]:\(port),\(SSHServer.alias) \(host)\n", to: "known_hosts")
      try box.write(
        """
        Port \(port)
        ListenAddress 127.0.0.1
        HostKey "\(box.root)/host_key"
        AuthorizedKeysFile "\(box.root)/authorized_keys"
        PasswordAuthentication no
        KbdInteractiveAuthentication no
        StrictModes no
        SetEnv PATH=\(box.root)/programs:/usr/local/bin:/usr/bin:/bin
        UsePAM no
        PidFile none
        LogLevel ERROR
        \(sftp.map { "Subsystem sftp \($0)" } ?? "")
        """, to: "sshd_config")
      return try ChildProcess(
        SSHServer.program, ["-D", "-e", "-f", box.root.appending("sshd_config").string])
    }
    try box.configure("core.sshCommand", command())
  }

  /// Returns an ssh command that trusts and uses only this server's keys.
  package func command(key: String = "user_key", knownHosts: String = "known_hosts") -> String {
    "ssh -F /dev/null -o IdentitiesOnly=yes -o IdentityAgent=none -o StrictHostKeyChecking=yes"
      + " -o UserKnownHostsFile=\(box.root)/\(knownHosts) -i \(box.root)/\(key)"
  }

  package func url(_ path: String) -> String {
    "ssh://\(NSUserName())@127.0.0.1:\(port)\(box.root)/\(path)"
  }
}
