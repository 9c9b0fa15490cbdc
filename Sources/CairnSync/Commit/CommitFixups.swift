public import CairnDocument
internal import CairnGit
internal import CairnMerge
internal import CairnStore

/// A correction to a document in a commit of another tool.
public struct Fixup: Equatable, Sendable {
  /// What was corrected.
  public enum Reason: Equatable, Sendable {
    /// A field was changed without a new stamp; now it has one.
    case stamped
    /// It was not in canonical form.
    case canonicalized
    /// It does not parse; replaced by its previous version, or by the merge of the parents.
    case repaired(DocumentError)
    /// A line-based merge dropped or mixed changes of its parents; replaced by cairn's merge.
    case remerged
    /// It was removed, but other documents need it; its last version is restored.
    case restored
    /// It referred to a different image than its path does; the right pointer is restored.
    case pointer
    /// The facts about a photo's image, which never change, were changed; restored.
    case facts
    /// The image itself was committed, without a filter; replaced by a pointer.
    case converted
    /// It was removed together with everything else; kept.
    case emptied(EmptyingCommit)
    /// git refuses the path; left out.
    case refusedPath
    /// It is in a directory that took the place of a document; left out.
    case belowDocument
  }

  /// The path of the file in the dataset.
  public let path: String
  /// What was corrected.
  public let reason: Reason
}

/// The effective changes of commits by other tools, beyond the contents of their trees.
///
/// git does not know stamps: an edit in an editor, a revert or a line-based merge makes a change
/// that no stamp records. Deriving it from the commit that made it, and not from the base of some
/// merge, gives it the same meaning regardless of the order of merges.
struct CommitFixups {
  /// The effective versions of documents where the tree has another version or none; nil for a
  /// document that should not exist.
  var documents: [String: (bytes: [UInt8]?, reason: Fixup.Reason)] = [:]
  /// The modes of kept files that are not the dataset's, where they are not plain files.
  var modes: [String: FileMode] = [:]
  /// The last versions of documents, and the pointers of images, that were removed.
  var removed: [String: [UInt8]] = [:]
  /// Whether the fixups may depend on commits before those that are read: a commit holds an edit
  /// whose stamp is older than the previous commit, perhaps a revert of a revert, or it removes a
  /// document, which may have had an unstamped edit.
  var dependsOnEarlierEdits = false
  /// Whether one of the commits is a merge.
  var includesMerge = false

  var list: [Fixup] {
    documents.map { Fixup(path: $0, reason: $1.reason) }.sorted { $0.path < $1.path }
  }

