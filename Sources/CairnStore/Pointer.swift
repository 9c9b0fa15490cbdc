public import CairnDocument

/// What stands in git for an image: its id and its size.
///
/// Source: Git LFS specification, “The Pointer”.
public struct Pointer: Equatable, Sendable {
  public let id: PhotoID
  /// In bytes.
  public let size: Int

  public init(id: PhotoID, size: Int) { (self.id, self.size) = (id, size) }

  /// A larger file is not a pointer.
  public static let sizeLimit = 1024

  private static let version = "https://git-lfs.github.com/spec/v1"

  /// The versions that git-lfs still reads.
  private static let knownVersions = [
    version, "https://hawser.github.com/spec/v1", "http://git-media.io/v/2",
  ]

  /// The bytes that git-lfs writes.
  public var bytes: [UInt8] {
    Array("version \(Pointer.version)\noid sha256:\(id)\nsize \(size)\n".utf8)
  }

  /// Reads a pointer as leniently as git-lfs does; nil when the bytes are something else.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count < Pointer.sizeLimit, let text = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    var id: PhotoID?
    var size: Int?
    for (index, line) in text.split(whereSeparator: \.isNewline).enumerated() {
      let parts = line.split(separator: " ", omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      switch (index, parts[0]) {
      case (0, "version"):
        guard Pointer.knownVersions.contains(String(parts[1])) else { return nil }
      case (0, _): return nil
      case (_, "oid"):
        guard parts[1].hasPrefix("sha256:") else { return nil }
        id = PhotoID(String(parts[1].dropFirst("sha256:".count)))
      case (_, "size") where id != nil: size = Int(parts[1])
      case (_, let key) where key.hasPrefix("ext-"): break
      default: return nil
      }
    }
    guard let id, let size, size >= 0 else { return nil }
    self.init(id: id, size: size)
  }
}
