internal import CairnGit

/// A program that is run over ssh, to its end, for what it prints.
public enum RemoteProgram {
  /// More than that none of them prints.
  private static let limit = 1 << 20

  /// Runs `words` at an address, as its shell takes them.
  ///
  /// - Returns: What it printed; nil where there is no such program.
  /// - Throws: ``TransportError`` when it could not be run or did not succeed.
  public static func run(
    _ words: String, at address: SSHAddress, _ context: TransportContext
  ) throws -> [UInt8]? {
    let call = try context.ssh.call(address, running: words)
    do {
      let child = try ChildProcess(
        call.program, call.arguments, environment: GitProgram.environment,
        isCancelled: context.isCancelled)
      child.closeInput()
      var printed: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4096)
      while printed.count < limit {
        let count = try piece.withUnsafeMutableBytes {
          try child.read(into: $0, patience: context.patience.first)
        }
        if count == 0 { break }
        printed += piece[..<count]
      }
      let status = child.end()
      if status == 0 { return printed }
      let complaints = child.complaints
      if status == 127 || complaints.lines.contains(where: isUnknown) { return nil }
      throw SSHFailure.error(
        address.text, status: status, complaints, hasSpoken: !printed.isEmpty)
    } catch let failure as ChildProcess.Failure {
      throw TransportError(failure, address.text)
    }
  }

  /// Hosts that run only a few programs have words of their own.
  private static func isUnknown(_ line: String) -> Bool {
    let line = line.lowercased()
    return line.contains("command not found") || line.contains("unrecognized command")
      || line.contains("unknown command") || line.contains("is not a git command")
      || line.contains("not a valid command") || line.contains(": not found")
  }
}
