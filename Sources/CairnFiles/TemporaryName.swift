internal import LibC

/// Names of temporary files that are later renamed, by which the leftovers of a crash are
/// recognized: `cairn-<what>-<host>-<process>-<random>`. Other names belong to somebody else.
package enum TemporaryName {
  /// A name as its parts.
  private struct Parts {
    let what, host: Substring
    let process: pid_t

    init?(_ name: String) {
      let parts = name.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 5, parts[0] == "cairn", let process = pid_t(parts[3]), process > 0,
        // An image file has an extension.
        UInt64(parts[4].prefix { $0 != "." }, radix: 36) != nil
      else { return nil }
      (what, host, self.process) = (parts[1], parts[2], process)
    }
  }

  /// A hash of this computer's name: on a network share, the processes of others are not visible.
  private static let host: String = {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    var hash: UInt32 = 2_166_136_261
    for byte in name.prefix(while: { $0 != 0 }) {
      hash = (hash ^ UInt32(UInt8(bitPattern: byte))) &* 16_777_619
    }
    return String(hash, radix: 36)
  }()

  package static func make(_ what: String) -> String {
    let random = String(UInt64.random(in: 0 ... .max), radix: 36)
    return "cairn-\(what)-\(host)-\(getpid())-\(random)"
  }

  /// Returns whether `name` is a name of one kind.
  package static func isName(_ name: String, of what: String) -> Bool {
    Parts(name).map { $0.what == what } ?? false
  }

  /// Returns whether `name` is a name that a process on this computer made and that no longer runs.
  package static func isAbandoned(_ name: String) -> Bool {
    guard let parts = Parts(name), parts.host == host else { return false }
    return kill(parts.process, 0) != 0 && errno == ESRCH
  }
}
