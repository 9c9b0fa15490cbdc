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

  /// Returns the number of photos with a present label for each class, by the keys as written.
  package func photoCountsByClass() throws -> [ClassKey: Int] {
    try countsByClass("count(DISTINCT photo)")
  }

  /// Returns the number of present labels of each class, by the keys as written.
  package func labelCountsByClass() throws -> [ClassKey: Int] {
    try countsByClass("count(*)")
  }

  /// - Parameter count: An SQL expression over the present labels of a class.
  private func countsByClass(_ count: String) throws -> [ClassKey: Int] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT class.text, \(count) FROM label JOIN class ON class.key = label.class
        WHERE verdict = 1 GROUP BY class.key
        """)
    return Dictionary(
      uniqueKeysWithValues: rows.compactMap { row in
        ClassKey(row[0] as String).map { ($0, row[1] as Int) }
      })
  }

  /// Returns the number of photos with a present label for any of `classes`.
  package func photoCount(of classes: [ClassKey]) throws -> Int {
    let keys = try classes.compactMap { try names.known($0) }.map(String.init)
    return try Int.fetchOne(
      db,
      sql: """
        SELECT count(DISTINCT photo) FROM label
        WHERE verdict = 1 AND class IN (\(keys.joined(separator: ", ")))
        """) ?? 0
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
