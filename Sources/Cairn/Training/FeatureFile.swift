internal import CairnDocument
internal import CairnFiles
internal import CairnPhotos
internal import CairnTraining
internal import SystemPackage

/// The features of photos, cached on this device; derived data, so it may be deleted.
///
/// Records of equal size: the 32 bytes of the photo's id, 4 of the version of the features, 4 of a
/// scale, the features in units of that scale as 16-bit integers, and the CRC-32 of all that; numbers
/// are little-endian. Records are appended without a lock: a partly written record is invalid, and so
/// may be what follows it until the next reader notices and rewrites the file.
struct FeatureFile {
  let path: FilePath
  let files: FileSystem

  private static let count = Codebook.fisherCount
  private static let recordSize = 32 + 4 + 4 + 2 * count + 4

  /// Returns the features of photos; those that are not cached are left out.
  ///
  /// - Parameter photos: Nil for all.
  func read(_ photos: Set<PhotoID>?) throws -> [PhotoID: [Float]] {
    guard try files.status(path) != nil else { return [:] }
    var features: [PhotoID: [Float]] = [:]
    let isValid = try files.withMapping(of: path) { bytes in
      var isValid = bytes.count % FeatureFile.recordSize == 0
      for record in FeatureFile.records(bytes) {
        guard let id = FeatureFile.id(record) else {
          isValid = false
          continue
        }
        if photos?.contains(id) ?? true, features[id] == nil {
          features[id] = FeatureFile.features(record)
        }
      }
      return isValid
    }
    if !isValid { try? dropInvalid() }
    return features
  }

  func append(_ records: [(id: PhotoID, features: QuantizedFeatures)]) throws {
    if records.isEmpty { return }
    try files.createDirectory(path.removingLastComponent())
    try files.append(records.flatMap { FeatureFile.bytes($0.id, $0.features) }, to: path)
  }

  private func dropInvalid() throws {
    let bytes = try files.read(path) ?? []
    let valid = bytes.withUnsafeBytes { bytes in
      FeatureFile.records(bytes).filter { FeatureFile.id($0) != nil }.flatMap { Array($0) }
    }
    try files.write(valid, to: path, temporary: FilePath("\(path).tmp"))
  }

  private static func records(_ bytes: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer] {
    stride(from: 0, through: bytes.count - recordSize, by: recordSize).map {
      UnsafeRawBufferPointer(rebasing: bytes[$0..<$0 + recordSize])
    }
  }

  private static func bytes(_ id: PhotoID, _ features: QuantizedFeatures) -> [UInt8] {
    var bytes = id.digest
    bytes.append(littleEndian: UInt32(Codebook.version))
    bytes.append(littleEndian: features.scale.bitPattern)
    for value in features.values { bytes.append(littleEndian: UInt16(bitPattern: value)) }
    bytes.append(littleEndian: bytes.withUnsafeBytes { crc32($0) })
    return bytes
  }

  /// Returns the photo of a record; nil if it is invalid, or of another version.
  private static func id(_ record: UnsafeRawBufferPointer) -> PhotoID? {
    let checked = UnsafeRawBufferPointer(rebasing: record[..<(recordSize - 4)])
    guard record.number(32) == UInt32(Codebook.version),
      crc32(checked) == record.number(recordSize - 4)
    else { return nil }
    return PhotoID(digest: record[..<32])
  }

  private static func features(_ record: UnsafeRawBufferPointer) -> [Float] {
    let values = (0..<count).map { index in
      Int16(
        bitPattern: UInt16(
          littleEndian: record.loadUnaligned(fromByteOffset: 40 + 2 * index, as: UInt16.self)))
    }
    return QuantizedFeatures(scale: Float(bitPattern: record.number(36)), values: values).floats
  }
}

/// Features as they are cached: training and prediction take these, whether they come from the cache
/// or not, so that equal photos always give equal models.
struct QuantizedFeatures: Equatable, Sendable {
  let scale: Float
  let values: [Int16]

  init(scale: Float, values: [Int16]) { (self.scale, self.values) = (scale, values) }

  init(_ features: [Float]) {
    let largest = features.reduce(0) { max($0, $1.magnitude) }
    let scale = largest / 32767
    self.scale = scale
    values = features.map { scale > 0 ? Int16(($0 / scale).rounded()) : 0 }
  }

  var floats: [Float] { values.map { Float($0) * scale } }
}

extension UnsafeRawBufferPointer {
  fileprivate func number(_ offset: Int) -> UInt32 {
    UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}

extension Array where Element == UInt8 {
  fileprivate mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
