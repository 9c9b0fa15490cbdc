internal import LibC

/// Returns an environment variable; nil when it is unset or empty.
package func environmentVariable(_ name: String) -> String? {
  guard let value = getenv(name) else { return nil }
  let text = String(cString: value)
  return text.isEmpty ? nil : text
}

package func sleepMilliseconds(_ milliseconds: UInt32) { usleep(milliseconds * 1000) }

/// Compares bytes: returns a value below, equal to or above 0 when the first bytes sort before,
/// equal to or after the second.
func compareMemory(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int) -> Int {
  Int(memcmp(a, b, count))
}

package func hostName() -> String {
  var name = [CChar](repeating: 0, count: 256)
  gethostname(&name, name.count - 1)
  return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Returns the name that the current user logs in with, or the user's number.
package func loginName() -> String { userName(geteuid()) }

func userName(_ user: UInt32) -> String {
  guard let entry = getpwuid(user) else { return "user \(user)" }
  return String(cString: entry.pointee.pw_name)
}
