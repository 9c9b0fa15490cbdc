internal import CairnDocument
internal import CairnFormats

extension LabelImporter {
  /// Returns a photo's metadata without texts that are too long for a document, and reports those.
  func fitting(_ photo: ImportedPhoto) -> ImportedMetadata {
    var about = photo.about
    func fit(_ text: inout String?, _ what: String) {
      if fits(text, what, photo.place) { return }
      text = nil
    }
    fit(&about.title, "title")
    fit(&about.caption, "caption")
    fit(&about.source, "source")
    for key in about.credit.keys.sorted() { fit(&about.credit[key], key) }
    return about
  }

  /// Returns whether a text is short enough for a document, and reports it if not.
  func fits(_ text: String?, _ what: String, _ place: ImportedLocation) -> Bool {
    if (text?.utf8.count ?? 0) <= DocumentLimit.textLength { return true }
    report.note(place, "“\(what)” has more than \(DocumentLimit.textLength) bytes")
    return false
  }
}
