/// A reader of outside data: it may reject bytes, but must neither crash, hang nor take much memory.
struct FuzzTarget: Sendable {
  let name: String
  let read: @Sendable (_ input: [UInt8]) throws -> Void

  init(_ name: String, _ read: @escaping @Sendable (_ input: [UInt8]) throws -> Void) {
    (self.name, self.read) = (name, read)
  }

  /// All targets; those that decode images or write files take the longest, and come last.
  static let all =
    documentTargets + gitTargets + serverTargets + sourceTargets + modelTargets + imageTargets
    + packTargets + pullTargets + importTargets
}

/// Returns the parts of an input that `@@` on a line of its own separates.
func parts(of input: [UInt8]) -> [[UInt8]] {
  let separator = Array("\n@@\n".utf8)
  var parts: [[UInt8]] = [[]]
  var rest = input[...]
  while let first = rest.first {
    if first == separator[0], rest.starts(with: separator) {
      parts.append([])
      rest = rest.dropFirst(separator.count)
    } else {
      parts[parts.count - 1].append(first)
      rest = rest.dropFirst()
    }
  }
  return parts
}

/// Calls `take` with pieces of 7 bytes, so that most packets are split.
func forEachPiece(
  of input: [UInt8], _ take: (UnsafeRawBufferPointer) throws -> Void
) throws {
  try input.withUnsafeBytes { bytes in
    for start in stride(from: 0, to: bytes.count, by: 7) {
      try take(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + 7, bytes.count)]))
    }
  }
}
