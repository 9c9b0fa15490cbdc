internal import LibC

/// Names of temporary files that are later renamed, by which the leftovers of a crash are
/// recognized: `cairn-<what>-<host>-<process>-<random>`.
package enum TemporaryName {
  package static func make(_ what: String) -> String {
    let random = String(UInt64.random(in: 0 ... .max), radix: 36)
    return "cairn-\(what)-\(host)-\(getpid())-\(random)"
  }

  /// Returns whether `name` is exactly a temporary name: a user's own file may begin like one.
  ///
  /// - Parameter what: Nil for one of any kind.
  package static func isName(_ name: String, of what: String? = nil) -> Bool {
    parts(of: name).map { what == nil || $0.what == what! } ?? false
  }

  /// Returns whether `name` is a temporary name of a process of this machine that no longer runs.
  package static func isAbandoned(_ name: String) -> Bool {
    guard let parts = parts(of: name), parts.host == host else { return false }
    return kill(parts.process, 0) != 0 && errno == ESRCH
  }

  private static func parts(of name: String) -> (what: Substring, host: Substring, process: pid_t)?
  {
    var parts = name.split(separator: "-", omittingEmptySubsequences: false)
    // Earlier versions did not name the machine. A shorter end may be a user's own.
    if parts.count == 4, parts[3].utf8.count >= 10 { parts.insert("", at: 2) }
    guard parts.count == 5, parts[0] == "cairn", let process = pid_t(parts[3]), process > 0,
      UInt64(parts[4].prefix { $0 != "." }, radix: 36) != nil
    else { return nil }
    return (parts[1], parts[2], process)
  }

  /// A tag of this machine, or of this container: process numbers mean nothing outside of it, and
  /// others may use the same disk.
  private static let host: String = {
    var bytes = [UInt8](repeating: 0, count: 512)
    bytes.withUnsafeMutableBytes { buffer in
      let text = buffer.assumingMemoryBound(to: CChar.self)
      gethostname(text.baseAddress!, 255)
      readlink("/proc/self/ns/pid", text.baseAddress! + 256, 255)
    }
    // FNV-1a.
    let hash = bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return String(hash, radix: 36)
  }()
}
