/// The files of a tar archive, in order. Source: POSIX.1-1988 “ustar”; POSIX.1-2001 “pax”, `path`
/// and `size`; GNU tar, long names and sizes in base 256.
struct TarArchive {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The offset of the next header.
  private(set) var position = 0

  private static let block = 512
  private static let nameLimit = 1 << 16

  struct Member {
    let name: String
    /// The file's bytes in the archive.
    let range: Range<Int>
  }

  /// A violation of the format.
  struct Failure: Error { let message: String }

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Returns the next regular file; nil at the end. Directories and links are skipped.
  mutating func next() throws -> Member? {
    var (longName, longSize): (String?, Int?) = (nil, nil)
    while position + TarArchive.block <= bytes.count {
      let header = UnsafeBufferPointer(rebasing: bytes[position..<position + TarArchive.block])
      // Zeros end the archive.
      if header.allSatisfy({ $0 == 0 }) { return nil }
      guard isValid(header), let given = size(header[124..<136]) else {
        throw Failure(message: "not a tar archive, or a damaged one")
      }
      let type = header[156]
      let isExtension = type == UInt8(ascii: "x") || type == UInt8(ascii: "L")
      let size = isExtension ? given : longSize ?? given
      let start = position + TarArchive.block
      guard size <= bytes.count - start else { throw Failure(message: "the archive is cut off") }
      let range = start..<start + size
      position = min(
        bytes.count, start + (size + TarArchive.block - 1) / TarArchive.block * TarArchive.block)
      switch type {
      case 0, UInt8(ascii: "0"), UInt8(ascii: "7"):
        return Member(name: longName ?? name(header), range: range)
      case UInt8(ascii: "L"):
        longName = text(bytes[range].prefix(TarArchive.nameLimit))
      case UInt8(ascii: "x"):
        for (key, value) in records(range) {
          if key == "path" { longName = value }
          if key == "size" { longSize = Int(value) }
        }
        if let longSize, longSize < 0 { throw Failure(message: "a negative size") }
      default: (longName, longSize) = (nil, nil)
      }
    }
    return nil
  }

  /// Returns whether the checksum is right.
  private func isValid(_ header: UnsafeBufferPointer<UInt8>) -> Bool {
    var sum = 0
    for (index, byte) in header.enumerated() { sum += 148..<156 ~= index ? 32 : Int(byte) }
    return size(header[148..<156]) == sum
  }

  /// Returns an octal number, or a number in base 256; nil when it is neither or too large.
  private func size(_ field: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    guard let first = field.first else { return nil }
    if first & 0x80 != 0 {
      var value = 0
      for (index, byte) in field.enumerated() {
        guard value < 1 << 48 else { return nil }
        value = value << 8 | Int(index == 0 ? byte & 0x7F : byte)
      }
      return value
    }
    let digits = field.drop { $0 == 0x20 }.prefix { 0x30...0x37 ~= $0 }
    guard digits.count <= 12 else { return nil }
    return digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }
  }

  private func text(_ field: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Returns the name of a header, which “ustar” splits into two fields.
  private func name(_ header: UnsafeBufferPointer<UInt8>) -> String {
    let name = text(header[0..<100])
    let isPOSIX = header[257..<263].elementsEqual(Array("ustar\0".utf8))
    let prefix = isPOSIX ? text(header[345..<500]) : ""
    return prefix.isEmpty ? name : "\(prefix)/\(name)"
  }

  /// Returns the records of a pax header: `LENGTH KEY=VALUE\n`.
  private func records(_ range: Range<Int>) -> [(key: String, value: String)] {
    let text = String(decoding: bytes[range].prefix(TarArchive.nameLimit), as: UTF8.self)
    return text.split(separator: "\n").compactMap { line in
      guard let space = line.firstIndex(of: " ") else { return nil }
      let pair = line[line.index(after: space)...].split(separator: "=", maxSplits: 1)
      return pair.count == 2 ? (String(pair[0]), String(pair[1])) : nil
    }
  }
}
