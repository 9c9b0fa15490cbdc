package import CairnDocument
internal import Foundation
internal import GRDB

extension IndexReader {
  /// Returns all classes, sorted by key.
  package func classes() throws -> [LabelClass] {
    try documents("SELECT document FROM class WHERE document NOT NULL ORDER BY text") {
      try LabelClass(bytes: $0)
    }
  }

  /// Returns the classes whose display names have the same key as `name`, without removed ones.
  package func classes(named name: String) throws -> [LabelClass] {
    guard let key = ClassKey(naming: name) else { return [] }
    return try documents(
      "SELECT document FROM class WHERE naming = ? AND removed = 0 ORDER BY text", [key.text]
    ) { try LabelClass(bytes: $0) }
  }

  /// Returns the number of visible photos with a present label for each of these keys, as written;
  /// labels of withdrawn runs do not count.
  package func photoCounts(of keys: [ClassKey]) throws -> [ClassKey: Int] {
    let known = try keys.compactMap { try names.known($0) }.map(String.init)
    return try countsByClass(
      "count(DISTINCT photo)",
      """
      JOIN photo ON photo.key = label.photo LEFT JOIN run ON run.key = label.run
      WHERE class.key IN (\(known.joined(separator: ", "))) AND verdict = 1
        AND run.withdrawn IS NOT 1 AND \(IndexReader.visibleCondition)
      """)
  }

  /// Returns the number of present and absent labels of each class, by the keys as written.
  package func labelCountsByClass() throws -> [ClassKey: Int] {
    try countsByClass("count(*)", "WHERE verdict > 0")
  }

  /// - Parameters:
  ///   - count: An SQL expression over the labels of a class.
  ///   - labels: The SQL that selects the labels.
  private func countsByClass(_ count: String, _ labels: String) throws -> [ClassKey: Int] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT class.text, \(count) FROM label JOIN class ON class.key = label.class
        \(labels) GROUP BY class.key
        """)
    return Dictionary(
      uniqueKeysWithValues: rows.compactMap { row in
        ClassKey(row[0] as String).map { ($0, row[1] as Int) }
      })
  }

  /// Returns all annotators, sorted.
  package func annotators() throws -> [Annotator] {
    try String.fetchAll(db, sql: "SELECT text FROM annotator").compactMap { Annotator($0) }.sorted()
  }

  /// Returns all runs, sorted by id.
  package func runs() throws -> [Run] {
    try documents("SELECT document FROM run WHERE document NOT NULL ORDER BY id") {
      try Run(bytes: $0)
    }
  }

  /// Returns the runs whose ids begin with `text`.
  package func runs(startingWith text: String) throws -> [Run] {
    try documents(
      """
      SELECT document FROM run WHERE document NOT NULL AND id >= ?1 AND id < ?1 || 'g' ORDER BY id
      """, [text]
    ) { try Run(bytes: $0) }
  }

  package func withdrawnRuns() throws -> Set<RunID> {
    let ids = try String.fetchAll(db, sql: "SELECT id FROM run WHERE withdrawn")
    return Set(ids.compactMap { RunID($0) })
  }

  /// Returns the number of labels from each run, without withdrawn ones.
  package func labelCountsByRun() throws -> [RunID: Int] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT run.id, count(*) FROM label JOIN run ON run.key = label.run
        WHERE label.run IS NOT NULL AND verdict > 0 GROUP BY run.key
        """)
    return Dictionary(
      uniqueKeysWithValues: rows.compactMap { row in
        RunID(row[0] as String).map { ($0, row[1] as Int) }
      })
  }
}
