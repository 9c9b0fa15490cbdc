internal import CairnFiles
internal import Crypto
internal import LibC

extension IndexFile {
  /// Parses the bytes of an index file that was written at `modified`.
  init(bytes: [UInt8], modified: Int64) throws(GitError) {
    self.init()
    self.modified = modified
    var reader = ByteReader(bytes)
    guard try reader.take(4).elementsEqual("DIRC".utf8) else { throw IndexFile.damaged }
    let version = try reader.uint32()
    guard 2...4 ~= version else {
      throw GitError(.other, "git's index has version \(version), which cairn does not support")
    }
    let count = Int(try reader.uint32())
    guard count <= bytes.count / 62 else { throw IndexFile.damaged }
    entries.reserveCapacity(count)
    for _ in 0..<count { entries.append(try entry(&reader, version: version)) }
    while reader.count > 20 {
      let name = Array(try reader.take(4))
      _ = try reader.take(Int(try reader.uint32()))
      // A lowercase extension must be understood, since it changes the meaning of the index.
      if 0x61...0x7A ~= name[0], !name.elementsEqual(IndexFile.sparseDirectories) {
        let name = String(decoding: name, as: UTF8.self)
        let command = "git config core.splitIndex false && git update-index --no-split-index"
        throw GitError(
          .other,
          "git's index uses “\(name)”, which cairn does not support"
            + (name == "link" ? " (`\(command)`)" : ""))
      }
    }
  }

  /// The name of the extension that marks an index with directory entries.
  private static let sparseDirectories = Array("sdir".utf8)

  static let damaged = GitError(.corrupt, "git's index file is damaged")

  private func entry(_ reader: inout ByteReader, version: UInt32) throws(GitError) -> Entry {
    let start = reader.position
    var status = IndexStatus()
    status.changed = (try reader.uint32(), try reader.uint32())
    status.modified = (try reader.uint32(), try reader.uint32())
    status.device = try reader.uint32()
    status.inode = try reader.uint32()
    let mode = try reader.uint32()
    status.user = try reader.uint32()
    status.group = try reader.uint32()
    status.size = try reader.uint32()
    let id = try reader.take(20).withUnsafeBytes { ObjectID(reading: $0.baseAddress!) }
    let flags = try reader.uint16()
    let extended = flags & 0x4000 != 0 ? try reader.uint16() : 0

    let path: String
    if version == 4 {
      let previous = entries.last.map { GitName.bytes($0.path) } ?? []
      let strip = try reader.offsetVarint()
      guard strip <= previous.count else { throw IndexFile.damaged }
      path = GitName.text(previous.dropLast(strip) + (try reader.takeUntilZero()))
    } else {
      path = GitName.text(try reader.takeUntilZero())
      // Entries are padded with zeros, at least one, to a multiple of eight bytes.
      let length = reader.position - start
      _ = try reader.take((8 - length % 8) % 8)
    }
    guard let mode = FileMode(octal: mode) else { throw IndexFile.damaged }
    var entry = Entry(path: path, node: TreeNode(mode, id), status: status)
    entry.stage = UInt8(flags >> 12 & 3)
    entry.isAssumedUnchanged = flags & 0x8000 != 0
    entry.extendedFlags = extended
    return entry
  }

  /// Passes the bytes of the index file to `take` in chunks, as version 2, or as version 3 if an
  /// entry requires it.
  ///
  /// - Parameter added: Entries of files that are in the index file, but not in ``entries``.
  func write(adding added: SpilledEntries? = nil, _ take: ([UInt8]) throws -> Void) throws {
    var (count, isExtended) = (0, false)
    try forEachEntry(adding: added) { entry in
      count += 1
      if entry.extendedFlags != 0 { isExtended = true }
    }
    var hash = Insecure.SHA1()
    var out = Array("DIRC".utf8) + bigEndian(UInt32(isExtended ? 3 : 2))
    out += bigEndian(UInt32(count))
    try forEachEntry(adding: added) { entry in
      if out.count > 1 << 16 {
        hash.update(data: out)
        try take(out)
        out.removeAll(keepingCapacity: true)
      }
      entry.append(to: &out)
    }
    if hasCollapsedDirectories {
      out += IndexFile.sparseDirectories + bigEndian(UInt32(0))
    }
    hash.update(data: out)
    try take(out + hash.finalize())
  }

  /// Calls `visit` with the entries whose bytes ``Entry/append(to:)`` appended.
  static func forEachEntry(in bytes: [UInt8], _ visit: (Entry) throws -> Void) throws {
    var reader = ByteReader(bytes)
    while reader.count > 0 { try visit(try IndexFile().entry(&reader, version: 3)) }
  }
}

extension IndexFile.Entry {
  /// Appends the bytes of the entry, as in version 2, or 3 if it has extended flags.
  func append(to out: inout [UInt8]) {
    func append(_ field: some FixedWidthInteger) {
      withUnsafeBytes(of: field.bigEndian) { out.append(contentsOf: $0) }
    }
    let start = out.count
    append(status.changed.seconds)
    append(status.changed.nanoseconds)
    append(status.modified.seconds)
    append(status.modified.nanoseconds)
    append(status.device)
    append(status.inode)
    append(node.mode.rawValue)
    append(status.user)
    append(status.group)
    append(status.size)
    node.id.withBytes { out.append(contentsOf: $0) }
    FileName(path).withBytes { name in
      var flags = UInt16(min(name.count, 0xFFF)) | UInt16(stage) << 12
      if extendedFlags != 0 { flags |= 0x4000 }
      if isAssumedUnchanged { flags |= 0x8000 }
      append(flags)
      if extendedFlags != 0 { append(extendedFlags) }
      out.append(contentsOf: name)
    }
    out.append(contentsOf: repeatElement(0, count: 8 - (out.count - start) % 8))
  }
}

/// A reader of fields from the front of bytes.
private struct ByteReader {
  private let bytes: [UInt8]
  /// The offset of the next field.
  private(set) var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number of bytes that are left.
  var count: Int { bytes.count - position }

  mutating func take(_ length: Int) throws(GitError) -> ArraySlice<UInt8> {
    guard length >= 0, length <= count else { throw IndexFile.damaged }
    position += length
    return bytes[position - length..<position]
  }

  mutating func uint32() throws(GitError) -> UInt32 {
    let (high, low) = (try uint16(), try uint16())
    return UInt32(high) << 16 | UInt32(low)
  }

  mutating func uint16() throws(GitError) -> UInt16 {
    guard count >= 2 else { throw IndexFile.damaged }
    position += 2
    return UInt16(bytes[position - 2]) << 8 | UInt16(bytes[position - 1])
  }

  mutating func takeUntilZero() throws(GitError) -> ArraySlice<UInt8> {
    let length = bytes.withUnsafeBytes { bytes -> Int? in
      guard position < bytes.count else { return nil }
      let start = bytes.baseAddress! + position
      return memchr(start, 0, bytes.count - position).map { UnsafeRawPointer($0) - start }
    }
    guard let length else { throw IndexFile.damaged }
    defer { position += 1 }
    return try take(length)
  }

  /// Reads a number in the “offset encoding” of pack files.
  mutating func offsetVarint() throws(GitError) -> Int {
    var value = 0
    while true {
      let byte = try take(1).first!
      value = value << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { return value }
      guard value < 1 << 32 else { throw IndexFile.damaged }
      value += 1
    }
  }
}
