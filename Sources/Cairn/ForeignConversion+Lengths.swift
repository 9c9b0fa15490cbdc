internal import CairnDocument
internal import CairnFormats

extension ForeignConversion {
  /// Returns what is said of a photo but for what no document holds, which is told.
  func fitting(_ photo: ForeignPhoto) -> ForeignAbout {
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

  /// Whether a text is as short as a document wants it; tells where it is not.
  func fits(_ text: String?, _ what: String, _ place: ForeignPlace) -> Bool {
    if (text?.utf8.count ?? 0) <= DocumentLimit.textLength { return true }
    report.note(place, "“\(what)” has more than \(DocumentLimit.textLength) bytes")
    return false
  }
}
