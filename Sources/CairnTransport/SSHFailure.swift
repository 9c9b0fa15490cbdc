/// What ssh's end and its words on stderr mean.
enum SSHFailure {
  /// - Parameters:
  ///   - status: The exit code: 255 when ssh itself failed, else that of what it ran there.
  ///   - hasSpoken: Whether something of git's protocol came.
  static func error(
    _ address: String, status: Int, _ complaints: ServerWords, hasSpoken: Bool
  ) -> TransportError {
    let lines = complaints.lines.filter { !$0.hasPrefix("Warning: Permanently added") }
    let text = lines.joined(separator: "\n").lowercased()
    let words = lines.isEmpty ? "ssh ended with code \(status)" : lines.joined(separator: " / ")
    func has(_ phrases: String...) -> Bool { phrases.contains { text.contains($0) } }

    let kind: TransportError.Kind
    if has("host key verification failed", "remote host identification has changed") {
      kind = .untrusted
    } else if has("permission denied (", "too many authentication failures") {
      kind = .authentication
    } else if has(
      "does not appear to be a git repository", "repository not found", "does not exist",
      "not a git repository", "no such file or directory")
    {
      kind = .noRepository
    } else if has("command not found", "not found") && status == 127 {
      kind = .noProgram
    } else if has("permission denied", "access denied", "insufficient permission") {
      kind = .forbidden
    } else if status == 255, !hasSpoken {
      kind = .unreachable
    } else {
      kind = .lost
    }
    return TransportError(kind, address, words)
  }
}
