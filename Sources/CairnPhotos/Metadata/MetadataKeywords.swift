extension MetadataTags {
  /// Returns the texts of an IPTC data set, decoded with the declared encoding.
  func iptcTexts(_ key: String) -> [String] {
    let encoding = IPTCEncoding(all("Iptc.Envelope.CharacterSet").first?.bytes)
    return all("Iptc.\(key)").compactMap { encoding.decode($0.bytes).nonEmpty }
  }
}

/// The maximum number of keywords on one photo.
private let keywordLimit = 1000

/// Returns a photo's keywords, those of XMP first, without duplicates that differ only in case.
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
    // The last component of “animal|bird|falcon” is the keyword.
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

/// Returns the texts without those that IPTC, which is limited to 64 bytes, has truncated.
private func untruncated(
  _ texts: [String], beside keywords: [PhotoMetadata.Keyword]
) -> [String] {
  texts.filter { text in
    text.utf8.count < 60
      || !keywords.contains { $0.text != text && $0.text.utf8.starts(with: text.utf8) }
  }
}
