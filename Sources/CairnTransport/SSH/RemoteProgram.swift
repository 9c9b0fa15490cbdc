internal import CairnGit
internal import CairnProcess

/// A program run over ssh to completion, for its output.
package enum RemoteProgram {
  /// What came of running a program.
  package enum Outcome: Sendable, Equatable {
    case printed([UInt8])
    /// There is no such program. Without a shell, the machine runs only certain commands.
    case missing(hasShell: Bool)
  }

  /// Maximum size of the output, in bytes.
  private static let limit = 1 << 20

  /// Runs `command` in the shell at an address.
  ///
  /// - Parameter mayPrompt: Whether ssh may ask for a password.
  /// - Throws: ``TransportError`` when the program could not be run or failed.
  package static func run(
    _ command: String, at address: SSHAddress, _ context: TransportContext, mayPrompt: Bool = true
  ) throws -> Outcome {
    let call = try context.ssh.call(address, running: command, mayPrompt: mayPrompt)
    do {
      let child = try ChildProcess(
        call.program, call.arguments, environment: GitProgram.environment,
        isCancelled: context.isCancelled)
      child.closeInput()
      let output = try child.output(limit: limit, timeout: context.timeout.first)
      let status = child.end()
      if status == 0 { return .printed(output) }
      let stderrText = child.stderrText
      let lines = stderrText.lines
      if status == 127 { return .missing(hasShell: true) }
      if !SSHFailure.endsWithNetworkError(status: status, lines),
        lines.contains(where: SSHFailure.isUnknownCommand)
      {
        return .missing(hasShell: false)
      }
      throw SSHFailure.error(
        address.text, status: status, stderrText, hasResponded: !output.isEmpty)
    } catch let failure as ChildProcess.Failure {
      throw TransportError(failure, address.text)
    }
  }
}
