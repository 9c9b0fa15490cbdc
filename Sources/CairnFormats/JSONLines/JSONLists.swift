internal import CairnDocument

// JSON files may be larger than memory, so the elements of their lists are read one at a time.

extension ImportReader {
  /// Calls `visit` with each element of a file that is a JSON array.
  func forEachElement(
    of path: String, _ visit: (JSON, ImportedLocation) throws -> Void
  ) throws {
    try withJSON(of: path) { reader in
      try reader.forEachElement(depth: 1) { value, location, _ in try visit(value, location) }
    }
  }

  /// Calls `visit` with each element of these list members of the file's top-level object, with the
  /// value of each other member, and with their offsets.
  func forEachElement(
    of path: String, in lists: Set<String>,
    _ visit: (_ key: String, JSON, ImportedLocation, _ offset: Int) throws -> Void
  ) throws {
    try withJSON(of: path) { reader in
      try reader.scanner.beginObject()
      var isFirst = true
      while let token = try reader.scanner.nextMember(&isFirst) {
        let key = try reader.scanner.string(of: token)
        if lists.contains(key) {
          try reader.forEachElement(depth: 2) { try visit(key, $0, $1, $2) }
        } else {
          let (value, location, offset) = try reader.next(depth: 1)
          try visit(key, value, location, offset)
        }
      }
    }
  }

  private func withJSON(of path: String, _ body: (inout LocatingScanner) throws -> Void) throws {
    try withBytes(of: path) { bytes in
      try scanning(path) {
        var reader = LocatingScanner(path: path, bytes)
        try body(&reader)
        try reader.scanner.finish()
      }
    }
  }
}

/// A scanner of JSON values that tracks their locations.
private struct LocatingScanner {
  let path: String
  var scanner: JSONScanner
  private var lines: LineCounter
  private var progress: ImportReader.ReadProgress

  init(path: String, _ bytes: UnsafeBufferPointer<UInt8>) {
    (self.path, scanner) = (path, JSONScanner(bytes))
    (lines, progress) = (LineCounter(bytes), ImportReader.ReadProgress(bytes))
  }

  mutating func next(depth: Int) throws -> (JSON, ImportedLocation, offset: Int) {
    let offset = scanner.offset
    let location = ImportedLocation(path, line: lines.line(at: offset))
    progress.advance(to: offset)
    return (try scanner.value(depth: depth), location, offset)
  }

  mutating func forEachElement(
    depth: Int, _ visit: (JSON, ImportedLocation, _ offset: Int) throws -> Void
  ) throws {
    try scanner.beginArray()
    var isFirst = true
    while try scanner.nextElement(&isFirst) {
      let (value, location, offset) = try next(depth: depth)
      try visit(value, location, offset)
    }
  }
}

/// A counter that returns the line numbers of ascending offsets.
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