  /// Records what a commit with one parent did to a document.
  ///
  /// - Parameter old: The version in the parent's tree, nil when there is none.
  /// - Parameter seconds: The author time of the commit, in seconds since 1970; `previous` is that
  ///   of the commit before it.
  /// - Parameter isFixup: Whether the commit is a fixup by cairn: not an edit, but what its device
  ///   knew of the effective versions.
  /// - Parameter history: Returns the versions before the commit. It is called when a document, or
  ///   a field, is restored to an older version than the one removed.
  mutating func edit(
    _ path: DocumentPath, from old: [UInt8]?, to new: [UInt8]?, at seconds: Int64,
    after previous: Int64 = .min, isFixup: Bool = false,
    history: () throws -> DocumentHistory = { DocumentHistory() }
  ) rethrows {
    let key = path.description
    let fixup = documents.removeValue(forKey: key)
    let effective = fixup.map(\.bytes) ?? old
    guard let new else {
      if path.kind?.isPermanent == true, let effective {
        documents[key] = (effective, .restored)
        return
      }
      // Removing a document that should not exist changes nothing; its last version stays known.
      if let effective { removed[key] = effective }
      if path.kind != nil { dependsOnEarlierEdits = true }
      return
    }
    if isFixup {
      // It may depend on edits that its device did not know, as the edit does that it corrects.
      if fixup?.bytes != nil { dependsOnEarlierEdits = true }
      let joined = CommitFixups.merged(new, effective ?? removed[key], key)
      if fixup != nil, effective == nil, joined == removed[key], joined != new {
        documents[key] = fixup  // It stays removed: its device did not know what it lost to.
        return
      }
      removed[key] = nil
      if let joined, joined != new { documents[key] = (joined, fixup?.reason ?? .stamped) }
      return
    }
    guard path.kind != nil else { return keepSize(effective, new, at: path) }
    guard let effective else {
      guard let last = removed[key] else { return }
      let back = try CommitFixups.readded(new, after: last, at: path, seconds, history)
      documents[key] = back
      if let back, back.bytes == nil { return }
      removed[key] = nil
      return
    }
    let version: JSON
    do throws(DocumentError) {
      version = try Document(bytes: new, at: path).json
    } catch {
      documents[key] = CommitFixups.repaired(new, since: effective, at: path, seconds)
        .map { ($0, .repaired(error)) }
      return
    }
    if let stamp = version.latestStamp, stamp.milliseconds / 1000 < previous {
      dependsOnEarlierEdits = true
    }
    if old == nil, fixup != nil, new != effective {
      // Another tool's merge dropped the document, and the commit may be rebased onto that merge.
      documents[key] = try CommitFixups.readded(new, after: effective, at: path, seconds, history)
        .map { ($0.bytes ?? effective, $0.reason) }
      return
    }
    let before = try? JSON(bytes: effective)
    let raw = fixup == nil ? before : old.flatMap { try? JSON(bytes: $0) } ?? before
    var edited = version
    if let before, let raw {
      edited = try version.stampingEdits(
        since: raw, effective: before,
        history: { try history().versions.compactMap { try? JSON(bytes: $0) } },
        { $0.successorByOtherTools(at: seconds) })
    }
    let bytes = edited.canonicalBytes
    if bytes == new { return }
    let isUnchanged = edited == version || edited == before
    documents[key] = (bytes, isUnchanged ? fixup?.reason ?? .canonicalized : .stamped)
    if edited["image"] != version["image"] { documents[key] = (bytes, .facts) }
  }

  /// Keeps a pointer of which another tool changed the size: an image never changes. Its photo, if
  /// there is one, says which of the sizes is right.
  private mutating func keepSize(_ old: [UInt8]?, _ new: [UInt8], at path: DocumentPath) {
    guard let old, let known = Pointer(bytes: old), let pointer = Pointer(bytes: new),
      known.id == path.blob, pointer.id == known.id, pointer.size != known.size
    else { return }
    documents[path.description] = (old, .pointer)
  }

  /// Returns the effective version of a document that does not parse: its previous version, merged
  /// with the sides of a conflict whose markers it still contains; nil when none of them parses.
  private static func repaired(
    _ broken: [UInt8], since effective: [UInt8], at path: DocumentPath, _ seconds: Int64
  ) -> [UInt8]? {
    let before = try? Document(bytes: effective, at: path)
    let sides = ConflictMarkers.sides(of: broken).compactMap { try? Document(bytes: $0, at: path) }
    let versions = sides.map { side in
      before.map {
        side.json.stampingContradictions(of: [$0.json]) { $0.successorByOtherTools(at: seconds) }
      }
        ?? side.json
    }
    guard let first = before?.json ?? versions.first else { return nil }
    return versions.reduce(first) { $0.joined(with: $1) }.keepingFacts(of: first).canonicalBytes
  }

