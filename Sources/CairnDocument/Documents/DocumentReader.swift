/// Reads documents by the million from their paths.
package struct DocumentReader {
  private var tags = AnnotatorTags()
  private var expectedPath: [UInt8] = []

  package init() {}

  /// Returns whether a path belongs to a document, as far as its beginning shows.
  package func isDocument(_ path: String) -> Bool {
    if path.hasPrefix("labels/") || path.hasPrefix("photos/") { return true }
    return DocumentPath(path)?.kind != nil
  }

  /// Returns the document with these bytes; nil if it is invalid or belongs at another path.
  package mutating func document(_ bytes: UnsafeBufferPointer<UInt8>, at path: String) -> Document?
  {
    guard path.hasPrefix("labels/") else {
      return DocumentPath(path).flatMap { try? Document(bytes: bytes, at: $0) }
    }
    // The path follows from the label: writing it is cheaper than parsing the other.
    guard let label = try? Label(bytes: bytes) else { return nil }
    expectedPath.removeAll(keepingCapacity: true)
    DocumentPath.appendLabel(label, tag: tags.tag(of: label.annotator), to: &expectedPath)
    return path.utf8.elementsEqual(expectedPath) ? .label(label) : nil
  }
}

/// A cache of annotators' tags for paths: a dataset has few annotators, and many labels of each.
package struct AnnotatorTags {
  private var tags: [Annotator: String] = [:]
  private var last: (annotator: Annotator, tag: String)?

  package init() {}

  package mutating func tag(of annotator: Annotator) -> String {
    if let last, last.annotator == annotator { return last.tag }
    let tag = tags[annotator] ?? annotator.tag
    tags[annotator] = tag
    last = (annotator, tag)
    return tag
  }
}
