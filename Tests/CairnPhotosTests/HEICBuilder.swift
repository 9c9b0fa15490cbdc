import Testing

/// A HEIC whose image is a grid of equal tiles, copied from another HEIC.
///
/// Has only the boxes that libheif needs. Source: ISO/IEC 23008-12, “Image grid derivation”.
struct HEICGrid {
  private let configuration: [UInt8]
  private let tile: [UInt8]
  private let side: Int

  /// - Parameter file: A HEIC of one square image, as heif-enc writes it.
  init(of file: [UInt8]) throws {
    let meta = try #require(HEICGrid.box("meta", in: file[...]))
    let properties = try #require(
      HEICGrid.box("iprp", in: meta.dropFirst(4)).flatMap { HEICGrid.box("ipco", in: $0) })
    configuration = Array(try #require(HEICGrid.box("hvcC", in: properties)))
    let extent = try #require(HEICGrid.box("ispe", in: properties))
    side = extent.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    tile = Array(try #require(HEICGrid.box("mdat", in: file[...])))
  }

  /// - Parameters:
  ///   - columns: The number of columns, and of rows.
  ///   - claim: The width and height in the image's properties.
  func file(columns: Int, claim: Int) -> [UInt8] {
    let (one, size) = (UInt8(columns - 1), big(columns * side, 4))
    let grid: [UInt8] = [0, 1, one, one] + size + size
    let type = box("ftyp", Array("heic\0\0\0\0mif1heic".utf8))
    let handler = full("hdlr", Array("\0\0\0\0pict".utf8) + [UInt8](repeating: 0, count: 13))
    let primary = full("pitm", big(2, 2))
    let items =
      full("infe", version: 2, flags: 1, big(1, 2) + [0, 0] + Array("hvc1\0".utf8))
      + full("infe", version: 2, big(2, 2) + [0, 0] + Array("grid\0".utf8))
    let tiles = big(2, 2) + big(columns * columns, 2)
    let ones = [UInt8](repeatElement([0, 1], count: columns * columns).joined())
    let properties =
      box("hvcC", configuration) + extent(side) + extent(claim)
    let associations: [UInt8] =
      big(2, 4) + big(1, 2) + [2, 0x81, 0x02] + big(2, 2) + [1, 0x03]
    func head(_ offset: Int) -> [UInt8] {
      let first = big(1, 2) + big(0, 2) + big(0, 2) + big(1, 2) + big(offset, 4)
      let second = big(2, 2) + big(1, 2) + big(0, 2) + big(1, 2) + big(0, 4)
      let locations =
        [0x44, 0x00] + big(2, 2) + first + big(tile.count, 4) + second + big(grid.count, 4)
      let parts =
        handler + primary + full("iloc", version: 1, locations)
        + full("iinf", big(2, 2) + items)
        + box("iprp", box("ipco", properties) + full("ipma", associations))
        + full("iref", box("dimg", tiles + ones)) + box("idat", grid)
      return type + full("meta", parts)
    }
    return head(head(0).count + 8) + box("mdat", tile)
  }

  private func extent(_ side: Int) -> [UInt8] { full("ispe", big(side, 4) + big(side, 4)) }

  private func big(_ value: Int, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(8 + content.count, 4) + Array(type.utf8) + content
  }

  private func full(
    _ type: String, version: UInt8 = 0, flags: UInt8 = 0, _ content: [UInt8]
  ) -> [UInt8] {
    box(type, [version, 0, 0, flags] + content)
  }

  private static func box(_ type: String, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = bytes
    while rest.count >= 8 {
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard 8...rest.count ~= length else { return nil }
      let isIt = rest.dropFirst(4).prefix(4).elementsEqual(type.utf8)
      if isIt { return rest.prefix(length).dropFirst(8) }
      rest = rest.dropFirst(length)
    }
    return nil
  }
}
