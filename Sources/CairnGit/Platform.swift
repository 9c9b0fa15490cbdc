internal import LibC

/// Returns a variable of the environment; nil when it is not set or empty.
package func environment(_ name: String) -> String? {
  guard let value = getenv(name) else { return nil }
  let text = String(cString: value)
  return text.isEmpty ? nil : text
}

package func sleepMilliseconds(_ milliseconds: UInt32) { usleep(milliseconds * 1000) }

/// Compares bytes: below, at or above 0 as the first sort before, with or after the others.
func compareMemory(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int) -> Int {
  Int(memcmp(a, b, count))
}

func hostName() -> String {
  var name = [CChar](repeating: 0, count: 256)
  gethostname(&name, name.count - 1)
  return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
