internal import CairnDocument
internal import CairnFiles
internal import CairnLabelers
internal import CairnPhotos
internal import CairnTraining
internal import SystemPackage

/// The features of photos, or of changed copies of them, in one space, cached on this device; derived
/// data, so it may be deleted.
///
/// Records of equal size: the 32 bytes of the photo's id, 4 that name the space, 4 of a scale, the features in units of that scale as 16-bit integers, and the CRC-32 of all that; numbers
/// are little-endian. The last record of a photo wins. A record that was written in part by a process
/// that ended is cut off before the next is appended, so all others stay where they are.
struct FeatureFile {
  let path: FilePath
  let files: FileSystem

  /// The number of features of a photo.
  fileprivate let count: Int
  /// The version of the program's features, or the beginning of the name of another space.
  fileprivate let mark: UInt32

  /// - Parameters:
  ///   - copies: The kind of changed copies whose features it has; nil for those of the photos.
  ///   - folder: The directory with the files of all spaces.
  init(
    _ space: FeatureSpace, copies: Augmentation? = nil, in folder: FilePath, files: FileSystem
  ) {
    let kind = copies.map { "-\($0.rawValue)-\(Augmentation.version)" } ?? ""
    (path, count, self.files) = (folder.appending(space.name + kind), space.count, files)
    switch space {
    case .fisher: mark = UInt32(Codebook.version)
    case .embedding(let embedding):
      let digits = embedding.name.split(separator: "-").last ?? ""
      mark = UInt32(digits.prefix(8), radix: 16) ?? 0
    }
  }

  fileprivate var recordSize: Int { 32 + 4 + 4 + 2 * count + 4 }

  func append(_ records: [(id: PhotoID, features: QuantizedFeatures)]) throws {
    if records.isEmpty { return }
    try files.createDirectory(above: path)
    let file = try files.openExclusivelyWaiting(path)
    defer { try? file.close() }
    let size = Int(try files.status(path)?.size ?? 0)
    let torn = size % recordSize
    if torn > 0 { try files.truncate(file, path, to: size - torn) }
    try files.writeAll(records.flatMap { bytes($0.id, $0.features) }, to: file, path)
  }

  /// Returns which photos have features, and where.
  func index() throws -> FeatureIndex { try FeatureIndex(self) }

  private func bytes(_ id: PhotoID, _ features: QuantizedFeatures) -> [UInt8] {
    var bytes = id.digest
    bytes.append(littleEndian: mark)
    bytes.append(littleEndian: features.scale.bitPattern)
    for value in features.values { bytes.append(littleEndian: UInt16(bitPattern: value)) }
    bytes.append(littleEndian: bytes.withUnsafeBytes { crc32($0) })
    return bytes
  }

  /// Returns the features of a record; nil if it is damaged, or of another photo or version.
  fileprivate func features(
    _ record: UnsafeRawBufferPointer, of id: PhotoID
  ) -> QuantizedFeatures? {
    guard record.count == recordSize, record.number(32) == mark,
      PhotoID(digest: record[..<32]) == id,
      crc32(UnsafeRawBufferPointer(rebasing: record[..<(recordSize - 4)]))
        == record.number(recordSize - 4)
    else { return nil }
    let values = (0..<count).map { index in
      Int16(
        bitPattern: UInt16(
          littleEndian: record.loadUnaligned(fromByteOffset: 40 + 2 * index, as: UInt16.self)))
    }
    return QuantizedFeatures(scale: Float(bitPattern: record.number(36)), values: values)
  }
}

/// Collects features and appends them to their file.
struct FeatureWriter {
  let file: FeatureFile
  private var waiting: [(id: PhotoID, features: QuantizedFeatures)] = []
  /// Those that could not be written: without space or the permission to write, features are computed
  /// again next time.
  private(set) var unsaved: [PhotoID: QuantizedFeatures] = [:]

  init(_ file: FeatureFile) { self.file = file }

  /// Whether enough are collected to be written.
  var isFull: Bool { waiting.count >= 64 }

  mutating func add(_ id: PhotoID, _ features: QuantizedFeatures) { waiting.append((id, features)) }

  mutating func save() {
    do {
      try file.append(waiting)
    } catch {
      for record in waiting { unsaved[record.id] = record.features }
    }
    waiting.removeAll()
  }
}

/// Where the features of photos are in their file. Records are read on demand; those that are
/// appended after it was created are not seen.
final class FeatureIndex: Sendable {
  private let source: FeatureFile
  private let file: FileDescriptor?
  private let numbers: [PhotoID: Int]

  fileprivate init(_ source: FeatureFile) throws {
    self.source = source
    let (path, files, size) = (source.path, source.files, source.recordSize)
    guard let file = try files.openForReading(path) else {
      (self.file, numbers) = (nil, [:])
      return
    }
    var numbers: [PhotoID: Int] = [:]
    do {
      let count = Int(try files.status(path)?.size ?? 0) / size
      for number in 0..<count {
        let id = try files.read(file, path, at: number * size, count: 32)
        if id.count == 32 { numbers[id.withUnsafeBytes { PhotoID(digest: $0[...]) }] = number }
      }
    } catch {
      try? file.close()
      throw error
    }
    (self.file, self.numbers) = (file, numbers)
  }

  deinit { try? file?.close() }

  func contains(_ photo: PhotoID) -> Bool { numbers[photo] != nil }

  /// Returns the features of a photo; nil if they are not in the file, or damaged.
  func features(of photo: PhotoID) throws -> QuantizedFeatures? {
    guard let file, let number = numbers[photo] else { return nil }
    let size = source.recordSize
    return try source.files.read(file, source.path, at: number * size, count: size)
      .withUnsafeBytes { source.features($0, of: photo) }
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
    // The scale of very small features is rounded, so that quotients may exceed the range.
    values = features.map { feature in
      scale > 0 ? Int16(min(max((feature / scale).rounded(), -32767), 32767)) : 0
    }
  }

  var floats: [Float] { values.map { Float($0) * scale } }
}

extension UnsafeRawBufferPointer {
  func number(_ offset: Int) -> UInt32 {
    UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}

extension Array where Element == UInt8 {
  mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
