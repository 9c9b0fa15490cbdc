internal import LibC

/// Returns a variable of the environment; nil when it is not set or empty.
package func environment(_ name: String) -> String? {
  guard let value = getenv(name) else { return nil }
  let text = String(cString: value)
  return text.isEmpty ? nil : text
}

func sleepMilliseconds(_ milliseconds: UInt32) { usleep(milliseconds * 1000) }

func hostName() -> String {
  var name = [CChar](repeating: 0, count: 256)
  gethostname(&name, name.count - 1)
  return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
