internal import CairnDocument
package import CairnMerge
internal import Dispatch
internal import GRDB

// Resolutions of photos and classes, kept up to date with the labels and the rules. For each
// annotator and class, the database records the rules' values when they were last applied, so that
// changed rules only affect photos with labels that they can concern.

extension IndexReader {
  /// Returns whether resolutions are up to date with the documents and with the rules of
  /// `fingerprint`.
  package func isResolved(fingerprint: String) throws -> Bool {
    guard try value("resolved") != nil, try value("rules") == fingerprint else { return false }
    return try Int.fetchOne(db, sql: "SELECT 1 FROM stale LIMIT 1") == nil
  }
}

extension IndexWriter {
  /// Computes the resolutions of the photos that need it.
  ///
  /// - Parameter fingerprint: Identifies these rules except for classes and runs, whose changes the
  ///   database tracks itself.
  /// - Parameter progress: Called with the number of photos done and their total.
  package func resolve(
    _ rules: ResolutionRules, fingerprint: String, progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws {
    try apply(rules)
    let people = rules.people.rawValue
    let stale = try Int.fetchOne(db, sql: "SELECT count(*) FROM stale") ?? 0
    // Rows in order and indexes at the end make each photo several times cheaper.
    let isAll =
      try reader.value("resolved") == nil || reader.value("people") != people
      || stale > 1000 && stale > (Int.fetchOne(db, sql: "SELECT count(*) FROM photo") ?? 0) / 4
    let resolver = try Resolver(db, names, rules)
    if isAll { try resolver.resolveAll(progress) } else { try resolver.resolveStale(progress) }
    try db.execute(sql: "DELETE FROM stale")
    try set("resolved", "yes")
    try set("people", people)
    try set("rules", fingerprint)
  }

  /// Records the rules' values for annotators, classes and runs, and marks the affected photos as
  /// stale.
  ///
  /// - Returns: Whether any label now counts for another person or class than before.
  @discardableResult
  func apply(_ rules: ResolutionRules) throws -> Bool {
    var isOther = false
    for row in try Row.fetchAll(db, sql: "SELECT key, text, person, threshold FROM annotator") {
      guard let annotator = Annotator(row[1] as String) else { continue }
      let person = rules.mailmap.person(annotator).description
      let threshold = annotator.model.map { rules.threshold(of: $0.name) }
      let applied = (row[2] as String?, row[3] as Double?)
      if applied == (person, threshold) { continue }
      // An annotator without applied rules only has labels on photos that are already stale.
      if applied.0 != nil { try noteStale("annotator = \(row[0] as Int64)") }
      isOther = isOther || applied.0 != nil && applied.0 != person
      try db.execute(
        sql: "UPDATE annotator SET person = ?, threshold = ? WHERE key = ?",
        arguments: [person, threshold, row[0] as Int64])
    }
    for row in try Row.fetchAll(db, sql: "SELECT key, text, canonical, exclusive FROM class") {
      guard let key = ClassKey(row[1] as String) else { continue }
      let canonical = try names.number(of: rules.classes.canonicalKey(of: key))
      let exclusive = rules.classes.set(of: key)?.text
      let applied = (row[2] as Int64?, row[3] as String?)
      if applied == (canonical, exclusive) { continue }
      if applied.0 != nil { try noteStale("class = \(row[0] as Int64)") }
      isOther = isOther || applied.0 != nil
      try db.execute(
        sql: "UPDATE class SET canonical = ?, exclusive = ? WHERE key = ?",
        arguments: [canonical, exclusive, row[0] as Int64])
    }
    for key in try Int64.fetchAll(db, sql: "SELECT key FROM run WHERE withdrawn != applied") {
      try noteStale("run = \(key)")
      try db.execute(sql: "UPDATE run SET applied = withdrawn WHERE key = ?", arguments: [key])
    }
    return isOther
  }

  func noteStale(_ condition: String) throws {
    try db.execute(sql: "INSERT OR IGNORE INTO stale SELECT photo FROM label WHERE \(condition)")
  }
}

/// Writes the resolutions of photos.
private struct Resolver {
  let db: Database
  let names: KeyCache
  let rules: ResolutionRules
  private let insert: PreparedStatement
  private let update: PreparedStatement
  private let putText: PreparedStatement

  init(_ db: Database, _ names: KeyCache, _ rules: ResolutionRules) throws {
    (self.db, self.names, self.rules) = (db, names, rules)
    insert = try PreparedStatement(
      db, "INSERT INTO resolution (photo, class, state, confidence) VALUES (?, ?, ?, ?)")
    update = try PreparedStatement(
      db,
      """
      UPDATE photo SET resolution = ?2, said = ?3, view = CASE
        WHEN view = 0 THEN 0
        WHEN removedTime IS NULL OR (?4, ?5) > (removedTime, removedTick) THEN 1
        ELSE 2 END
      WHERE key = ?1
      """)
    putText = try PreparedStatement(
      db, "INSERT OR REPLACE INTO saidText (rowid, words) VALUES (?, ?)")
  }

