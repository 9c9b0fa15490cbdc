package import CairnDocument

/// The result of merging a document that both sides changed.
package enum DocumentMerge: Equatable, Sendable {
  /// Both sides merged into these bytes.
  case merged([UInt8])
  /// Only one side is valid; it is kept, and the other side's error is reported.
  case kept([UInt8], broken: DocumentError)
  /// Neither side is valid; the bytes that sort last are kept, and both errors are reported.
  case broken([UInt8], DocumentError)

  /// Merges two versions of the document at `path`, in either order.
  ///
  /// - Parameters:
  ///   - base: The common ancestor, to detect edits that did not move their stamp.
  ///   - seconds: When their version was made, since 1970, if known.
  package init(
    base: [UInt8]? = nil, _ ours: [UInt8], _ theirs: [UInt8], madeAt seconds: Int64? = nil,
    at path: DocumentPath
  ) {
    switch (DocumentMerge.read(ours, at: path), DocumentMerge.read(theirs, at: path)) {
    case (.success(let ours), .success(let theirs)):
      let merged =
        if let base, case .success(let base) = DocumentMerge.read(base, at: path) {
          ours.merged(with: theirs, since: base, madeAt: seconds)
        } else {
          ours.joined(with: theirs)
        }
      self = .merged(merged.canonicalBytes)
    case (.success(let document), .failure(let error)),
      (.failure(let error), .success(let document)):
      self = .kept(document.canonicalBytes, broken: error)
    case (.failure(let ourError), .failure(let theirError)):
      self =
        ours.lexicographicallyPrecedes(theirs)
        ? .broken(theirs, theirError) : .broken(ours, ourError)
    }
  }

  private static func read(_ bytes: [UInt8], at path: DocumentPath) -> Result<JSON, DocumentError> {
    do throws(DocumentError) {
      return .success(try Document(bytes: bytes, at: path).json)
    } catch {
      return .failure(error)
    }
  }

  /// The resulting bytes.
  package var bytes: [UInt8] {
    switch self {
    case .merged(let bytes), .kept(let bytes, _), .broken(let bytes, _): bytes
    }
  }
}
