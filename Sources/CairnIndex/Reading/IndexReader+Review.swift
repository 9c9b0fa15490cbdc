package import CairnDocument
internal import GRDB

/// A photo and class that may need review; the caller decides from the labels.
package struct ReviewCandidate: Equatable, Sendable {
  package let photo: PhotoID
  /// The class; nil for the photo as a whole.
  package let classKey: ClassKey?
}

/// A visitor of candidates, with a function that reads the photo's labels on demand. Returns false
/// to end the search.
package typealias ReviewVisit = (ReviewCandidate, () throws -> [Label]) throws -> Bool

/// Candidates for the review queue, in its order, which is the same on every device. Rows are read
/// one by one; the database does any sorting, on disk if there are many.
///
/// Candidates include everything that needs review and possibly more.
extension IndexReader {
  /// Visits disputed classes, by photo and class; in a large dataset nothing more is read.
  package func forEachDisputed(of classKey: ClassKey? = nil, _ visit: ReviewVisit) throws {
    try visitCandidates(
      """
      SELECT p.key, p.id, s.class FROM resolution s INDEXED BY resolutionState
      CROSS JOIN photo p ON p.key = s.photo CROSS JOIN class c ON c.key = s.class
      WHERE s.state = 3 AND p.view = 1 \(try only(classKey, "s.class"))
      ORDER BY s.photo, c.text
      """, visit)
  }

  /// Visits the uncertain labels of models, the closest first: labels close to the threshold of
  /// their model, and predictions with a close second in the same exclusive set.
  ///
  /// - Parameter margin: The maximum difference in confidence.
  package func forEachUnsure(
    of classKey: ClassKey? = nil, within margin: Double, _ visit: ReviewVisit
  ) throws {
    try visitCandidates(
      """
      SELECT p.key, p.id, d.class, min(d.gap) AS closest FROM (
        SELECT l.photo AS photo, k.canonical AS class, abs(l.confidence - a.threshold) AS gap
        FROM label l CROSS JOIN annotator a ON a.key = l.annotator
        CROSS JOIN class k ON k.key = l.class
        WHERE a.threshold NOT NULL AND l.verdict = 1
          AND l.confidence BETWEEN a.threshold - \(margin) AND a.threshold + \(margin)
        UNION ALL
        SELECT s.photo, s.class, s.confidence - l.confidence
        FROM class c CROSS JOIN resolution s INDEXED BY resolutionClass ON s.class = c.key
        CROSS JOIN label l ON l.photo = s.photo CROSS JOIN class k ON k.key = l.class
        CROSS JOIN annotator a ON a.key = l.annotator
        WHERE c.exclusive NOT NULL AND s.state = 2 AND l.verdict = 1
          AND k.exclusive = c.exclusive AND k.canonical != s.class AND a.threshold NOT NULL
          AND l.confidence BETWEEN s.confidence - \(margin) AND s.confidence
      ) d CROSS JOIN photo p ON p.key = d.photo CROSS JOIN class c ON c.key = d.class
      WHERE p.view = 1 \(try only(classKey, "d.class"))
      GROUP BY d.photo, d.class ORDER BY closest, d.photo, c.text
      """, visit)
  }

  /// Visits predictions that another model may contradict, by photo and class.
  package func forEachContradicted(of classKey: ClassKey? = nil, _ visit: ReviewVisit) throws {
    try visitCandidates(
      """
      SELECT p.key, p.id, s.class FROM resolution s INDEXED BY resolutionState
      CROSS JOIN photo p ON p.key = s.photo CROSS JOIN class c ON c.key = s.class
      WHERE s.state = 2 AND p.view = 1 \(try only(classKey, "s.class")) AND EXISTS (
        SELECT 1 FROM label l CROSS JOIN class k ON k.key = l.class
        CROSS JOIN annotator a ON a.key = l.annotator
        WHERE l.photo = s.photo AND a.threshold NOT NULL
          AND (l.verdict = 2 AND k.canonical = s.class
            OR l.verdict = 1 AND k.exclusive = c.exclusive AND k.canonical != s.class))
      ORDER BY s.photo, c.text
      """, visit)
  }

  /// Visits removed photos with labels by people, by id.
  package func forEachRemovedAndLabeled(
    with classKey: ClassKey? = nil, _ visit: ReviewVisit
  ) throws {
    let ofClass = try only(classKey, "k.canonical")
    try visitCandidates(
      """
      SELECT p.key, p.id, NULL FROM photo p INDEXED BY photoRemoved
      WHERE p.view = 2 AND EXISTS (
        SELECT 1 FROM label l CROSS JOIN annotator a ON a.key = l.annotator
        CROSS JOIN class k ON k.key = l.class
        WHERE l.photo = p.key AND l.verdict > 0 AND a.text LIKE 'human:%' \(ofClass))
      ORDER BY p.key
      """, visit)
  }

  /// Returns the classes confirmed on fewer than `limit` photos, with the number of those photos:
  /// rarest first, then by key. Aliases and removed classes are left out.
  package func rareClasses(below limit: Int) throws -> [(key: ClassKey, count: Int)] {
    let classes = try PreparedStatement(
      db, "SELECT key FROM class WHERE canonical = key AND removed IS NOT 1")
    let confirmed = try PreparedStatement(
      db,
      """
      SELECT count(*) FROM (SELECT 1 FROM resolution INDEXED BY resolutionClass
        WHERE class = ? AND state = 0 LIMIT \(limit))
      """)
    var rare: [(key: ClassKey, count: Int)] = []
    while try classes.step() {
      confirmed.bind(classes.int(0), at: 1)
      let count = try confirmed.first { Int($0.int(0)) } ?? 0
      if count < limit, let key = try names.classKey(classes.int(0)) { rare.append((key, count)) }
    }
    return rare.sorted { ($0.count, $0.key) < ($1.count, $1.key) }
  }

  /// Visits the photos on which a class is predicted but not labeled by a person, highest
  /// confidence first.
  package func forEachPredicted(of classKey: ClassKey, _ visit: ReviewVisit) throws {
    try visitCandidates(
      """
      SELECT p.key, p.id, s.class FROM resolution s INDEXED BY resolutionClass
      CROSS JOIN photo p ON p.key = s.photo
      WHERE s.state = 2 AND p.view = 1 \(try only(classKey, "s.class"))
      ORDER BY s.confidence DESC, s.photo
      """, visit)
  }

  private func only(_ classKey: ClassKey?, _ column: String) throws -> String {
    guard let classKey else { return "" }
    return "AND \(column) = \(try names.known(classKey) ?? KeyCache.missing)"
  }

  /// - Parameter sql: Selects the row key of a photo, its id, and the row key of a class or null.
  private func visitCandidates(_ sql: String, _ visit: ReviewVisit) throws {
    let rows = try PreparedStatement(db, sql)
    let labels = try LabelRows(db, names, "WHERE photo = ?")
    while try rows.step() {
      let key = rows.int(0)
      let photo = PhotoID(digest: rows.blob(1))
      let classKey = rows.isNull(2) ? nil : try names.classKey(rows.int(2))
      let candidate = ReviewCandidate(photo: photo, classKey: classKey)
      if try !visit(candidate, { try labels.all(of: photo, key: key) }) { return }
    }
  }
}
