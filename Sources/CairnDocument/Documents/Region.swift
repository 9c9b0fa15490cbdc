public import CairnBase

/// A region of a photo: a box, or the outline of an object with the box around it, in fractions (0
/// to 1) of the width and height of the upright image, from its top left corner.
public struct Region: Equatable, Sendable {
  /// The id, which distinguishes the regions of one annotator.
  public var id: RegionID
  /// The left edge, as a fraction of the width.
  public var x: Double
  /// The top edge, as a fraction of the height.
  public var y: Double
  /// As a fraction of the width of the image.
  public var width: Double
  /// As a fraction of the height of the image.
  public var height: Double
  /// The outline, of one or more parts; empty for a box. The box is the one around it.
  public internal(set) var polygons: [Polygon] = []
  /// Whether the region holds a group of objects of the class that are not outlined one by one.
  public var isCrowd = false
  /// Members that this version does not know.
  public var extra = JSONObject()

  /// Creates a box; nil unless it has an area and lies within the image.
  public init?(id: RegionID, x: Double, y: Double, width: Double, height: Double) {
    self.init(id: id, box: NormalizedRect(x: x, y: y, width: width, height: height))
  }

  /// Creates a box; nil unless it has an area and lies within the image.
  public init?(id: RegionID, box: NormalizedRect) {
    guard box.isWithinPhoto else { return nil }
    (self.id, x, y, width, height) = (id, box.x, box.y, box.width, box.height)
  }

  /// Creates a region with an outline, rounded as documents have it, and with the box around it.
  ///
  /// Nil unless there is a polygon, all points lie within the image, each ring has three points,
  /// the outline has a width and a height, and there are at most `DocumentLimit.polygonPoints`
  /// points.
  public init?(id: RegionID, polygons: [Polygon]) {
    let polygons = polygons.map { $0.mapped(Region.rounded) }
    guard Region.isOutline(polygons), let bounds = polygons.bounds else { return nil }
    func rounded(_ value: Double) -> Double { (value * 1e9).rounded() / 1e9 }
    self.init(
      id: id, x: bounds.x, y: bounds.y, width: rounded(bounds.width),
      height: rounded(bounds.height))
    self.polygons = polygons
  }

  /// Creates a region of a shape; nil unless the shape has an area and lies within the image.
  package init?(id: RegionID, shape: RegionShape) {
    switch shape {
    case .box(let box): self.init(id: id, box: box)
    case .outline(let polygons): self.init(id: id, polygons: polygons)
    }
  }

  /// The region's corner and size.
  public var box: NormalizedRect { NormalizedRect(x: x, y: y, width: width, height: height) }

  /// Removes the outline; the box stays.
  package mutating func removeOutline() { polygons = [] }

  /// Returns the region with another shape: a box moves and scales the outline, an outline replaces
  /// the one before. Nil unless the shape has an area and lies within the image.
  package func reshaped(to shape: RegionShape) -> Region? {
    var shape = shape
    if case .box(let box) = shape, !polygons.isEmpty {
      guard box.isWithinPhoto else { return nil }
      let outline = polygons.mapped(from: self.box, to: box)
      shape = .outline(outline.map { $0.mapped(Region.clamped) })
    }
    guard var new = Region(id: id, shape: shape) else { return nil }
    (new.isCrowd, new.extra) = (isCrowd, extra)
    return new
  }
}

/// What a person draws on a photo.
package enum RegionShape: Equatable, Sendable {
  case box(NormalizedRect)
  /// The outline of an object, of one or more parts.
  case outline([Polygon])
}

// MARK: The outline

extension Region {
  /// Returns a point rounded to 10⁻⁷: a hundredth of a pixel in an image 100,000 pixels wide.
  ///
  /// Equal outlines from files with different rounding then have equal bytes.
  package static func rounded(_ point: Polygon.Point) -> Polygon.Point {
    Polygon.Point(x: (point.x * 1e7).rounded() / 1e7, y: (point.y * 1e7).rounded() / 1e7)
  }

  private static func clamped(_ point: Polygon.Point) -> Polygon.Point {
    Polygon.Point(x: min(max(point.x, 0), 1), y: min(max(point.y, 0), 1))
  }

