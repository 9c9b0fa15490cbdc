package import CairnDocument

/// A Git LFS pointer: git stores it in place of an image, with the image's id and size.
///
/// Source: Git LFS specification, “The Pointer”.
package struct Pointer: Equatable, Sendable {
  package let id: PhotoID
  /// In bytes.
  package let size: Int

  package init(id: PhotoID, size: Int) { (self.id, self.size) = (id, size) }

  /// The size in bytes that no image exceeds. A pointer can claim more, which no store has.
  package static let largestImage = 1 << 50

  /// Returns the size of all images together; `Int.max` if it is larger, which hostile pointers claim.
  package static func totalSize(_ pointers: some Sequence<Pointer>) -> Int {
    pointers.reduce(0) { total, pointer in
      let (sum, isTooLarge) = total.addingReportingOverflow(pointer.size)
      return isTooLarge ? .max : sum
    }
  }

  /// A larger file is not a pointer.
  package static let sizeLimit = 1024

  private static let version = "https://git-lfs.github.com/spec/v1"

  /// The versions that git-lfs still reads.
  private static let knownVersions = [
    version, "https://hawser.github.com/spec/v1", "http://git-media.io/v/2",
  ]

  /// The bytes that git-lfs writes.
  package var bytes: [UInt8] {
    Array("version \(Pointer.version)\noid sha256:\(id)\nsize \(size)\n".utf8)
  }

  /// Parses a pointer as leniently as git-lfs does; nil if the bytes are not one.
  ///
  /// Source: git-lfs, lfs/pointer.go, `decodeKVData`: the keys in their order, with extensions
  /// anywhere before the last of them.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count < Pointer.sizeLimit, let text = String(validating: bytes, as: UTF8.self)
    else {
      return nil
    }
    var keys = ["version", "oid", "size"][...]
    var values: [Substring] = []
    var extensions: [Substring: Substring] = [:]
    for line in Pointer.lines(of: text) {
      guard let space = line.firstIndex(of: " "), let key = keys.first else { return nil }
      let (word, value) = (line[..<space], line[line.index(after: space)...])
      if word == key {
        values.append(value)
        keys.removeFirst()
      } else {
        guard let priority = Pointer.priority(ofExtension: word), Pointer.id(value) != nil,
          extensions.updateValue(word, forKey: priority) ?? word == word
        else { return nil }
      }
    }
    guard keys.isEmpty, Pointer.knownVersions.contains(String(values[0])),
      let id = Pointer.id(values[1]), let size = Int(values[2]), size >= 0
    else { return nil }
    self.init(id: id, size: size)
  }

  /// Returns the lines that are not empty, ignoring white space around the whole text.
  private static func lines(of text: String) -> [Substring] {
    var rest = text.unicodeScalars[...]
    while rest.first?.properties.isWhitespace == true { rest.removeFirst() }
    while rest.last?.properties.isWhitespace == true { rest.removeLast() }
    return rest.split(separator: "\n")
      .map { Substring($0.last == "\r" ? $0.dropLast() : $0) }
      .filter { !$0.isEmpty }
  }

  /// Returns the digit of a key such as `ext-0-name`; nil if it is not such a key.
  private static func priority(ofExtension key: Substring) -> Substring? {
    let parts = key.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "ext", parts[1].utf8.count == 1, Int(parts[1]) != nil,
      let first = parts[2].unicodeScalars.first,
      first.isASCII,
      first == "_" || first.properties.isAlphabetic || first.properties.numericType != nil
    else { return nil }
    return parts[1]
  }

  private static func id(_ value: Substring) -> PhotoID? {
    value.hasPrefix("sha256:") ? PhotoID(String(value.dropFirst("sha256:".count))) : nil
  }
}