  /// Records what a merge by another tool made of a document.
  ///
  /// - Parameters:
  ///   - expected: cairn's merge of the document; nil when it would not exist.
  ///   - effective: Its effective version in the parents, where their trees differ from it.
  ///   - last: Its version when it was removed before the merge.
  ///   - isChosen: Whether one of the parents does not have it either.
  ///   - seconds: The author time of the merge, in seconds since 1970.
  ///   - versions: Returns its versions in the trees of the parents and of their merge base; none of
  ///     the parents' if the merge may have lines of other documents.
  mutating func merge(
    _ path: DocumentPath, expected: [UInt8]?, effective: [UInt8]? = nil, result: [UInt8]?,
    removed last: [UInt8]? = nil, isChosen: Bool, at seconds: Int64 = 0,
    versions: () throws -> (parents: [JSON], base: JSON?) = { ([], nil) }
  ) rethrows {
    let key = path.description
    guard let expected = CommitFixups.merged(expected, expected == nil ? nil : effective, key)
    else {
      guard let result else { return }
      guard path.kind != nil else { return keepSize(effective ?? last, result, at: path) }
      let kept: JSON
      do throws(DocumentError) {
        kept = try Document(bytes: result, at: path).json
      } catch {
        documents[key] = (nil, .repaired(error))
        return
      }
      // Removed on one side and kept on the other: a document stays, merged with its last version.
      // What no side has was written in the merge.
      let (parents, base) = try versions()
      let known = [last, effective].compactMap { $0.flatMap { try? JSON(bytes: $0) } }
      let edited = kept.stampingNew(since: known + parents + [base].compactMap(\.self)) {
        $0.successorByOtherTools(at: seconds)
      }
      let facts = last.flatMap { try? JSON(bytes: $0) }.map { edited.keepingFacts(of: $0) }
      let bytes = [last, effective].reduce((facts ?? edited).canonicalBytes) {
        CommitFixups.merged($0, $1, key) ?? $0
      }
      if bytes != result { documents[key] = (bytes, edited == kept ? .remerged : .stamped) }
      return
    }
    guard let result else {
      // A removal from both sides is intentional; taking over one side's removal is not.
      if isChosen || path.kind?.isPermanent == true {
        documents[key] = (expected, .remerged)
      } else {
        removed[key] = expected
      }
      return
    }
    guard path.kind != nil else {
      return keepSize(effective ?? expected, result, at: path)
    }
    let merged: JSON
    let join: JSON
    do throws(DocumentError) {
      merged = try Document(bytes: result, at: path).json
      join = try JSON(bytes: expected).takingLaterRegisters(of: merged)
    } catch {
      if (try? Document(bytes: expected, at: path)) != nil {
        documents[key] = (expected, .repaired(error))
      }
      return
    }
    if join.canonicalBytes == result { return }
    let (parents, base) = try versions()
    let edited = join.takingEdits(of: merged, between: parents, since: base) {
      $0.successorByOtherTools(at: seconds)
    }
    documents[key] = (edited.canonicalBytes, edited == join ? .remerged : .stamped)
  }

  /// Returns the merge of two versions, either of which may be missing.
  static func merged(_ a: [UInt8]?, _ b: [UInt8]?, _ path: String) -> [UInt8]? {
    guard let a, let b else { return a ?? b }
    return Replica.merged(a, b, path)
  }

  /// Returns the effective version of a document that was added again after its removal; nil when
  /// it needs no fixup.
  ///
  /// Restoring a version from the same history asserts it again, with a later stamp. A version that
  /// `git rebase` takes from another history is merged with the removed one, as a merge would do,
  /// and stays removed if it adds nothing. A version that does not parse is replaced by the removed
  /// one.
  private static func readded(
    _ new: [UInt8], after last: [UInt8], at path: DocumentPath, _ seconds: Int64,
    _ history: () throws -> DocumentHistory
  ) rethrows -> (bytes: [UInt8]?, reason: Fixup.Reason)? {
    guard let before = try? Document(bytes: last, at: path) else { return nil }
    var (back, reason) = (before, Fixup.Reason.stamped)
    do throws(DocumentError) {
      back = try Document(bytes: new, at: path)
    } catch {
      reason = .repaired(error)
    }
    func later(than replaced: Stamp) -> Stamp { replaced.successorByOtherTools(at: seconds) }
    // A photo that was added again is not removed; its creation stamp does not show when.
    if case .photo(var photo) = back, photo.removed == Register(false, .initial) {
      photo.removed = Register(false, Stamp.initial.successorByOtherTools(at: seconds))
      if case .photo(let old) = before, old.removed.value { back = .photo(photo) }
    }
    let (mine, known) = (back.json, before.json)
    let edited = mine.stampingContradictions(of: [known], later)
    var result = edited.joined(with: known)
    if result != edited {
      let history = try history()
      if history.mayContain(new) {
        result = mine.stampingEdits(since: known, later)
      } else {
        result = history.stampingContradictions(in: edited, later).joined(with: known)
        if result == known { return (nil, .remerged) }
      }
    } else if result == known, case .label(var label) = before {
      label.stamp = later(than: label.stamp)
      result = label.json
    }
    let bytes = result.keepingFacts(of: known).canonicalBytes
    return bytes == new ? nil : (bytes, reason)
  }
}
