internal import CairnDocument
package import CairnMerge
internal import Foundation
internal import GRDB

// Consensus estimates for the policy `dawid-skene`: made for all classes and sets, and made again
// for those whose votes have changed.

extension IndexReader {
  /// Returns the consensus of every class and set that was estimated.
  package func consensus() throws -> [RatedItem: Consensus] {
    let rows = try Row.fetchAll(db, sql: "SELECT kind, key, estimate FROM consensus")
    return try Dictionary(
      uniqueKeysWithValues: rows.map { row in
        guard let subject = RatedItem(kind: row[0], key: row[1]),
          let consensus = Consensus(bytes: [UInt8](row[2] as Data))
        else { throw IndexError("a consensus estimate is damaged") }
        return (subject, consensus)
      })
  }

  /// Collects people's votes on visible photos, in photo id order.
  ///
  /// - Parameter classes: Only labels with these keys; nil for all.
  func votes(
    _ rules: ResolutionRules, on subjects: Set<RatedItem>?, _ classes: Set<ClassKey>?
  ) throws -> ConsensusCount {
    let keys = try classes?.sorted().compactMap { try names.known($0) }.map(String.init)
    let ofClasses = keys.map { "AND class IN (\($0.joined(separator: ", ")))" } ?? ""
    let ofPeople =
      "annotator IN (SELECT key FROM annotator WHERE text LIKE 'human:%') \(ofClasses)"
    var count = ConsensusCount(rules, subjects)
    do {
      let id = try visiblePhotoIDs()
      try LabelRows(db, names, "WHERE \(ofPeople) ORDER BY photo").forEachPhoto(id: id) {
        count.add(rules.ratings($1))
      }
    } catch is PhotoKeyConflict {
      // With a key conflict, row key order is not id order.
      count = ConsensusCount(rules, subjects)
      let rows = try LabelRows(db, names, "WHERE photo = ? AND \(ofPeople)")
      let photos = try PreparedStatement(
        db, "SELECT key, id FROM photo WHERE \(IndexReader.visibleCondition) ORDER BY id")
      while try photos.step() {
        let id = PhotoID(digest: photos.blob(1))
        count.add(rules.ratings(try rows.all(of: id, key: photos.int(0))))
      }
    }
    return count
  }

  /// An error for a photo whose id has the same prefix as another's, so that it has a different
  /// key.
  private struct PhotoKeyConflict: Error {}

  /// Returns a function that looks up the ids of visible photos by row key. Visibility is computed
  /// from the labels, since photos are resolved later.
  private func visiblePhotoIDs() throws -> (Int64) throws -> PhotoID? {
    let find = try PreparedStatement(
      db, "SELECT id FROM photo WHERE key = ? AND \(IndexReader.visibleCondition)")
    return { key in
      find.bind(key, at: 1)
      guard let digest = try find.first({ $0.blob(0) }) else { return nil }
      if PhotoKey.first(of: digest) != key { throw PhotoKeyConflict() }
      return PhotoID(digest: digest)
    }
  }
}

extension IndexWriter {
  /// Updates the consensus estimates to the current votes, and marks the affected photos as stale.
  /// Call it before ``resolve(_:fingerprint:progress:)``, with the same rules.
  ///
  /// - Returns: The consensus of each class and set.
  package func updateConsensus(
    _ rules: ResolutionRules, fingerprint: (ConsensusVotes) -> String
  ) throws -> [RatedItem: Consensus] {
    let areAll = try reader.value("people") != rules.people.rawValue
    let haveRulesChanged = try apply(rules)
    let subjects = areAll || haveRulesChanged ? nil : try touchedSubjects(rules)
    if let subjects, subjects.isEmpty { return try reader.consensus() }
    let votes = try reader.votes(
      rules, on: subjects, try subjects.map { try classes(of: $0, rules) })
    var left = try subjects ?? allSubjects()
    for (subject, votes) in votes.bySubject.sorted(by: { $0.key < $1.key }) where votes.isShared {
      left.remove(subject)
      let isOther = try put(votes, fingerprint(votes), of: subject)
      if isOther && !areAll { try noteStale(subject, rules) }
    }
    for subject in left.sorted() {
      try db.execute(
        sql: "DELETE FROM consensus WHERE kind = ? AND key = ?",
        arguments: [subject.kind, subject.key.text])
      if db.changesCount > 0 { try noteStale(subject, rules) }
    }
    return try reader.consensus()
  }

  /// Makes a new estimate unless the votes are the same as for the last one.
  ///
  /// - Returns: Whether the estimate changed.
  private func put(
    _ votes: ConsensusVotes, _ fingerprint: String, of subject: RatedItem
  ) throws -> Bool {
    let known = try Row.fetchOne(
      db, sql: "SELECT fingerprint, estimate FROM consensus WHERE kind = ? AND key = ?",
      arguments: [subject.kind, subject.key.text])
    if let known, known[0] as String == fingerprint { return false }
    guard let consensus = votes.consensus() else { return false }
    let estimate = bytes(consensus.bytes)
    try db.execute(
      sql: """
        INSERT OR REPLACE INTO consensus (kind, key, fingerprint, estimate) VALUES (?, ?, ?, ?)
        """, arguments: [subject.kind, subject.key.text, fingerprint, estimate])
    return known.map { $0[1] as Data } != estimate
  }

  // MARK: Affected classes and sets

  /// Returns the classes and sets with votes, now or before, on photos that have changed.
  private func touchedSubjects(_ rules: ResolutionRules) throws -> Set<RatedItem> {
    let keys = try Int64.fetchAll(
      db,
      sql: """
        SELECT DISTINCT class FROM label JOIN stale USING (photo)
        UNION SELECT DISTINCT class FROM resolution JOIN stale USING (photo)
        """)
    return Set(try keys.compactMap { try names.classKey($0).map { rules.subject(of: $0) } })
  }

  private func allSubjects() throws -> Set<RatedItem> {
    let rows = try Row.fetchAll(db, sql: "SELECT kind, key FROM consensus")
    return Set(rows.compactMap { RatedItem(kind: $0[0], key: $0[1]) })
  }

  /// Returns the class keys that belong to these items, including aliases.
  private func classes(
    of subjects: Set<RatedItem>, _ rules: ResolutionRules
  ) throws -> Set<ClassKey> {
    let all = try String.fetchAll(db, sql: "SELECT text FROM class").compactMap { ClassKey($0) }
    return Set(all.filter { subjects.contains(rules.subject(of: $0)) })
  }

  private func noteStale(_ subject: RatedItem, _ rules: ResolutionRules) throws {
    for key in try classes(of: [subject], rules).sorted() {
      guard let number = try names.known(key) else { continue }
      try noteStale("class = \(number)")
    }
  }
}

extension ResolutionRules {
  /// Returns the item that a class is rated in: its exclusive set, or the class itself.
  fileprivate func subject(of key: ClassKey) -> RatedItem {
    classes.set(of: key).map { .ofSet($0) } ?? .ofClass(classes.canonicalKey(of: key))
  }
}

extension RatedItem {
  fileprivate var kind: String { if case .ofClass = self { "class" } else { "set" } }

  fileprivate init?(kind: String, key: String) {
    guard let key = ClassKey(key) else { return nil }
    self = kind == "set" ? .ofSet(key) : .ofClass(key)
  }
}
