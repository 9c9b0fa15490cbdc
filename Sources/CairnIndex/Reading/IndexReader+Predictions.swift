package import CairnDocument
internal import GRDB

extension IndexReader {
  /// Returns the photos on which an annotator has a label that is not withdrawn, and whose run, if
  /// it has one, is not withdrawn.
  package func photos(labeledBy annotator: Annotator) throws -> Set<PhotoID> {
    let rows = try PreparedStatement(
      db,
      """
      SELECT DISTINCT photo.id FROM label JOIN photo ON photo.key = label.photo
      WHERE annotator = ? AND verdict > 0
        AND (run IS NULL OR run NOT IN (SELECT key FROM run WHERE withdrawn))
      """)
    rows.bind(try names.known(annotator), at: 1)
    var photos = Set<PhotoID>()
    while try rows.step() { photos.insert(PhotoID(digest: rows.blob(0))) }
    return photos
  }

  /// Returns the photos on which a model was silent, as recorded in its runs that kept labels with
  /// `score` at least, or with lower scores.
  ///
  /// - Parameter includingWithdrawn: Whether withdrawn runs count, too.
  package func silentPhotos(
    of model: Annotator, upTo score: Double = 1, includingWithdrawn: Bool = false
  ) throws -> PhotoPrefixSet {
    var photos = PhotoPrefixSet()
    for run in try runs() {
      guard run.annotator == model, includingWithdrawn || !run.withdrawn.value,
        run.minimumScore <= score,
        let silent = run.silent
      else { continue }
      photos.formUnion(silent)
    }
    return photos
  }
}
