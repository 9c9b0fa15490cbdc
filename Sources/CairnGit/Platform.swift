internal import LibC

/// Returns a variable of the environment; nil when it is not set or empty.
package func environment(_ name: String) -> String? {
  guard let value = getenv(name) else { return nil }
  let text = String(cString: value)
  return text.isEmpty ? nil : text
}

func sleepMilliseconds(_ milliseconds: UInt32) { usleep(milliseconds * 1000) }
