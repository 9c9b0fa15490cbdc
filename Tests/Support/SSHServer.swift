internal import CairnTransport
internal import Foundation
internal import SystemPackage
package import Testing

/// An sshd of this machine on loopback, with a key of its own, for as long as this object lives.
package final class SSHServer {
  package static let program = "/usr/sbin/sshd"
  package static let isInstalled = FileManager.default.isExecutableFile(atPath: program)
  package static let missing: Comment = "sshd is missing: `make setup` installs openssh-server"

  /// What its host key is known as besides, for those who come by way of another port.
  package static let alias = "loopback"

  package let port: UInt16
  package let place: Place
  private let process: ChildProcess

  /// - Parameter sftp: The program that speaks sftp, with its arguments; nil: the server offers none.
  package init(_ place: Place, sftp: String? = nil) throws {
    self.place = place
    for key in ["host", "user", "stranger"] {
      let output = try place.run(
        "ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "\(key)_key"])
      try #require(output.status == 0, "\(output.all)")
    }
    try place.write(try place.read("user_key.pub"), to: "authorized_keys")
    let host = try place.read("host_key.pub").split(separator: " ").prefix(2).joined(separator: " ")
    // sshd insists on it when root runs it; nothing is put there.
    if getuid() == 0 { mkdir("/run/sshd", 0o755) }
    (port, process) = try startServer("sshd") { port in
      try place.write("[127.0.0.1]:\(port),\(SSHServer.alias) \(host)\n", to: "known_hosts")
      try place.write(
        """
        Port \(port)
        ListenAddress 127.0.0.1
        HostKey "\(place.root)/host_key"
        AuthorizedKeysFile "\(place.root)/authorized_keys"
        PasswordAuthentication no
        KbdInteractiveAuthentication no
        StrictModes no
        SetEnv PATH=\(place.root)/programs:/usr/local/bin:/usr/bin:/bin
        UsePAM no
        PidFile none
        LogLevel ERROR
        \(sftp.map { "Subsystem sftp \($0)" } ?? "")
        """, to: "sshd_config")
      return try ChildProcess(
        SSHServer.program, ["-D", "-e", "-f", place.root.appending("sshd_config").string])
    }
    try place.configure("core.sshCommand", command())
  }

  /// Returns the ssh that goes there and nowhere else.
  package func command(key: String = "user_key", knownHosts: String = "known_hosts") -> String {
    "ssh -F /dev/null -o IdentitiesOnly=yes -o IdentityAgent=none -o StrictHostKeyChecking=yes"
      + " -o UserKnownHostsFile=\(place.root)/\(knownHosts) -i \(place.root)/\(key)"
  }

  package func url(_ path: String) -> String {
    "ssh://\(NSUserName())@127.0.0.1:\(port)\(place.root)/\(path)"
  }
}
