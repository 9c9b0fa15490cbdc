internal import CairnBase
internal import CairnDocument

extension Region {
  /// The outline, or that of the box if there is none.
  var outline: [Polygon] {
    if !polygons.isEmpty { return polygons }
    let (right, bottom) = (x + width, y + height)
    return [
      Polygon(outer: [
        Polygon.Point(x: x, y: y), Polygon.Point(x: right, y: y),
        Polygon.Point(x: right, y: bottom), Polygon.Point(x: x, y: bottom),
      ])
    ]
  }

  /// Returns the outline in pixels of an image.
  func outlinePixels(_ image: ImageFacts) -> [Polygon] {
    outline.map { polygon in
      polygon.mapped { point in
        Polygon.Point(
          x: Region.pixels(point.x, image.width), y: Region.pixels(point.y, image.height))
      }
    }
  }

  /// Returns the area in square pixels of an image.
  func pixelArea(_ image: ImageFacts) -> Double {
    (outline.area * Double(image.width * image.height) * 1e6).rounded() / 1e6
  }

  /// Returns a fraction in pixels, with two decimals if that loses nothing, otherwise with six: most
  /// programs write two, and a region's fractions have only seven.
  private static func pixels(_ fraction: Double, _ size: Int) -> Double {
    let exact = fraction * Double(size)
    let short = (exact * 100).rounded() / 100
    let back = (short / Double(size) * 1e7).rounded() / 1e7
    return back == fraction ? short : (exact * 1e6).rounded() / 1e6
  }
}

extension [Polygon.Point] {
  /// The ring as `x, y, x, y, …`.
  var flat: [JSON] { flatMap { [JSON($0.x), JSON($0.y)] } }
}
