extension MetadataTags {
  /// The texts of an IPTC data set, decoded as the file declares.
  func iptcTexts(_ key: String) -> [String] {
    let encoding = IPTCEncoding(all("Iptc.Envelope.CharacterSet").first?.bytes)
    return all("Iptc.\(key)").compactMap { encoding.decode($0.bytes).nonEmpty }
  }
}

/// Nobody puts more words on one photo.
private let keywordLimit = 1000

/// Returns the words on a photo, those of XMP first; each once, whatever its case.
func photoKeywords(_ tags: MetadataTags) -> [PhotoMetadata.Keyword] {
  var keywords: [PhotoMetadata.Keyword] = []
  var seen: Set<String> = []
  func add(_ texts: [String], _ source: String) {
    for text in texts where keywords.count < keywordLimit {
      guard let text = text.trimmed.nonEmpty, seen.insert(text.lowercased()).inserted else {
        continue
      }
      keywords.append(PhotoMetadata.Keyword(text: text, source: source))
    }
  }
  func addLeaves(_ texts: [String], _ separator: Character, _ source: String) {
    // Of “animal|bird|falcon” the last says what it is.
    add(texts.compactMap { $0.split(separator: separator).last.map(String.init) }, source)
  }
  add(tags.xmpTexts("dc.subject"), "xmp:dc:subject")
  add(untruncated(tags.iptcTexts("Application2.Keywords"), beside: keywords), "iptc:2:25")
  addLeaves(tags.xmpTexts("lr.hierarchicalSubject"), "|", "xmp:lr:hierarchicalSubject")
  addLeaves(tags.xmpTexts("digiKam.TagsList"), "/", "xmp:digiKam:TagsList")
  addLeaves(
    tags.xmpTexts("MicrosoftPhoto.LastKeywordXMP"), "/", "xmp:MicrosoftPhoto:LastKeywordXMP")
  addLeaves(tags.xmpTexts("mediapro.CatalogSets"), "|", "xmp:mediapro:CatalogSets")
  let windows = tags.exif("Image.XPKeywords").map { windowsText($0.bytes) } ?? ""
  add(windows.split(separator: ";").map(String.init), "exif:XPKeywords")
  return keywords
}

/// Leaves out what IPTC has only the beginning of, since it has room for 64 bytes.
private func untruncated(
  _ texts: [String], beside keywords: [PhotoMetadata.Keyword]
) -> [String] {
  texts.filter { text in
    text.utf8.count < 60
      || !keywords.contains { $0.text != text && $0.text.utf8.starts(with: text.utf8) }
  }
}
