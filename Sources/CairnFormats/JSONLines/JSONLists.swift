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

  /// Calls `visit` with each member of the file's top-level object, and with each member of those of
  /// its members that are named in `containers` and are objects.
  ///
  /// - Parameter visit: Its first argument is the container; nil for a member of the top-level
  ///   object.
  func forEachMember(
    of path: String, in containers: Set<String> = [],
    _ visit: (_ container: String?, _ key: String, JSON, ImportedLocation) throws -> Void
  ) throws {
    try withJSON(of: path) { reader in
      try reader.forEachMember(depth: 1) { reader, key in
        guard containers.contains(key), reader.isAtObject else {
          let (value, location, _) = try reader.next(depth: 1)
          return try visit(nil, key, value, location)
        }
        try reader.forEachMember(depth: 2) { reader, inner in
          let (value, location, _) = try reader.next(depth: 2)
          try visit(key, inner, value, location)
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
  private let bytes: UnsafeBufferPointer<UInt8>
  private var lines: LineCounter
  private var progress: ImportReader.ReadProgress

  init(path: String, _ bytes: UnsafeBufferPointer<UInt8>) {
    (self.path, self.bytes, scanner) = (path, bytes, JSONScanner(bytes))
    (lines, progress) = (LineCounter(bytes), ImportReader.ReadProgress(bytes))
  }

  mutating func next(depth: Int) throws -> (JSON, ImportedLocation, offset: Int) {
    let offset = scanner.offset
    let location = ImportedLocation(path, line: lines.line(at: offset))
    progress.advance(to: offset)
    return (try scanner.value(depth: depth), location, offset)
  }

  /// Whether the next value is an object.
  var isAtObject: Bool {
    let next = bytes[scanner.offset...].first {
      $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09
    }
    return next == UInt8(ascii: "{")
  }

  /// Calls `visit` at the value of each member, which it has to read.
  mutating func forEachMember(
    depth: Int, _ visit: (inout LocatingScanner, _ key: String) throws -> Void
  ) throws {
    try scanner.beginObject()
    var isFirst = true
    while let token = try scanner.nextMember(&isFirst) {
      try visit(&self, try scanner.string(of: token))
    }
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
