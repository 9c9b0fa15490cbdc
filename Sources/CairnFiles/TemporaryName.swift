internal import LibC

/// Names of files on their way to another name, by which anybody can tell what a crash has left:
/// `cairn-<what>-<process>-<random>`.
public enum TemporaryName {
  private static let prefix = "cairn-"

  public static func make(_ what: String) -> String {
    let random = String(UInt64.random(in: 0 ... .max), radix: 36)
    return "\(prefix)\(what)-\(getpid())-\(random)"
  }

  /// Whether `name` is such a name, of a process that is no more.
  public static func isAbandoned(_ name: String) -> Bool {
    guard name.hasPrefix(prefix) else { return false }
    let parts = name.split(separator: "-")
    guard parts.count == 4, let process = pid_t(String(parts[2])), process > 0 else { return true }
    return kill(process, 0) != 0 && errno == ESRCH
  }
}
