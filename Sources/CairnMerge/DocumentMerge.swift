public import CairnDocument

/// What became of a document that both sides of a merge changed.
public enum DocumentMerge: Equatable, Sendable {
  /// Both sides were joined into these bytes.
  case joined([UInt8])
  /// Only one side is a document; it stands, and the other side's error is told.
  case kept([UInt8], broken: DocumentError)
  /// Neither side is a document; the bytes that sort last stand, and both errors are told.
  case broken([UInt8], DocumentError)

  /// Merges two versions of the document at `path`, whichever of them is called ours.
  ///
  /// - Parameters:
  ///   - base: The version that both come from, for edits that did not move their stamp.
  ///   - seconds: When their version was made, since 1970, where that is known.
  public init(
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
      self = .joined(merged.canonicalBytes)
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

  /// The bytes that stand.
  public var bytes: [UInt8] {
    switch self {
    case .joined(let bytes), .kept(let bytes, _), .broken(let bytes, _): bytes
    }
  }
}
