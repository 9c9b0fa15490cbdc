internal import Cairn
internal import CairnFiles
internal import Synchronization
internal import SystemPackage

/// The mean color of a photo.
struct MeanColor: Equatable, Sendable {
  let red: UInt8
  let green: UInt8
  let blue: UInt8

  var hex: String {
    [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  init(red: UInt8, green: UInt8, blue: UInt8) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// Decodes an image at a small size; nil if that fails.
  init?(of jpeg: [UInt8]) {
    guard let pixels = try? jpeg.withUnsafeBytes({ try PixelBuffer(decoding: $0, fitting: 16) })
    else { return nil }
    var sums = (0, 0, 0)
    for index in stride(from: 0, to: pixels.bytes.count - 2, by: 3) {
      sums.0 += Int(pixels.bytes[index])
      sums.1 += Int(pixels.bytes[index + 1])
      sums.2 += Int(pixels.bytes[index + 2])
    }
    let count = max(1, pixels.width * pixels.height)
    self.init(
      red: UInt8(sums.0 / count), green: UInt8(sums.1 / count), blue: UInt8(sums.2 / count))
  }
}

/// The mean colors of photos, cached on this device; derived data, so the file may be deleted.
///
/// Records of 36 bytes: the 32 of the photo's id, the color, and the sum of those 35, modulo 256.
final class ColorCache: Sendable {
  private let path: FilePath
  private let colors: Mutex<[PhotoID: MeanColor]>

  private static let recordSize = 36

  init(directory: FilePath) {
    path = directory.appending("colors")
    let bytes = (try? Cairn.Environment.machine.files.read(path)) ?? nil
    var known: [PhotoID: MeanColor] = [:]
    for start in stride(
      from: 0, through: (bytes?.count ?? 0) - ColorCache.recordSize, by: ColorCache.recordSize)
    {
      guard let record = bytes?[start..<start + ColorCache.recordSize],
        record.dropLast().reduce(0, &+) == record.last
      else { break }
      let color = Array(record.suffix(4))
      known[PhotoID(digest: record.prefix(32))] = MeanColor(
        red: color[0], green: color[1], blue: color[2])
    }
    colors = Mutex(known)
  }

  func color(of photo: PhotoID) -> MeanColor? { colors.withLock { $0[photo] } }

  func colors(of photos: [PhotoID]) -> [MeanColor?] {
    colors.withLock { known in photos.map { known[$0] } }
  }

  /// Adds colors, and appends them to the file.
  func add(_ new: [(PhotoID, MeanColor)]) {
    if new.isEmpty { return }
    colors.withLock { known in for (photo, color) in new { known[photo] = color } }
    let bytes = new.flatMap { photo, color -> [UInt8] in
      let record = photo.digest + [color.red, color.green, color.blue]
      return record + [record.reduce(0, &+)]
    }
    try? Cairn.Environment.machine.files.append(bytes, to: path)
  }
}
