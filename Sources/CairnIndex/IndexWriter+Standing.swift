internal import CairnDocument
public import CairnMerge
internal import Dispatch
internal import GRDB

// What stands of photos and classes, kept level with the labels and with the rules: of each annotator
// and class the database knows what the rules made of them when it last applied them, so that other
// rules touch those photos alone whose labels they can concern.

extension IndexReader {
  /// Whether what stands is level with the documents, and with the rules that `fingerprint` is of.
  public func isResolved(fingerprint: String) throws -> Bool {
    guard try value("resolved") != nil, try value("rules") == fingerprint else { return false }
    return try Int.fetchOne(db, sql: "SELECT 1 FROM stale LIMIT 1") == nil
  }
}

extension IndexWriter {
  /// Computes what stands, of the photos that need it.
  ///
  /// - Parameter fingerprint: Tells these rules from others, classes and runs left out: of those the
  ///   database knows itself whether they changed.
  /// - Parameter progress: Called with the number of photos done and their total.
  public func resolve(
    _ rules: ResolutionRules, fingerprint: String, progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws {
    try apply(rules)
    let people = rules.people.rawValue
    let stale = try Int.fetchOne(db, sql: "SELECT count(*) FROM stale") ?? 0
    // Rows in order and indexes at the end make a photo several times cheaper.
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

  /// Notes what the rules make of annotators, classes and runs, and which photos that concerns.
  ///
  /// - Returns: Whether some of them make other people or classes of what was said than before.
  @discardableResult
  func apply(_ rules: ResolutionRules) throws -> Bool {
    var isOther = false
    for row in try Row.fetchAll(db, sql: "SELECT key, text, person, threshold FROM annotator") {
      guard let annotator = Annotator(row[1] as String) else { continue }
      let person = rules.mailmap.person(annotator).description
      let threshold = annotator.model.map { rules.threshold(of: $0.name) }
      let applied = (row[2] as String?, row[3] as Double?)
      if applied == (person, threshold) { continue }
      // One that was not applied yet has no labels but those of photos that are stale already.
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

/// Puts down what stands of photos.
private struct Resolver {
  let db: Database
  let names: Names
  let rules: ResolutionRules
  private let insert: PreparedStatement
  private let update: PreparedStatement
  private let say: PreparedStatement

  init(_ db: Database, _ names: Names, _ rules: ResolutionRules) throws {
    (self.db, self.names, self.rules) = (db, names, rules)
    insert = try PreparedStatement(
      db, "INSERT INTO standing (photo, class, state, confidence) VALUES (?, ?, ?, ?)")
    update = try PreparedStatement(
      db,
      """
      UPDATE photo SET standing = ?2, said = ?3, view = CASE
        WHEN view = 0 THEN 0
        WHEN removedTime IS NULL OR (?4, ?5) > (removedTime, removedTick) THEN 1
        ELSE 2 END
      WHERE key = ?1
      """)
    say = try PreparedStatement(
      db, "INSERT OR REPLACE INTO saidText (rowid, words) VALUES (?, ?)")
  }

  func resolveAll(_ progress: (Int, Int) throws -> Void) throws {
    for index in Schema.ofStandings { try db.execute(sql: index.drop) }
    try db.execute(
      sql: """
        DELETE FROM standing;
        DELETE FROM saidText;
        UPDATE photo SET standing = 0, said = NULL,
          view = CASE WHEN view = 0 THEN 0 WHEN removedTime IS NULL THEN 1 ELSE 2 END
          WHERE said NOT NULL;
        """)
    let total = try Int.fetchOne(db, sql: "SELECT count(*) FROM photo") ?? 0
    let id = try photoIDs()
    var done = 0
    var read: [LabelledPhoto] = []
    var batch: ResolvedBatch?
    // While photos are resolved on another thread, the next are read.
    func turn() throws {
      let next = ResolvedBatch(read, rules)
      defer { batch = next }
      read.removeAll(keepingCapacity: true)
      done += try batch?.forEach { try put($1, of: $0) } ?? 0
      try progress(done, total)
    }
    defer { batch?.wait() }
    try LabelRows(db, names, "ORDER BY photo").forEachPhoto(id: id) { key, labels in
      read.append(LabelledPhoto(key: key, labels: labels))
      if read.count == Resolver.batchSize { try turn() }
    }
    // What was read last goes to be resolved, and is put down.
    for _ in 0..<2 { try turn() }
    for index in Schema.ofStandings { try db.execute(sql: index.create) }
  }

  func resolveStale(_ progress: (Int, Int) throws -> Void) throws {
    let delete = try PreparedStatement(db, "DELETE FROM standing WHERE photo = ?")
    // Few datasets have words on labels.
    let hasTexts = try Int.fetchOne(db, sql: "SELECT 1 FROM saidText LIMIT 1") != nil
    let hush = try PreparedStatement(db, "DELETE FROM saidText WHERE rowid = ?")
    let rows = try LabelRows(db, names, "WHERE photo = ?")
    let id = try photoIDs()
    let stale = try Int64.fetchAll(db, sql: "SELECT photo FROM stale")
    for (done, key) in stale.enumerated() {
      try progress(done, stale.count)
      delete.bind(key, at: 1)
      try delete.run()
      if hasTexts {
        hush.bind(key, at: 1)
        try hush.run()
      }
      guard let photo = try id(key) else { continue }
      let labels = try rows.all(of: photo, key: key)
      try put(rules.resolve(labels), of: LabelledPhoto(key: key, labels: labels))
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

  private func put(_ resolutions: [Resolution], of photo: LabelledPhoto) throws {
    for resolution in resolutions {
      guard let state = resolution.state.number else { continue }
      insert.bind(photo.key, at: 1)
      insert.bind(try names.number(of: resolution.classKey), at: 2)
      insert.bind(state, at: 3)
      insert.bind(resolution.confidence, at: 4)
      try insert.run()
    }
    let said = photo.labels.filter { $0.verdict != .withdrawn }
    // As PhotoVisibility has it: the word of a person brings a photo back.
    let human = said.filter { $0.annotator.isHuman && $0.classKey != .favorite }.map(\.stamp).max()
    update.bind(photo.key, at: 1)
    update.bind(Int64(resolutions.count), at: 2)
    update.bind(said.map(\.stamp.milliseconds).max(), at: 3)
    update.bind(human?.milliseconds, at: 4)
    update.bind(human?.tick, at: 5)
    try update.run()
    let texts = said.compactMap(\.text).filter { !$0.isEmpty }.sorted()
    if !texts.isEmpty {
      say.bind(photo.key, at: 1)
      say.bind(SearchText.folded(texts), at: 2)
      try say.run()
    }
  }
}

private struct LabelledPhoto: Sendable {
  let key: Int64
  let labels: [Label]
}

/// Photos that are resolved on a thread of their own.
private final class ResolvedBatch: @unchecked Sendable {
  private let photos: [LabelledPhoto]
  private var resolutions: [[Resolution]] = []
  private let resolving = DispatchGroup()

  init(_ photos: [LabelledPhoto], _ rules: ResolutionRules) {
    self.photos = photos
    DispatchQueue(label: "resolving").async(group: resolving) { [self] in
      resolutions = photos.map { rules.resolve($0.labels) }
    }
  }

  func wait() { resolving.wait() }

  /// Calls `visit` with each photo and what stands of it, once all are resolved; returns how many there are.
  func forEach(_ visit: (LabelledPhoto, [Resolution]) throws -> Void) rethrows -> Int {
    wait()
    for (photo, resolutions) in zip(photos, resolutions) { try visit(photo, resolutions) }
    return photos.count
  }
}

extension Resolution.State {
  /// The number that stands for the state; nil for what is not kept.
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
