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
    // Warnings of ssh, such as that a key file is missing, are not the reason.
    let text = lines.filter { !$0.hasPrefix("Warning: ") }.joined(separator: "\n").lowercased()
    let message =
      lines.isEmpty ? "it exited with status \(status)" : lines.joined(separator: " / ")
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
    } else if endsWithNetworkError(status: status, lines) {
      kind = hasResponded ? .connectionLost : .unreachable
    } else if has(
      "does not appear to be a git repository", "repository not found", "does not exist",
      "not a git repository", "no such file or directory")
    {
      kind = .noRepository
    } else if has("command not found", "not found") && status == 127
      || has("subsystem request failed") || lines.contains(where: isUnknownCommand)
    {
      kind = .noProgram
    } else if has(
      "permission denied", "access denied", "insufficient permission", " denied by ",
      "not available", "not allowed", "not permitted", "is not enabled")
    {
      kind = .forbidden
    } else if status == 255 && (lines.isEmpty || isAboutNetwork(text))
      || lines.isEmpty && (status == 0 || hasResponded)
    {
      kind = status == 255 && !hasResponded ? .unreachable : .connectionLost
    } else if has("hung up unexpectedly", "early eof") {
      // The program there lost its connection to this one.
      kind = .connectionLost
    } else {
      // A program there ended with an error, or ssh itself did, such as for its configuration.
      kind = .serverError
    }
    return TransportError(kind, address, message)
  }

  /// Whether ssh itself failed and its last message names the network as the cause. What comes
  /// before it may be a banner of the server, which says anything.
  static func endsWithNetworkError(status: Int, _ lines: [String]) -> Bool {
    status == 255 && lines.last.map { isAboutNetwork($0.lowercased()) } ?? false
  }

  /// Whether ssh's messages, in lower case, name the network as the cause.
  ///
  /// Source: OpenSSH's sshconnect.c, packet.c, clientloop.c, misc.c.
  private static func isAboutNetwork(_ text: String) -> Bool {
    [
      "could not resolve", "name resolution", "connect to host", "connection refused",
      "connection closed", "connection reset", "connection timed out", "connection to ",
      "closed by remote host", "closed by unknown", "kex_exchange_identification",
      "ssh_exchange_identification", "banner exchange", "timed out", "timeout", "no route to host",
      "network is", "unreachable", "host is down", "broken pipe", "stdio forwarding failed",
      "open failed", "not responding",
    ].contains { text.contains($0) }
  }

  /// Whether a line reports an unknown command; restricted hosts have messages of their own.
  ///
  /// Source: git's shell.c; gitolite's src/gitolite-shell; messages of hosting sites.
  static func isUnknownCommand(_ line: String) -> Bool {
    let line = line.lowercased()
    if line.contains("command not found") || line.contains(": not found") { return true }
    guard line.contains("command") else { return false }
    return [
      "unrecognized", "unknown", "is not a git command", "not a valid", "invalid", "unsupported",
      "not supported", "not allowed", "disallowed", "only git",
    ].contains { line.contains($0) }
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
