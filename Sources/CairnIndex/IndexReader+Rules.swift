public import CairnDocument
internal import Foundation
internal import GRDB

// What the rules need to know, and how much the labels use it.

extension IndexReader {
  /// Returns all classes, sorted by key.
  public func classes() throws -> [LabelClass] {
    try documents("SELECT document FROM class ORDER BY key") { try LabelClass(bytes: $0) }
  }

  /// How many photos a label calls each class present on, by the keys as they were written.
  public func photoCountsByClass() throws -> [ClassKey: Int] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT class, count(DISTINCT photo) FROM label WHERE verdict = 'present' GROUP BY class
        """)
    return Dictionary(
      uniqueKeysWithValues: rows.compactMap { row in
        ClassKey(row[0] as String).map { ($0, row[1] as Int) }
      })
  }

  /// How many photos a label calls one of `classes` present on.
  public func photoCount(of classes: [ClassKey]) throws -> Int {
    let keys = JSON.array(classes.map { .string($0.text) }).canonicalText
    return try Int.fetchOne(
      db,
      sql: """
        SELECT count(DISTINCT photo) FROM label
        WHERE verdict = 'present' AND class IN (SELECT value FROM json_each(?))
        """, arguments: [keys]) ?? 0
  }

  /// Returns all runs, sorted by id.
  public func runs() throws -> [Run] {
    try documents("SELECT document FROM run ORDER BY id") { try Run(bytes: $0) }
  }

  /// Returns the runs whose ids begin with `text`.
  public func runs(startingWith text: String) throws -> [Run] {
    try documents(
      "SELECT document FROM run WHERE id >= ? AND id < ? || 'g' ORDER BY id", [text, text]
    ) { try Run(bytes: $0) }
  }

  public func withdrawnRuns() throws -> Set<RunID> {
    let ids = try String.fetchAll(db, sql: "SELECT id FROM run WHERE withdrawn")
    return Set(ids.compactMap { RunID($0) })
  }

  /// How many labels each run gave, those taken back left out.
  public func labelCountsByRun() throws -> [RunID: Int] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT run, count(*) FROM label WHERE run IS NOT NULL AND verdict != 'withdrawn' GROUP BY run
        """)
    return Dictionary(
      uniqueKeysWithValues: rows.compactMap { row in
        RunID(row[0] as String).map { ($0, row[1] as Int) }
      })
  }
}
