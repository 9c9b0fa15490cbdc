internal import CairnProcess
internal import Foundation
package import SystemPackage
package import Testing

/// `rclone serve` for a directory, on loopback, running while this object lives.
package final class Rclone {
  package static let isInstalled = Programs.isInstalled("rclone")
  package static let missing: Comment = "rclone is missing: `make setup` installs it"

  package let port: UInt16
  private let process: ChildProcess

  /// - Parameters:
  ///   - kind: The protocol, as rclone calls it.
  ///   - login: The user name and the password that it requires.
  package init(
    _ directory: FilePath, serving kind: String = "webdav", _ options: [String] = [],
    login: (user: String, password: String)? = nil
  ) throws {
    // Without a configuration, it knows only what is given here.
    var environment: [String: String?] = ["RCLONE_CONFIG": ""]
    if let login {
      environment["RCLONE_USER"] = login.user
      environment["RCLONE_PASS"] = login.password
    }
    (port, process) = try startServer("rclone serve \(kind)") { port in
      try ChildProcess(
        // Its log is not read.
        "sh",
        [
          "-c", "exec \"$@\" >/dev/null 2>&1", "sh", "rclone", "serve", kind,
          "--addr", "127.0.0.1:\(port)", "--dir-cache-time", "0s", "--poll-interval", "0",
        ] + options + [directory.string],
        environment: environment)
    }
  }
}
