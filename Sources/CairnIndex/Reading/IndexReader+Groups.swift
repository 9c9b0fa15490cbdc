internal import CairnBase
internal import CairnDocument
internal import GRDB

/// What photos are grouped by.
package enum PhotoGrouping: String, Sendable, CaseIterable {
  case none, `class`, pin, day
}

/// A range of photos with the same class, pin or day.
package struct PhotoGroup: Equatable, Sendable {
  /// The key of the class, the id of the pin, or the day; empty for photos without one.
  package let key: String
  package let name: String
  package let start: Int
  package let count: Int
}

extension IndexReader {
  /// Maximum number of groups; the photos of further ones go into the last group.
  private static let groupLimit = 5_000

  /// Sorts photos by group, keeping their order within each group, and returns the groups. Days are
  /// sorted latest first, the others by name; photos without a group come last.
  package func group(
    _ keys: inout [PhotoRowKey], by grouping: PhotoGrouping, isReversed: Bool = false
  ) throws -> [PhotoGroup] {
    if grouping == .none { return [] }
    let groups = try groupKeys(grouping)
    var members: [Int64: [PhotoRowKey]] = [:]
    for key in keys { members[groups[key] ?? IndexReader.noGroup, default: []].append(key) }
    var named = try members.map { group, photos in
      (name: try name(of: group, grouping), group: group, photos: photos)
    }
    named.sort { a, b in
      if a.group == IndexReader.noGroup || b.group == IndexReader.noGroup {
        return b.group == IndexReader.noGroup && a.group != b.group
      }
      let (first, second) = grouping == .day ? (b, a) : (a, b)
      let isBefore = (first.name.name, first.group) < (second.name.name, second.group)
      return isReversed ? !isBefore : isBefore
    }
    if named.count > IndexReader.groupLimit {
      let rest = named[(IndexReader.groupLimit - 1)...].flatMap(\.photos)
      named.removeSubrange((IndexReader.groupLimit - 1)...)
      named.append((name: ("", ""), group: IndexReader.noGroup, photos: rest))
    }
    keys = named.flatMap(\.photos)
    var start = 0
    return named.map { group in
      defer { start += group.photos.count }
      return PhotoGroup(
        key: group.name.key, name: group.name.name, start: start, count: group.photos.count)
    }
  }

  private static let noGroup = Int64.min

  /// Returns the group of each photo that has one.
  private func groupKeys(_ grouping: PhotoGrouping) throws -> [PhotoRowKey: Int64] {
    let sql =
      switch grouping {
      case .none: "SELECT key, 0 FROM photo WHERE 0"
      // SQLite takes the other columns from the row with the maximum.
      case .class:
        "SELECT photo, class, max(confidence) FROM resolution WHERE state <> 1 GROUP BY photo"
      case .pin:
        "SELECT photo.key, pin FROM photo JOIN pin ON pin.key = photo.pin WHERE removed = 0"
      case .day:
        // SQLite truncates toward 0, also before 1970.
        """
        SELECT key, (taken - iif(taken < 0, \(Schema.dayMilliseconds - 1), 0))
          / \(Schema.dayMilliseconds)
        FROM photo WHERE taken NOT NULL
        """
      }
    let rows = try PreparedStatement(db, sql)
    var groups: [PhotoRowKey: Int64] = [:]
    while try rows.step() { groups[rows.int(0)] = rows.int(1) }
    return groups
  }

  private func name(
    of group: Int64, _ grouping: PhotoGrouping
  ) throws -> (key: String, name: String) {
    if group == IndexReader.noGroup { return ("", "") }
    switch grouping {
    case .none: return ("", "")
    case .class:
      let key = try names.classKey(group)?.text ?? ""
      return (key, try names.className(group) ?? key)
    case .pin:
      let row = try Row.fetchOne(
        db, sql: "SELECT id, name FROM pin WHERE key = ?", arguments: [group])
      return (row?[0] ?? "", row?[1] ?? "")
    case .day:
      let milliseconds = group * Schema.dayMilliseconds
      let day = String(RFC3339.text(milliseconds: milliseconds).prefix(10))
      return (day, day)
    }
  }
}
