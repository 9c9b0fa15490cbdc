internal import CairnBase
internal import CairnDocument
internal import CairnIndex
internal import CairnMerge

// Photos by the name that their file had when they were added.

extension Dataset {
  /// Maximum number of photos that an ambiguous file name is reported with.
  private static let sameNameLimit = 20

  /// Returns the photo whose file had this name when it was added, such as `IMG_0003.jpg`; nil if
  /// there is none. Letter case counts only if there are several photos.
  ///
  /// The index finds it, and is read only for file names.
  /// - Throws: ``CairnError/Kind/ambiguous`` if several photos had this name.
  func photoID(fileName name: String) throws -> PhotoID? {
    guard Dataset.isFileName(name) else { return nil }
    return try query { index in try photo(fileName: name, in: index)?.id }
  }

  /// Returns the photo whose file had this name, as ``photoID(fileName:)`` does.
  func photo(fileName name: String, in index: IndexReader) throws -> Photo? {
    guard Dataset.isFileName(name) else { return nil }
    let (photos, areRemoved) = try photos(withFileName: name, in: index)
    if photos.count > 1 {
      throw CairnError.ambiguousFileName(name, photos.map(\.id), areRemoved: areRemoved)
    }
    return photos.first
  }

  /// Returns whether a text may be the name of an image file: without a directory, and with an
  /// extension of 2 to 5 ASCII letters and digits.
  private static func isFileName(_ text: String) -> Bool {
    guard !text.contains("/"), text.utf8.count <= 255,
      let dot = text.lastIndex(of: "."), dot > text.startIndex
    else { return false }
    let ending = text[text.index(after: dot)...]
    return 2...5 ~= ending.utf8.count
      && ending.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  /// Returns the photos with this file name, sorted by id: those that are equal in letter case, if
  /// there are any, and removed photos only if there are no others.
  private func photos(
    withFileName name: String, in index: IndexReader
  ) throws -> (photos: [Photo], areRemoved: Bool) {
    let folded = name.lowercased()
    var ranked: [[Photo]] = [[], [], [], []]
    try index.forEachPhoto(named: name) { photo in
      let source = photo.source.value
      guard source.lowercased() == folded else { return true }
      let isRemoved =
        try photo.removed.value
        && !Visibility(of: photo, labels: index.labels(of: photo.id)).isVisible
      let rank = (isRemoved ? 2 : 0) + (source == name ? 0 : 1)
      if ranked[rank].count <= Dataset.sameNameLimit { ranked[rank].append(photo) }
      return ranked[0].count <= Dataset.sameNameLimit
    }
    let rank = ranked.firstIndex { !$0.isEmpty } ?? 0
    return (ranked[rank], rank >= 2)
  }
}

extension CairnError {
  static func ambiguousFileName(
    _ name: String, _ photos: [PhotoID], areRemoved: Bool
  ) -> CairnError {
    let shown = photos.prefix(5).map(\.short).joined(separator: ", ")
    let more = photos.count > 5 ? ", …" : ""
    let number = photos.count > 20 ? "more than 20" : "\(photos.count)"
    let query = shellArgument("\"\(name)\"" + (areRemoved ? " is:removed" : ""))
    return CairnError(
      .ambiguous, "The file name “\(name)” belongs to \(number) photos: \(shown)\(more).",
      hint: "Give the id of one"
        + (name.contains("\"") ? "." : "; `cairn find \(query)` shows them."))
  }
}
