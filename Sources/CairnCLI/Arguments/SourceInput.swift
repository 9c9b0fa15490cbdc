import SystemPackage

/// Returns the contents of a file or a pipe; nil if it cannot be read or has more than `limit`
/// bytes.
func readAll(_ file: FileDescriptor, limit: Int) -> [UInt8]? {
  var all: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 64 << 10)
  while true {
    guard let count = try? piece.withUnsafeMutableBytes({ try file.read(into: $0) }) else {
      return nil
    }
    if count == 0 { return all }
    all += piece[..<count]
    if all.count > limit { return nil }
  }
}

extension String {
  /// This text without white space at its ends.
  var trimmed: String {
    let start = drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }
}
