package import CairnDocument
internal import GRDB

// The times at which photos were added. Only the history has them, since documents are the same on
// every device. It is read when photos are first sorted by that time.

extension IndexReader {
  /// Returns the commit up to which the history was read; nil if it was not.
  package func addedCommit() throws -> String? { try value("added") }
}

extension IndexWriter {
  /// Records that a commit added a photo; the earliest such commit counts.
  ///
  /// - Parameter time: Milliseconds since 1970.
  package func setAdded(_ photo: PhotoID, at time: Int64) throws {
    try run(
      "UPDATE photo SET added = MIN(COALESCE(added, ?2), ?2) WHERE key = ?1",
      [key(of: photo), time])
  }

  /// Records that the history was read up to a commit.
  package func setAddedCommit(_ commit: String) throws { try set("added", commit) }

  /// Removes the times at which photos were added.
  package func clearAdded() throws { try run("UPDATE photo SET added = NULL", []) }
}
