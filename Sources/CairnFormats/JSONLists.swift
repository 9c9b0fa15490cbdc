internal import CairnDocument

// Files of JSON may be larger than memory: the elements of their lists are read one at a time.

extension ForeignSource {
  /// Calls `visit` with each element of the list that a file is.
  func forEachElement(
    of path: String, _ visit: (JSON, ForeignPlace) throws -> Void
  ) throws {
    try withJSON(of: path) { reader in
      try reader.forEachElement(depth: 1) { value, place, _ in try visit(value, place) }
    }
  }

  /// Calls `visit` with each element of lists that are members of the object that a file is, and with the
  /// value of each other member; where they begin, too.
  func forEachElement(
    of path: String, in lists: Set<String>,
    _ visit: (_ key: String, JSON, ForeignPlace, _ offset: Int) throws -> Void
  ) throws {
    try withJSON(of: path) { reader in
      try reader.scanner.beginObject()
      var isFirst = true
      while let token = try reader.scanner.nextMember(&isFirst) {
        let key = try reader.scanner.string(of: token)
        if lists.contains(key) {
          try reader.forEachElement(depth: 2) { try visit(key, $0, $1, $2) }
        } else {
          let (value, place, offset) = try reader.next(depth: 1)
          try visit(key, value, place, offset)
        }
      }
    }
  }

  private func withJSON(of path: String, _ body: (inout PlacedScanner) throws -> Void) throws {
    try withBytes(of: path) { bytes in
      try scanning(path) {
        var reader = PlacedScanner(path: path, bytes)
        try body(&reader)
        try reader.scanner.finish()
      }
    }
  }
}

/// Reads values, and tells where they stand.
private struct PlacedScanner {
  let path: String
  var scanner: JSONScanner
  private var lines: LineCounter
  private var passed: ForeignSource.Passed

  init(path: String, _ bytes: UnsafeBufferPointer<UInt8>) {
    (self.path, scanner) = (path, JSONScanner(bytes))
    (lines, passed) = (LineCounter(bytes), ForeignSource.Passed(bytes))
  }

  mutating func next(depth: Int) throws -> (JSON, ForeignPlace, offset: Int) {
    let offset = scanner.offset
    let place = ForeignPlace(path, line: lines.line(at: offset))
    passed.pass(to: offset)
    return (try scanner.value(depth: depth), place, offset)
  }

  mutating func forEachElement(
    depth: Int, _ visit: (JSON, ForeignPlace, _ offset: Int) throws -> Void
  ) throws {
    try scanner.beginArray()
    var isFirst = true
    while try scanner.nextElement(&isFirst) {
      let (value, place, offset) = try next(depth: depth)
      try visit(value, place, offset)
    }
  }
}

/// Tells the lines of places that are asked for in their order.
struct LineCounter {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var line = 1

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func line(at offset: Int) -> Int {
    while position < offset {
      if bytes[position] == 0x0A { line += 1 }
      position += 1
    }
    return line
  }
}
