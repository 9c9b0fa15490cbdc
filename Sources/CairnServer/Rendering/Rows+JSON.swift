internal import Cairn

extension PhotoRow {
  /// - Parameters:
  ///   - color: The mean color, if it is known.
  func json(color: MeanColor?) -> JSON {
    // Sorted by key.
    .object(
      JSONObject(sorted: [
        ("classes", .array(shownClasses.map(\.json))),
        ("color", color.map { .string($0.hex) } ?? .null),
        ("favorite", .bool(isFavorite)), ("height", JSON(height)),
        ("id", .string(id.description)), ("local", .bool(isLocal)),
        ("location", location?.json ?? .null),
        ("name", .string(name)), ("pin", JSON(pin?.text)), ("removed", .bool(isRemoved)),
        ("reviewed", .bool(isReviewed)), ("taken", JSON(taken)), ("width", JSON(width)),
      ]))
  }
}

extension PhotoRow {
  /// The classes that labels decide, the greatest confidence first, rejected ones last: their
  /// confidence is that of the rejection.
  private var shownClasses: [ClassState] {
    let decided = classes.filter { $0.state != .open }
    return decided.filter { $0.state != .rejected } + decided.filter { $0.state == .rejected }
  }
}

extension PhotoRow.ClassState {
  var json: JSON {
    .object(
      JSONObject(sorted: [
        ("class", .string(classKey.text)), ("confidence", JSON(confidence)),
        ("mine", JSON(mine?.rawValue)), ("state", .string(state.rawValue)),
      ]))
  }
}

extension Coordinate {
  var json: JSON { [JSON(latitude), JSON(longitude)] }

  init(_ json: JSON?, _ name: String) throws {
    let numbers = json?.array?.compactMap(\.double) ?? []
    guard numbers.count == 2,
      let coordinate = Coordinate(latitude: numbers[0], longitude: numbers[1])
    else {
      throw ServeError.invalid("“\(name)” must be [latitude, longitude] in degrees.")
    }
    self = coordinate
  }
}

extension ServerState {
  /// Returns rows as JSON, with the colors that are known.
  func json(_ rows: [PhotoRow]) -> JSON {
    let known = colors.colors(of: rows.map(\.id))
    return .array(zip(rows, known).map { $0.json(color: $1) })
  }
}
