internal import CDeflate
internal import CairnDocument
internal import CairnFiles
internal import SystemPackage

/// The CRC-32 of a blob's bytes. A file keeps it from when their SHA-256 was computed: to read the file
/// again and compare its CRC-32 detects damage in an eighth of the time.
struct BlobChecksum: Equatable {
  private var value: UInt32 = 0

  init() {}

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    value = libdeflate_crc32(value, start, bytes.count)
  }

  private static let attribute = "user.cairn"
  /// The size of the beginning of an id, in bytes.
  private static let prefixSize = 8

  /// Returns the checksum that a file keeps for a blob: not that of a file of which it is a copy.
  init?(of id: PhotoID, in file: FileDescriptor) {
    let (size, count) = (MemoryLayout<UInt32>.size, BlobChecksum.prefixSize)
    guard let bytes = file.attribute(BlobChecksum.attribute, count: count + size),
      bytes.starts(with: id.digest.prefix(count))
    else { return nil }
    value = bytes[count...].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Keeps the checksum with a file that is still writable, where its file system can.
  ///
  /// - Parameter id: The SHA-256 of the same bytes.
  func record(of id: PhotoID, in file: FileDescriptor) {
    let bytes = withUnsafeBytes(of: value.bigEndian) { Array($0) }
    file.setAttribute(
      BlobChecksum.attribute, to: id.digest.prefix(BlobChecksum.prefixSize) + bytes)
  }
}
