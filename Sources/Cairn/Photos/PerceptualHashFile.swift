internal import CairnDocument
internal import CairnFiles
internal import CairnPhotos
internal import SystemPackage

/// The perceptual hashes of photos, cached on this device; derived data, so it may be deleted.
///
/// Records of 48 bytes: the 32 of the photo's id, the 8 of the hash, 4 of flags (the lowest byte 1
/// if there is a hash, 0 if the photo has none; the next the version of the method), and the CRC-32
/// of those 44; numbers are big-endian. The last record of a photo wins. Records are appended
/// without a lock: a partly written record is invalid, and so may be what follows it until the next
/// reader notices and rewrites the file.
struct PerceptualHashFile {
  let path: FilePath
  let files: FileSystem

  /// Version of the hash method; changes whenever the method does.
  private static let method: UInt8 = 1
  private static let recordSize = 48

  /// A photo and its hash; nil if the hash was computed and the photo has none.
  typealias Record = (id: PhotoID, hash: PerceptualHash?)

  /// Returns the hashes by photo; an inner nil for photos that have none.
  func read() throws -> [PhotoID: PerceptualHash?] {
    let bytes = try files.read(path) ?? []
    var hashes: [PhotoID: PerceptualHash?] = [:]
    hashes.reserveCapacity(bytes.count / Self.recordSize)
    var isValid = bytes.count % Self.recordSize == 0
    bytes.withUnsafeBytes { bytes in
      for start in stride(from: 0, through: bytes.count - Self.recordSize, by: Self.recordSize) {
        let record = UnsafeRawBufferPointer(rebasing: bytes[start..<start + Self.recordSize])
        if let (id, hash) = Self.parse(record) {
          hashes.updateValue(hash, forKey: id)
        } else {
          isValid = false
        }
      }
    }
    if !isValid { try? replace(with: hashes) }
    return hashes
  }

  func append(_ records: [Record]) throws {
    if records.isEmpty { return }
    try files.createDirectory(above: path)
    try files.append(records.flatMap(Self.bytes), to: path)
  }

  private func replace(with hashes: [PhotoID: PerceptualHash?]) throws {
    let records = hashes.sorted { $0.key < $1.key }
    try files.write(
      records.flatMap { Self.bytes((id: $0.key, hash: $0.value)) }, to: path,
      temporary: FilePath("\(path).tmp"))
  }

  private static func bytes(_ record: Record) -> [UInt8] {
    var bytes = record.id.digest
    bytes.append(bigEndian: record.hash?.bits ?? 0)
    bytes += [0, 0, method, record.hash == nil ? 0 : 1]
    bytes.append(bigEndian: bytes.withUnsafeBytes { crc32($0) })
    return bytes
  }

  private static func parse(_ record: UnsafeRawBufferPointer) -> Record? {
    func number<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
      Number(bigEndian: record.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
    let checked = UnsafeRawBufferPointer(rebasing: record[..<44])
    guard crc32(checked) == number(44) as UInt32, record[42] == method else { return nil }
    return (
      PhotoID(digest: record[..<32]),
      record[43] == 1 ? PerceptualHash(bits: number(32)) : nil
    )
  }
}

extension Array where Element == UInt8 {
  fileprivate mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
