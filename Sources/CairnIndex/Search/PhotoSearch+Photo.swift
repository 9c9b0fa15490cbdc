internal import CairnDocument
internal import GRDB

// Conditions on the photo itself, its location and its text.

extension PhotoSearch {
  func term(_ flag: PhotoFlag) -> Term {
    switch flag {
    case .visible: return Term(condition: "p.view = 1")
    case .removed:
      return Term(condition: "p.view = 2", sources: [photos("p.view = 2", by: "photoRemoved")])
    case .unlabeled:
      return Term(
        condition: "p.resolution = 0", sources: [photos("p.resolution = 0", by: "photoBare")])
    case .labeled: return Term(condition: "p.resolution != 0")
    case .hasPin: return Term(condition: hasVisiblePin("p"))
    case .hasLocation:
      return Term(condition: "(\(hasVisiblePin("p")) OR \(hasLocation("p", "1")))")
    case .hasTitle: return Term(condition: "p.has & \(PhotoFields.title.rawValue)")
    case .hasCaption: return Term(condition: "p.has & \(PhotoFields.caption.rawValue)")
    case .hasText:
      let source = Candidates(
        from: "saidText CROSS JOIN photo p ON p.key = saidText.rowid", condition: "1",
        photo: "saidText.rowid", isSorted: true, counted: "saidText")
      return Term(
        condition: "EXISTS (SELECT 1 FROM saidText WHERE rowid = p.key)", sources: [source])
    case .hasTaken: return Term(condition: "p.taken NOT NULL")
    }
  }

  private func photos(_ condition: String, by index: String, isSorted: Bool = true) -> Candidates {
    Candidates(
      from: "photo p INDEXED BY \(index)", condition: condition, photo: "p.key",
      isSorted: isSorted, counted: "photo p INDEXED BY \(index) WHERE \(condition)")
  }

  func term(_ pins: [PinID]) throws -> Term {
    let keys = try pins.map { "\(try names.known($0))" }
    let condition = "p.pin IN (\(keys.joined(separator: ", ")))"
    return Term(
      condition: condition,
      sources: [photos(condition, by: "photoPin", isSorted: keys.count == 1)])
  }

  func term(among ids: [PhotoID]) throws -> Term {
    let keys = try ids.compactMap { try reader.key(of: $0) }.map(String.init)
    let list = "(\(keys.joined(separator: ", ")))"
    let source = Candidates(
      from: "photo p NOT INDEXED", condition: "p.key IN \(list)", photo: "p.key", isSorted: false,
      counted: "photo p WHERE p.key IN \(list)")
    return Term(condition: "+p.key IN \(list)", sources: [source])
  }

  func term(taken time: Range<Int64>) -> Term {
    let condition =
      "p.taken NOT NULL AND p.taken >= \(time.lowerBound) AND p.taken < \(time.upperBound)"
    let days = DayRange(time)
    return Term(
      condition: condition,
      sources: [
        photos(
          "\(days.condition("p.taken")) AND \(condition)", by: "photoTaken",
          isSorted: days.isOne)
      ])
  }

  // MARK: Locations

  private func hasVisiblePin(_ photo: String) -> String {
    "EXISTS (SELECT 1 FROM pin WHERE pin.key = \(photo).pin AND pin.removed = 0)"
  }

  /// Returns the condition that its file has a location matching the condition on the row `o`.
  private func hasLocation(_ photo: String, _ condition: String) -> String {
    "EXISTS (SELECT 1 FROM photoPlace o WHERE o.photo = \(photo).key AND \(condition))"
  }

  /// Returns the term for an area. A photo is at the location of its pin, or if it has none, at the
  /// location in its file.
  func term(_ area: MapArea) throws -> Term {
    var condition = """
      EXISTS (SELECT 1 FROM pin WHERE pin.key = p.pin AND pin.removed = 0
        AND \(area.condition("pin")))
      """
    var found = area.boxes("o").map { box in
      """
      SELECT photo.key AS photo FROM pinPlace o CROSS JOIN pin ON pin.key = o.pin
        CROSS JOIN photo INDEXED BY photoPin ON photo.pin = pin.key
        WHERE \(box) AND pin.removed = 0 AND \(area.condition("pin"))
      """
    }
    if try names.hasLocations() {
      condition = """
        (\(condition) OR \(hasLocation("p", area.condition("o"))) AND NOT \(hasVisiblePin("p")))
        """
      found += area.boxes("o").map { box in
        """
        SELECT o.photo FROM photoPlace o CROSS JOIN photo ON photo.key = o.photo
          WHERE \(box) AND \(area.condition("o")) AND NOT \(hasVisiblePin("photo"))
        """
      }
    }
    let all = found.joined(separator: " UNION ALL ")
    let source = Candidates(
      from: "(\(all)) s CROSS JOIN photo p ON p.key = s.photo", condition: "1",
      photo: "s.photo", isSorted: false, counted: "(\(all))")
    return Term(condition: condition, sources: [source])
  }

  // MARK: Text

  mutating func term(_ text: TextFilter) throws -> Term {
    guard let match = text.match else { return Term(condition: "0") }
    arguments.append(match)
    let parameter = "?\(arguments.count)"
    func rows(_ table: String) -> String {
      "SELECT rowid FROM \(table) WHERE \(table) MATCH \(parameter)"
    }
    var conditions = ["+p.key IN (\(rows("photoText")))"]
    var found = ["SELECT rowid AS photo FROM photoText WHERE photoText MATCH \(parameter)"]
    if text.field == .text {
      // Most words occur in no pin name and no label.
      if try names.isFound("SELECT 1 FROM pinText WHERE pinText MATCH ?", match) {
        conditions.append("p.pin IN (\(rows("pinText")))")
        found.append(
          """
          SELECT photo.key FROM pinText CROSS JOIN photo INDEXED BY photoPin
            ON photo.pin = pinText.rowid WHERE pinText MATCH \(parameter)
          """)
      }
      if try names.isFound("SELECT 1 FROM saidText WHERE saidText MATCH ?", match) {
        conditions.append("+p.key IN (\(rows("saidText")))")
        found.append(rows("saidText"))
      }
    }
    let condition = "(\(conditions.joined(separator: " OR ")))"
    if found.count == 1 {
      let source = Candidates(
        from: "photoText CROSS JOIN photo p ON p.key = photoText.rowid",
        condition: "photoText MATCH \(parameter)", photo: "photoText.rowid", isSorted: true,
        counted: "photoText WHERE photoText MATCH \(parameter)")
      return Term(condition: condition, sources: [source])
    }
    let all = "(\(found.joined(separator: " UNION ALL ")))"
    let source = Candidates(
      from: "\(all) t CROSS JOIN photo p ON p.key = t.photo", condition: "1", photo: "t.photo",
      isSorted: false, counted: all)
    return Term(condition: condition, sources: [source])
  }
}

/// The days that a time range overlaps, numbered as in the database indexes by day.
struct DayRange {
  let first: Int64
  let last: Int64

  init(_ time: Range<Int64>) {
    first = time.lowerBound / Schema.dayMilliseconds
    last = (time.isEmpty ? time.lowerBound : time.upperBound - 1) / Schema.dayMilliseconds
  }

  /// Whether the rows are sorted by photo.
  var isOne: Bool { first == last }

  func condition(_ column: String) -> String {
    let day = "\(column) / \(Schema.dayMilliseconds)"
    return isOne ? "\(day) = \(first)" : "\(day) BETWEEN \(first) AND \(last)"
  }
}
