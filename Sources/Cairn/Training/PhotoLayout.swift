package import CairnDocument
internal import CairnFiles
internal import CairnPhotos
internal import CairnTraining
internal import SystemPackage

/// The positions of photos on a plane where similar photos are near each other.
package struct PhotoLayout: Sendable {
  /// From 0 to 1 in both directions.
  package typealias Position = (x: Float, y: Float)

  /// The photos that were arranged.
  package let positions: [PhotoID: Position]

  init(_ photos: [PhotoID], _ positions: [Position]) {
    self.positions = Dictionary(zip(photos, positions), uniquingKeysWith: { $1 })
  }
}

/// The file of a layout, kept on this device; derived data, so it may be deleted.
///
/// The version of the features, a record for each photo, sorted by id, and the CRC-32 of all that. A
/// record has the 32 bytes of the photo's id and its position as two 32-bit floats; numbers are
/// little-endian.
struct PhotoLayoutFile {
  let path: FilePath
  let files: FileSystem

  /// - Parameter features: The cached features from which the layout is computed.
  init(nextTo features: FeatureFile) {
    (path, files) = (FilePath("\(features.path).layout"), features.files)
  }

  private static let recordSize = 32 + 4 + 4

  func write(_ layout: PhotoLayout) throws {
    try files.createDirectory(above: path)
    try files.write(
      PhotoLayoutFile.bytes(layout), to: path, temporary: FilePath("\(path).new"))
  }

  /// Returns the layout; nil if there is none that this version of the program can use.
  func read() throws -> PhotoLayout? {
    try files.read(path).flatMap { PhotoLayoutFile.layout($0) }
  }

  static func bytes(_ layout: PhotoLayout) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(layout.positions.count * recordSize + 8)
    bytes.append(littleEndian: UInt32(Codebook.version))
    for (photo, position) in layout.positions.sorted(by: { $0.key < $1.key }) {
      bytes += photo.digest
      bytes.append(littleEndian: position.x.bitPattern)
      bytes.append(littleEndian: position.y.bitPattern)
    }
    bytes.append(littleEndian: bytes.withUnsafeBytes { crc32($0) })
    return bytes
  }

  static func layout(_ bytes: [UInt8]) -> PhotoLayout? {
    let count = (bytes.count - 8) / recordSize
    guard bytes.count >= 8, bytes.count == count * recordSize + 8 else { return nil }
    return bytes.withUnsafeBytes { bytes in
      let end = bytes.count - 4
      guard bytes.number(0) == UInt32(Codebook.version),
        crc32(UnsafeRawBufferPointer(rebasing: bytes[..<end])) == bytes.number(end)
      else { return nil }
      var (photos, positions): ([PhotoID], [PhotoLayout.Position]) = ([], [])
      for start in stride(from: 4, to: end, by: recordSize) {
        photos.append(PhotoID(digest: bytes[start..<start + 32]))
        positions.append(
          (
            Float(bitPattern: bytes.number(start + 32)), Float(bitPattern: bytes.number(start + 36))
          ))
      }
      return PhotoLayout(photos, positions)
    }
  }
}
