internal import Cairn

// What is checked before an edit.

extension Dataset {
  /// Throws if a name belongs to no class and is not among those to create.
  func checkClasses(_ names: [String], creating: Set<String>) throws {
    let unknown = try unknownClasses(among: names.filter { !creating.contains($0) })
    if !unknown.isEmpty { throw ServeError.unconfirmed(unknown) }
  }

  /// Returns the photo's state if it is not the expected one.
  func conflict(
    _ photo: PhotoID, expecting version: String?
  ) throws -> (now: PhotoDetail, by: Annotator?)? {
    guard let version else { return nil }
    let detail = try detail(of: photo)
    return detail.version == version ? nil : (detail, detail.labeler(after: version))
  }

  /// Returns a short text about an edit: “Oak on 500 photos”.
  func text(of edit: UndoableEditor.Edit, count: Int) throws -> String {
    let photos = count == 1 ? "1 photo" : "\(count) photos"
    switch edit {
    case .label(let names, .present): return "\(try list(names)) on \(photos)"
    case .label(let names, _): return "no \(try list(names)) on \(photos)"
    case .review(let name, true): return "\(try list([name])) accepted on \(photos)"
    case .review(let name, false): return "\(try list([name])) rejected on \(photos)"
    case .withdraw(let name): return "\(try list([name])) withdrawn on \(photos)"
    case .favorite(true): return "favorite: \(photos)"
    case .favorite(false): return "no favorite: \(photos)"
    case .remove(true): return "\(photos) removed"
    case .remove(false): return "\(photos) restored"
    case .pin(nil): return "\(photos) without a pin"
    case .pin: return "\(photos) at another pin"
    case .title: return "title of \(photos)"
    case .caption: return "caption of \(photos)"
    }
  }

  /// Returns a short text about edits that judge classes the same way: “Oak, Elm accepted on 500
  /// photos”.
  func text(of edits: [UndoableEditor.Edit], count: Int) throws -> String {
    guard edits.count > 1, let judgement = edits[0].judgement else {
      return try text(of: edits[0], count: count)
    }
    var names: [String] = []
    for name in edits.flatMap(\.classNames) where !names.contains(name) { names.append(name) }
    var text = try list(Array(names.prefix(3)))
    if names.count > 3 { text += ", …" }
    return "\(text) \(judgement) on \(count == 1 ? "1 photo" : "\(count) photos")"
  }

  private func list(_ names: [String]) throws -> String {
    let classes = try withIndex(updating: false) { try $0.classes() }
    return names.map { name in
      classes.first { $0.key.text == name }?.name.value ?? name
    }.joined(separator: ", ")
  }

  /// Returns what an edit would change.
  func dryRun(
    _ edit: UndoableEditor.Edit, _ classNames: [String], _ photos: [PhotoID]
  ) throws -> DryRun {
    let unknown = try unknownClasses(among: classNames)
    var (changes, reversals, skipped) = (0, 0, 0)
    let rows = try rows(of: photos)
    switch edit {
    case .label(let names, let verdict):
      let keys = names.filter { name in !unknown.contains { $0.name == name } }
        .compactMap { try? classKey($0) }
      for row in rows {
        let mine = keys.map { key in row.classes.first { $0.classKey == key }?.mine }
        if !unknown.isEmpty || mine.contains(where: { $0 != verdict }) { changes += 1 }
        if mine.contains(where: { $0 != nil && $0 != verdict }) { reversals += 1 }
      }
    case .review(let name, let accepting):
      let predicted = try predictedPhotos(among: photos, name)
      (changes, skipped) = (predicted.count, photos.count - predicted.count)
      reversals = try verdictChangeCount(predicted, name, accepting)
    case .withdraw(let name):
      let key = try classKey(name)
      changes = rows.count { row in row.classes.contains { $0.classKey == key && $0.mine != nil } }
      reversals = changes
    case .favorite(let isOn): changes = rows.count { $0.isFavorite != isOn }
    case .remove(let isRemoved): changes = rows.count { $0.isRemoved != isRemoved }
    case .pin(let pin): changes = rows.count { $0.pin != pin }
    case .title, .caption: changes = rows.count
    }
    return DryRun(
      photos: photos.count, changes: changes, reversals: reversals, skipped: skipped,
      unknown: unknown)
  }

  private func verdictChangeCount(
    _ photos: [PhotoID], _ name: String, _ accepting: Bool
  ) throws -> Int {
    if photos.isEmpty { return 0 }
    return Set(
      try verdictChanges(reviewing: photos, name, accepting: accepting).map(\.photo)
    ).count
  }
}

/// What an edit would change.
struct DryRun: Sendable {
  var photos: Int
  var changes: Int
  var reversals: Int
  /// The number of photos to which it does not apply.
  var skipped: Int
  var unknown: [UnknownClass]

  static func + (one: DryRun, other: DryRun) -> DryRun {
    let names = Set(one.unknown.map(\.name))
    return DryRun(
      photos: one.photos + other.photos, changes: one.changes + other.changes,
      reversals: one.reversals + other.reversals, skipped: one.skipped + other.skipped,
      unknown: one.unknown + other.unknown.filter { !names.contains($0.name) })
  }

  var json: JSON {
    [
      "changes": JSON(changes),
      "newClasses": .array(
        unknown.map {
          [
            "name": .string($0.name),
            "suggestions": .array($0.suggestions.map { .string($0) }),
          ]
        }), "photos": JSON(photos), "reversals": JSON(reversals), "skipped": JSON(skipped),
      "unchanged": JSON(photos - changes - skipped),
    ]
  }
}

extension UndoableEditor.Edit {
  /// The verdict that it gives on classes, as a word; nil for other edits.
  var judgement: String? {
    switch self {
    case .label(_, .present), .review(_, true): "accepted"
    case .label(_, .absent), .review(_, false): "rejected"
    case .withdraw: "withdrawn"
    case .label, .favorite, .remove, .pin, .title, .caption: nil
    }
  }

  fileprivate var classNames: [String] {
    switch self {
    case .label(let names, _): names
    case .review(let name, _), .withdraw(let name): [name]
    case .favorite, .remove, .pin, .title, .caption: []
    }
  }
}
