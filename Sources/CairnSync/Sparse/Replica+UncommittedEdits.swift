internal import CairnDocument
internal import CairnMerge
internal import CairnStore

// Uncommitted versions of documents, merged with versions that come from elsewhere.

extension Replica {
  /// Returns the merge of an uncommitted version of a document with an incoming one; nil when one
  /// of the two does not parse.
  ///
  /// - Parameters:
  ///   - base: The committed version that was edited; nil if the document was added.
  ///   - isEffective: Whether the incoming version is the effective one of the committed version,
  ///     so that the edit replaces it.
  func merging(
    _ working: [UInt8], since base: [UInt8]?, with incoming: [UInt8], isEffective: Bool = false,
    at document: DocumentPath, _ session: EditSession
  ) -> [UInt8]? {
    var working = working
    if let json = try? JSON(bytes: working), let other = try? JSON(bytes: incoming) {
      // Before a crash, the incoming version may have been written already, and edited since.
      working =
        json.stampingContradictions(of: [other]) { session.stamp(replacing: $0) }.canonicalBytes
    }
    working = stampingEdits(
      working, since: base, effective: isEffective ? incoming : nil, session)
    if base == nil { working = showing(working, over: incoming, session) }
    let merge = DocumentMerge(base: base, working, incoming, at: document)
    guard case .merged(let bytes) = merge else { return nil }
    return bytes
  }

  /// Returns a photo that was added here, and is not committed yet, as restored now if others have
  /// removed it: its creation stamp does not show that it was added without knowing of that.
  private func showing(
    _ working: [UInt8], over incoming: [UInt8], _ session: EditSession
  ) -> [UInt8] {
    guard var photo = try? Photo(bytes: working), photo.removed == Register(false, .initial),
      let removed = (try? Photo(bytes: incoming))?.removed, removed.value
    else { return working }
    photo.removed = Register(false, session.stamp(replacing: removed.stamp))
    return photo.canonicalBytes
  }

  /// Returns a working version with stamps on its unstamped edits, as for a commit made now.
  ///
  /// - Parameter effective: The effective version of the base; nil if that is the base itself.
  func stampingEdits(
    _ working: [UInt8], since base: [UInt8]?, effective: [UInt8]? = nil, _ session: EditSession
  ) -> [UInt8] {
    guard let before = try? base.map({ try JSON(bytes: $0) }), let json = try? JSON(bytes: working)
    else { return working }
    let effective = effective.flatMap { try? JSON(bytes: $0) } ?? before
    return json.stampingEdits(since: before, effective: effective, history: { [] }) {
      session.stamp(replacing: $0)
    }
    .canonicalBytes
  }
}