  func resolveAll(_ progress: (Int, Int) throws -> Void) throws {
    for index in Schema.ofResolutions { try db.execute(sql: index.drop) }
    try db.execute(
      sql: """
        DELETE FROM resolution;
        DELETE FROM saidText;
        UPDATE photo SET resolution = 0, said = NULL,
          view = CASE WHEN view = 0 THEN 0 WHEN removedTime IS NULL THEN 1 ELSE 2 END
          WHERE said NOT NULL;
        """)
    let total = try Int.fetchOne(db, sql: "SELECT count(*) FROM photo") ?? 0
    let id = try photoIDs()
    var done = 0
    var read: [LabeledPhoto] = []
    var batch: ResolvedBatch?
    // While photos are resolved on another thread, the next ones are read.
    func turn() throws {
      let next = ResolvedBatch(read, rules)
      defer { batch = next }
      read.removeAll(keepingCapacity: true)
      done += try batch?.forEach { try put($1, of: $0) } ?? 0
      try progress(done, total)
    }
    defer { batch?.wait() }
    try LabelRows(db, names, "ORDER BY photo").forEachPhoto(id: id) { key, labels in
      read.append(LabeledPhoto(key: key, labels: labels))
      if read.count == Resolver.batchSize { try turn() }
    }
    // Resolves and writes the last batch.
    for _ in 0..<2 { try turn() }
    for index in Schema.ofResolutions { try db.execute(sql: index.create) }
  }

  func resolveStale(_ progress: (Int, Int) throws -> Void) throws {
    let delete = try PreparedStatement(db, "DELETE FROM resolution WHERE photo = ?")
    // Few datasets have labels with texts.
    let hasTexts = try Int.fetchOne(db, sql: "SELECT 1 FROM saidText LIMIT 1") != nil
    let deleteText = try PreparedStatement(db, "DELETE FROM saidText WHERE rowid = ?")
    let rows = try LabelRows(db, names, "WHERE photo = ?")
    let id = try photoIDs()
    let stale = try Int64.fetchAll(db, sql: "SELECT photo FROM stale")
    for (done, key) in stale.enumerated() {
      try progress(done, stale.count)
      delete.bind(key, at: 1)
      try delete.run()
      if hasTexts {
        deleteText.bind(key, at: 1)
        try deleteText.run()
      }
      guard let photo = try id(key) else { continue }
      let labels = try rows.all(of: photo, key: key)
      try put(rules.resolve(labels), of: LabeledPhoto(key: key, labels: labels))
    }
  }

  private static let batchSize = 256

  private func photoIDs() throws -> (Int64) throws -> PhotoID? {
    let find = try PreparedStatement(db, "SELECT id FROM photo WHERE key = ?")
    return { key in
      find.bind(key, at: 1)
      return try find.first { PhotoID(digest: $0.blob(0)) }
    }
  }

  private func put(_ resolutions: [Resolution], of photo: LabeledPhoto) throws {
    for resolution in resolutions {
      guard let state = resolution.state.number else { continue }
      insert.bind(photo.key, at: 1)
      insert.bind(try names.number(of: resolution.classKey), at: 2)
      insert.bind(state, at: 3)
      insert.bind(resolution.confidence, at: 4)
      try insert.run()
    }
    let labels = photo.labels.filter { $0.verdict != .withdrawn }
    // Consistent with ``Visibility``: a person's label restores a photo.
    let human = labels.filter { $0.annotator.isHuman && $0.classKey != .favorite }
      .map(\.stamp).max()
    update.bind(photo.key, at: 1)
    update.bind(Int64(resolutions.count), at: 2)
    update.bind(labels.map(\.stamp.milliseconds).max(), at: 3)
    update.bind(human?.milliseconds, at: 4)
    update.bind(human?.tick, at: 5)
    try update.run()
    let texts = labels.compactMap(\.text).filter { !$0.isEmpty }.sorted()
    if !texts.isEmpty {
      putText.bind(photo.key, at: 1)
      putText.bind(SearchText.folded(texts), at: 2)
      try putText.run()
    }
  }
}

private struct LabeledPhoto: Sendable {
  let key: Int64
  let labels: [Label]
}

/// A batch of photos that is resolved on a separate thread.
private final class ResolvedBatch: @unchecked Sendable {
  private let photos: [LabeledPhoto]
  private var resolutions: [[Resolution]] = []
  private let resolving = DispatchGroup()

  init(_ photos: [LabeledPhoto], _ rules: ResolutionRules) {
    self.photos = photos
    DispatchQueue(label: "resolving").async(group: resolving) { [self] in
      resolutions = photos.map { rules.resolve($0.labels) }
    }
  }

  func wait() { resolving.wait() }

  /// Calls `visit` with each photo and its resolutions, once all are resolved; returns their
  /// number.
  func forEach(_ visit: (LabeledPhoto, [Resolution]) throws -> Void) rethrows -> Int {
    wait()
    for (photo, resolutions) in zip(photos, resolutions) { try visit(photo, resolutions) }
    return photos.count
  }
}

extension Resolution.State {
  /// The number of the state in the database; nil for a state that is not stored.
  var number: Int64? {
    switch self {
    case .confirmed: 0
    case .rejected: 1
    case .predicted: 2
    case .disputed: 3
    case .open: nil
    }
  }

  init?(number: Int64) {
    guard let state = Resolution.State.allCases.first(where: { $0.number == number }) else {
      return nil
    }
    self = state
  }
}
