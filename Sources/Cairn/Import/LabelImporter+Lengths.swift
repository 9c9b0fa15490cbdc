internal import CairnDocument
internal import CairnFormats

extension LabelImporter {
  /// Returns a photo's metadata without texts that are too long for a document, and reports those.
  func withoutLongTexts(_ photo: ImportedPhoto) -> ImportedMetadata {
    var about = photo.metadata
    func drop(_ text: inout String?, _ what: String) {
      if fits(text, what, photo.location) { return }
      text = nil
    }
    drop(&about.title, "title")
    drop(&about.caption, "caption")
    drop(&about.source, "source")
    for key in about.credit.keys.sorted() { drop(&about.credit[key], key) }
    return about
  }

  /// Returns whether a text is short enough for a document, and reports a longer one.
  func fits(_ text: String?, _ what: String, _ location: ImportedLocation) -> Bool {
    if (text?.utf8.count ?? 0) <= DocumentLimit.textLength { return true }
    report.note(location, "“\(what)” is longer than \(DocumentLimit.textLength) bytes")
    return false
  }
}
