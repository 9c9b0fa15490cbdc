import SystemPackage

/// Returns all that a file or a pipe has; nil when it cannot be read, or has more bytes than `limit`.
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
  /// Without white space at either end.
  var trimmed: String {
    let start = drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }
}
