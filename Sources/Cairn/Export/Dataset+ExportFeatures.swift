public import CairnDocument
internal import CairnFiles
internal import CairnLabelers
public import SystemPackage

/// The result of exporting features.
public struct FeatureExport: Sendable {
  /// The number of photos.
  public let photos: Int
  /// The number of features of a photo.
  public let features: Int
  /// The kind of features: those of two kinds cannot be compared.
  public let kind: String
  /// Photos that were left out, because their images are not on this disk.
  public let missingImages: [PhotoID]
  /// Photos that were left out, because their images were erased.
  public let erasedImages: [PhotoID]
  /// Photos that were left out, because their images cannot be decoded.
  public let undecodableImages: [PhotoID]
}

extension Dataset {
  /// Exports the features that `cairn train` learns from, for notebooks: `features.npy`, a row of
  /// 32-bit floats for each photo, and `photos.csv`, the id of each row's photo.
  ///
  /// Computes features that are not cached.
  /// - Parameters:
  ///   - path: A directory that is empty or does not exist. It appears only when complete.
  ///   - query: Selects the photos.
  ///   - features: An ONNX model whose output is exported; nil for the features of this program.
  ///   - library: ONNX Runtime for that model; nil searches the usual paths.
  @discardableResult
  public func exportFeatures(
    to path: FilePath, of query: PhotoQuery = .everything, features file: FilePath? = nil,
    library: FilePath? = nil
  ) throws(CairnError) -> FeatureExport {
    let photos = try find(query)
    return try translating {
      try writeDirectory(at: path) { directory in
        let space = try featureSpace(of: file, library: library)
        let features = try features(of: photos, in: space)
        try write(features, to: directory.appending("features.npy"))
        let lines = ["photo"] + features.photos.map(\.description)
        try environment.files.create(
          directory.appending("photos.csv"), lines.map { "\($0)\r\n" }.joined().utf8)
        return FeatureExport(
          photos: features.photos.count, features: space.count, kind: space.name,
          missingImages: features.missing, erasedImages: features.erased,
          undecodableImages: features.unusable.map(\.photo))
      }
    }
  }

  private func write(_ features: FeatureSet, to path: FilePath) throws {
    let files = environment.files
    let file = try files.openForWriting(path)
    defer { try? file.close() }
    try files.writeAll(
      NPYHeader.bytes(rows: features.photos.count, columns: features.space.count), to: file, path)
    var done = 0
    try features.forEachBlock(of: features.photos) { photos, vectors in
      try environment.checkCancellation()
      var bytes: [UInt8] = []
      bytes.reserveCapacity(4 * photos.count * features.space.count)
      for value in vectors.joined() {
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 }
      }
      try files.writeAll(bytes, to: file, path)
      done += photos.count
      report("exporting", done, of: features.photos.count)
    }
  }
}

/// The beginning of a NumPy file.
enum NPYHeader {
  private static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8) + [1, 0]
  /// The data begin at a multiple of this offset.
  private static let alignment = 64

  /// Returns the header of a table of little-endian 32-bit floats, stored by rows.
  ///
  /// Source: numpy.lib.format, format version 1.0.
  static func bytes(rows: Int, columns: Int) -> [UInt8] {
    let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (\(rows), \(columns)), }"
    let count = magic.count + 2 + text.utf8.count + 1
    let padding = (alignment - count % alignment) % alignment
    let length = text.utf8.count + padding + 1
    return magic + [UInt8(length & 255), UInt8(length >> 8)] + Array(text.utf8)
      + Array(repeating: UInt8(ascii: " "), count: padding) + [UInt8(ascii: "\n")]
  }
}
