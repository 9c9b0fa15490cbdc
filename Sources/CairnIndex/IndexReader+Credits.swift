public import CairnDocument

extension IndexReader {
  /// Calls `visit` with what is told of where photos came from, those out of view too.
  public func forEachCredit(_ visit: (PhotoID, Credit) throws -> Void) throws {
    // Few photos have one, and to look for the word costs less than to read all.
    let photos = try PreparedStatement(
      db, "SELECT document FROM photoDocument WHERE instr(document, CAST('\"credit\"' AS BLOB)) > 0"
    )
    while try photos.step() {
      let photo = try Photo(bytes: photos.blob(0))
      if let credit = photo.credit?.value { try visit(photo.id, credit) }
    }
  }
}
