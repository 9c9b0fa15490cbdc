internal import Cairn

/// The result of a query, kept so that it does not move while people label.
struct ResultSet: Sendable {
  enum Source: Sendable {
    case query(PhotoQuery)
    case photos
  }

  let source: Source
  let text: String
  let list: ListOrder
  let keys: [PhotoRowKey]
  let groups: [PhotoGroup]

  func json(_ name: String, event: Int) -> JSON {
    [
      "count": JSON(keys.count), "descending": .bool(list.isReversed), "event": JSON(event),
      "group": .string(list.grouping.rawValue),
      "groups": .array(
        groups.map {
          [
            "count": JSON($0.count), "key": .string($0.key), "name": .string($0.name),
            "start": JSON($0.start),
          ]
        }), "query": .string(text), "set": .string(name),
      "sort": .string(list.order.rawValue),
    ]
  }

  /// Returns the keys from one index on, as many as there are.
  func keys(from start: Int, count: Int) -> ArraySlice<PhotoRowKey> {
    let start = min(start, keys.count)
    return keys[start..<min(start + count, keys.count)]
  }
}

/// A table of photos and classes.
struct ResultTable: Sendable {
  let cells: [TableCell]
}
