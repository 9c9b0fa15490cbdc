internal import CairnGit
internal import CairnProcess
internal import SystemPackage

/// A person's key for a web service, kept by git's credential helpers and never in a file of ours.
///
/// It is passed through pipes, never as an argument. Source: git's
/// Documentation/git-credential.txt.
package struct StoredCredential {
  private let address: WebAddress
  private let context: TransportContext

  private let user: String
  /// Maximum size of a helper's output, in bytes.
  private static let limit = 64 << 10

  /// - Parameter user: The name to store the key under; helpers need one, services do not.
  package init(for address: WebAddress, user: String, _ context: TransportContext) {
    (self.address, self.user, self.context) = (address, user, context)
  }

  /// Returns the key that a helper has stored, without asking on a terminal.
  package func find() -> String? {
    let output = run("fill", password: nil)
    let password = output?.split(separator: "\n").last { $0.hasPrefix("password=") }
    return password.map { String($0.dropFirst("password=".count)) }
      .flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Stores a key with the helpers.
  ///
  /// - Returns: False when no helper stored it.
  package func store(_ key: String) -> Bool {
    _ = run("approve", password: key)
    return find() == key
  }

  /// Deletes the key from the helpers.
  ///
  /// - Returns: False when no helper had one.
  package func delete() -> Bool {
    guard let key = find() else { return false }
    _ = run("reject", password: key)
    return true
  }

  /// Returns git's output; nil when git cannot be run or has no key.
  private func run(_ verb: String, password: String?) -> String? {
    guard let git = context.git else { return nil }
    var lines = [
      "protocol=\(address.scheme)", "host=\(address.hostAndPort)", "username=\(user)",
    ]
    if let password { lines.append("password=\(password)") }
    // A line feed would begin another attribute.
    guard !lines.contains(where: { $0.utf8.contains { $0 < 0x20 } }) else { return nil }
    var changes = GitProgram.environment
    changes["GIT_DIR"] = .some(context.gitDirectory?.string)
    changes["GIT_TERMINAL_PROMPT"] = .some("0")
    changes["GIT_ASKPASS"] = .some("")
    return try? exchange(lines.map { $0 + "\n" }.joined() + "\n", git, verb, changes)
  }

  private func exchange(
    _ request: String, _ git: GitProgram, _ verb: String, _ environment: [String: String?]
  ) throws -> String? {
    let child = try ChildProcess(
      git.path.string, ["credential", verb], environment: environment,
      isCancelled: context.isCancelled)
    try Array(request.utf8).withUnsafeBytes {
      try child.write($0, timeout: context.timeout.first)
    }
    child.closeInput()
    let output = try child.output(limit: StoredCredential.limit, timeout: context.timeout.first)
    return child.end() == 0 ? String(decoding: output, as: UTF8.self) : nil
  }
}
