import CairnPhotos
import Testing

/// A tiled HEIC, as phones write them: a grid of square tiles, the last of each row and column cropped.
///
/// Source: ISO/IEC 23008-12, “Image grid derivation” and “Image rotation”.
struct TiledHEIC {
  private let configuration: [UInt8]
  private let tiles: [[UInt8]]
  private let side: Int
  private let width: Int
  private let height: Int

  /// - Parameters:
  ///   - picture: The image, which is not rotated.
  ///   - side: The side of a tile.
  ///   - encode: Returns a HEIC of one image, as heif-enc writes it.
  init(
    of picture: PixelBuffer, side: Int, encode: (PixelBuffer) throws -> [UInt8]
  ) throws {
    (self.side, width, height) = (side, picture.width, picture.height)
    var (configuration, tiles): ([UInt8], [[UInt8]]) = ([], [])
    for y in stride(from: 0, to: picture.height, by: side) {
      for x in stride(from: 0, to: picture.width, by: side) {
        let grid = try HEICGrid(of: try encode(picture.tile(x: x, y: y, side: side)))
        configuration = grid.configuration
        tiles.append(grid.tile)
      }
    }
    (self.configuration, self.tiles) = (configuration, tiles)
  }

  /// - Parameters:
  ///   - rotation: The value of `irot`, in quarter turns counterclockwise; nil for none.
  ///   - aperture: The eight numbers of `clap`; nil for none.
  func file(rotation: UInt8? = nil, aperture: [Int]? = nil) -> [UInt8] {
    let (columns, rows) = ((width + side - 1) / side, (height + side - 1) / side)
    let isLarge: UInt8 = max(width, height) > 0xFFFF ? 1 : 0
    let bytes = isLarge == 1 ? 4 : 2
    let layout: [UInt8] = [0, isLarge, UInt8(rows - 1), UInt8(columns - 1)]
    let grid = layout + big(width, bytes) + big(height, bytes)
    let count = tiles.count
    let type = box("ftyp", Array("heic\0\0\0\0mif1heic".utf8))
    let handler = full("hdlr", Array("\0\0\0\0pict".utf8) + [UInt8](repeating: 0, count: 13))
    var entries: [UInt8] = []
    for item in 1...count {
      entries += full("infe", version: 2, flags: 1, big(item, 2) + [0, 0] + Array("hvc1\0".utf8))
    }
    entries += full("infe", version: 2, big(count + 1, 2) + [0, 0] + Array("grid\0".utf8))
    let items = full("iinf", big(count + 1, 2) + entries)
    let references = (1...count).flatMap { big($0, 2) }
    let tiled = box("dimg", big(count + 1, 2) + big(count, 2) + references)
    var properties = box("hvcC", configuration) + extent(side, side) + extent(width, height)
    // The indexes of the properties of the grid: its size, then these.
    var indexes: [UInt8] = [0x03]
    let clap = aperture.map { numbers in box("clap", numbers.flatMap { big($0, 4) }) }
    for property in [clap, rotation.map { box("irot", [$0]) }] {
      guard let property else { continue }
      properties += property
      indexes.append(0x83 + UInt8(indexes.count))
    }
    var associations = big(count + 1, 4)
    for item in 1...count { associations += big(item, 2) + [2, 0x81, 0x02] }
    associations += big(count + 1, 2) + [UInt8(indexes.count)] + indexes
    let described = box("iprp", box("ipco", properties) + full("ipma", associations))
    func head(_ start: Int) -> [UInt8] {
      var (locations, offset) = ([0x44, 0x00] + big(count + 1, 2), start)
      for (index, tile) in tiles.enumerated() {
        locations += big(index + 1, 2) + big(0, 4) + big(1, 2) + big(offset, 4) + big(tile.count, 4)
        offset += tile.count
      }
      // Construction method 1: in the box `idat`.
      locations += big(count + 1, 2) + big(1, 2) + big(0, 2) + big(1, 2) + big(0, 4)
      locations += big(grid.count, 4)
      let parts =
        handler + full("pitm", big(count + 1, 2)) + full("iloc", version: 1, locations) + items
        + described + full("iref", tiled) + box("idat", grid)
      return type + full("meta", parts)
    }
    return head(head(0).count + 8) + box("mdat", Array(tiles.joined()))
  }

  private func extent(_ width: Int, _ height: Int) -> [UInt8] {
    full("ispe", big(width, 4) + big(height, 4))
  }
}

extension PixelBuffer {
  /// Returns a square part, which repeats the last row and column beyond the image.
  fileprivate func tile(x: Int, y: Int, side: Int) -> PixelBuffer {
    var part: [UInt8] = []
    part.reserveCapacity(3 * side * side)
    for row in y..<y + side {
      let line = 3 * width * min(row, height - 1)
      for column in x..<x + side {
        let pixel = line + 3 * min(column, width - 1)
        part += bytes[pixel..<pixel + 3]
      }
    }
    return PixelBuffer(width: side, height: side, bytes: part)
  }
}

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

/// A HEIC whose image is a grid of equal tiles, copied from another HEIC.
///
/// Has only the boxes that libheif needs. Source: ISO/IEC 23008-12, “Image grid derivation”.
struct HEICGrid {
  fileprivate let configuration: [UInt8]
  fileprivate let tile: [UInt8]
  private let side: Int

  /// - Parameter file: A HEIC of one square image, as heif-enc writes it.
  init(of file: [UInt8]) throws {
    let meta = try #require(HEICGrid.content(of: "meta", in: file[...]))
    let properties = try #require(
      HEICGrid.content(of: "iprp", in: meta.dropFirst(4)).flatMap {
        HEICGrid.content(of: "ipco", in: $0)
      })
    configuration = Array(try #require(HEICGrid.content(of: "hvcC", in: properties)))
    let extent = try #require(HEICGrid.content(of: "ispe", in: properties))
    side = extent.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    tile = Array(try #require(HEICGrid.content(of: "mdat", in: file[...])))
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

  private static func content(of type: String, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
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