  private static func isOutline(_ polygons: [Polygon]) -> Bool {
    !polygons.isEmpty && polygons.pointCount <= DocumentLimit.polygonPoints
      && polygons.lazy.flatMap(\.rings).allSatisfy { ring in
        ring.count >= 3 && ring.allSatisfy { 0...1 ~= $0.x && 0...1 ~= $0.y }
      }
  }

  /// How far the box may differ from the one around the outline.
  private static let tolerance = 1e-6

  /// Returns whether the box is the one around the outline. A program that does not know outlines
  /// may have moved the box; the outline then no longer applies.
  private func isBox(around polygons: [Polygon]) -> Bool {
    guard let bounds = polygons.bounds else { return false }
    func isSame(_ a: Double, _ b: Double) -> Bool { abs(a - b) <= Region.tolerance }
    return isSame(bounds.x, x) && isSame(bounds.y, y)
      && isSame(bounds.x + bounds.width, x + width)
      && isSame(bounds.y + bounds.height, y + height)
  }
}

// MARK: JSON

extension Region {
  public init(json: JSON) throws(DocumentError) {
    guard var members = json.object else { throw .schema("“region” is not an object") }
    func take(_ key: String) throws(DocumentError) -> Double {
      guard let value = members[key]?.double else {
        throw .schema("“region” has no number “\(key)”")
      }
      members[key] = nil
      return value
    }
    guard let id = members["id"]?.string.flatMap({ RegionID($0) }) else {
      throw .schema("“region” has no “id” of 8 hexadecimal digits")
    }
    members["id"] = nil
    guard
      var region = Region(
        id: id, x: try take("x"), y: try take("y"), width: try take("width"),
        height: try take("height"))
    else { throw .schema("“region” does not lie within the image") }
    if let crowd = members["crowd"] {
      guard let isCrowd = crowd.bool else {
        throw .schema("“crowd” of “region” is neither true nor false")
      }
      region.isCrowd = isCrowd
      if isCrowd { members["crowd"] = nil }
    }
    if let outline = members["polygons"] {
      let polygons = try Region.polygons(outline)
      if region.isBox(around: polygons) {
        region.polygons = polygons
        members["polygons"] = nil
      }
    }
    region.extra = members
    self = region
  }

  fileprivate static func polygons(_ json: JSON) throws(DocumentError) -> [Polygon] {
    let polygons = (json.array ?? []).compactMap { polygon -> Polygon? in
      let rings = (polygon.array ?? []).compactMap { ring($0) }
      guard let outer = rings.first, rings.count == polygon.array?.count else { return nil }
      return Polygon(outer: outer, holes: Array(rings.dropFirst()))
    }
    if polygons.pointCount > DocumentLimit.polygonPoints {
      throw .schema(
        "“polygons” of “region” have more than \(DocumentLimit.polygonPoints) points")
    }
    guard isOutline(polygons), polygons.count == json.array?.count else {
      throw .schema(
        "“polygons” of “region” is not a list of polygons, each a list of rings [x, y, x, y, …] of "
          + "at least 3 points within the image")
    }
    return polygons
  }

  /// Returns the points of `[x, y, x, y, …]`; nil if it is not an even number of numbers.
  private static func ring(_ json: JSON) -> [Polygon.Point]? {
    guard let array = json.array, array.count.isMultiple(of: 2) else { return nil }
    let numbers = array.compactMap(\.double)
    guard numbers.count == array.count else { return nil }
    return stride(from: 0, to: numbers.count, by: 2).map {
      Polygon.Point(x: numbers[$0], y: numbers[$0 + 1])
    }
  }

  public var json: JSON {
    var object = extra
    object["id"] = .string(id.text)
    object["x"] = JSON(x)
    object["y"] = JSON(y)
    object["width"] = JSON(width)
    object["height"] = JSON(height)
    if isCrowd { object["crowd"] = true }
    if !polygons.isEmpty { object["polygons"] = polygons.json }
    return .object(object)
  }
}

extension [Polygon] {
  /// Reads ``json``.
  package init(json: JSON) throws(DocumentError) { self = try Region.polygons(json) }

  /// The polygons as documents have them: a list of polygons, each a list of rings
  /// `[x, y, x, y, …]`, the outer one first.
  public var json: JSON {
    .array(
      map { polygon in
        .array(
          polygon.rings.map { ring in
            .array(ring.flatMap { [JSON($0.x), JSON($0.y)] })
          })
      })
  }
}
