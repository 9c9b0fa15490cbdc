package import CairnDocument

extension IndexReader {
  /// Calls `visit` with the credit of each photo that has one, visible or not.
  package func forEachCredit(_ visit: (PhotoID, Credit) throws -> Void) throws {
    // Few photos have one, and searching for the word is cheaper than parsing all documents.
    let photos = try PreparedStatement(
      db, "SELECT document FROM photoDocument WHERE instr(document, CAST('\"credit\"' AS BLOB)) > 0"
    )
    while try photos.step() {
      let photo = try Photo(bytes: photos.blob(0))
      if let credit = photo.credit?.value { try visit(photo.id, credit) }
    }
  }
}
