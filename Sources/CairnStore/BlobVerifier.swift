package import CairnDocument
internal import Crypto
package import SystemPackage

/// Verifies that the bytes of a file are those of a blob, while they are read: by the CRC-32 that the
/// file keeps since their SHA-256 was computed, otherwise by their SHA-256.
package struct BlobVerifier {
  private let id: PhotoID?
  /// Nil if the file keeps none.
  private let recorded: BlobChecksum?
  private var checksum = BlobChecksum()
  private var hash = SHA256()

  /// - Parameter id: The SHA-256 of the bytes; nil if it is unknown, so that none are intact.
  package init(_ id: PhotoID?, in file: FileDescriptor) {
    self.id = id
    recorded = id.flatMap { BlobChecksum(of: $0, in: file) }
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if recorded != nil { checksum.update(bytes) } else { hash.update(bufferPointer: bytes) }
  }

  /// Whether the bytes so far are all of the blob.
  package var isIntact: Bool {
    recorded.map { $0 == checksum } ?? (PhotoID(digest: hash.finalize()) == id)
  }
}
