/// Returns a process's exit code, or the negated number of the signal that ended it.
///
/// - Parameter status: What `waitpid` reports. Source: POSIX.1-2024, `sys/wait.h`, in the encoding
///   that Linux, macOS and the BSDs share.
package func exitCode(waitStatus status: CInt) -> Int {
  let signal = status & 0x7F
  return Int(signal == 0 ? status >> 8 & 0xFF : -signal)
}
