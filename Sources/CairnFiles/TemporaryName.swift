internal import LibC

/// Names of temporary files that are later renamed, by which the leftovers of a crash are
/// recognized: `cairn-<what>-<process>-<random>`.
package enum TemporaryName {
  private static let prefix = "cairn-"

  /// Returns the common prefix of all names of one kind.
  package static func prefix(_ what: String) -> String { "\(prefix)\(what)-" }

  package static func make(_ what: String) -> String {
    let random = String(UInt64.random(in: 0 ... .max), radix: 36)
    return "\(prefix(what))\(getpid())-\(random)"
  }

  /// Returns whether `name` is exactly a name of one kind: a user's own directory may have the same
  /// prefix.
  package static func isName(_ name: String, of what: String) -> Bool {
    let parts = name.dropFirst(prefix(what).count).split(
      separator: "-", omittingEmptySubsequences: false)
    return name.hasPrefix(prefix(what)) && parts.count == 2 && pid_t(parts[0]) != nil
      && UInt64(parts[1], radix: 36) != nil
  }

  /// Returns whether `name` is a temporary name of a process that no longer runs.
  package static func isAbandoned(_ name: String) -> Bool {
    guard name.hasPrefix(prefix) else { return false }
    let parts = name.split(separator: "-")
    guard parts.count == 4, let process = pid_t(String(parts[2])), process > 0 else { return true }
    return kill(process, 0) != 0 && errno == ESRCH
  }
}
