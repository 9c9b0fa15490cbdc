package import CairnProcess

/// The translation of ssh's exit code and stderr to an error.
package enum SSHFailure {
  /// - Parameters:
  ///   - status: The exit code: 255 when ssh itself failed, otherwise that of the remote program.
  ///   - hasResponded: Whether any data of the protocol run over ssh arrived.
  package static func error(
    _ address: String, status: Int, _ stderrText: ServerMessages, hasResponded: Bool
  ) -> TransportError {
    let lines = stderrText.lines.filter { !$0.hasPrefix("Warning: Permanently added") }
    let text = lines.joined(separator: "\n").lowercased()
    let message =
      lines.isEmpty ? "ssh exited with status \(status)" : lines.joined(separator: " / ")
    func has(_ phrases: String...) -> Bool { phrases.contains { text.contains($0) } }

    if has("remote host identification has changed") {
      return TransportError(
        .untrusted, address, "its host key differs from the one in known_hosts")
    }
    if has("host key verification failed") {
      return TransportError(
        .untrusted, address,
        has("host key is known for")
          ? "its host key is not in known_hosts" : "ssh rejects its host key")
    }
    let kind: TransportError.Kind
    if has("permission denied (", "too many authentication failures") {
      kind = .authentication
    } else if has(
      "does not appear to be a git repository", "repository not found", "does not exist",
      "not a git repository", "no such file or directory")
    {
      kind = .noRepository
    } else if has("command not found", "not found") && status == 127
      || has("subsystem request failed")
    {
      kind = .noProgram
    } else if has("permission denied", "access denied", "insufficient permission") {
      kind = .forbidden
    } else if status == 255, !hasResponded {
      kind = .unreachable
    } else {
      kind = .connectionLost
    }
    return TransportError(kind, address, message)
  }
}

extension TransportError {
  /// Creates the error for a failed exchange with a child process.
  package init(_ failure: ChildProcess.Failure, _ address: String) {
    switch failure {
    case .notStarted(let program, let reason):
      self.init(.noProgram, address, "\(program) cannot be run: \(reason)")
    case .silent(let seconds):
      self.init(.connectionLost, address, "it sent nothing for \(seconds) seconds")
    case .closed: self.init(.connectionLost, address, "the connection was closed")
    case .cancelled: self.init(.cancelled, address, "it was stopped")
    }
  }
}
