public import CairnDocument
internal import CairnMerge

/// A document that a commit of another tool has otherwise than it is meant.
public struct Amendment: Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    /// A field was changed and its stamp stood still; now it has one.
    case stamped
    /// It is not in canonical form.
    case tidied
    /// It does not read; what stood before, or the join of what was merged, stands.
    case repaired(DocumentError)
    /// A merge of lines dropped or mixed what its parents say; their join stands.
    case rejoined
  }

  public let path: String
  public let reason: Reason
}

/// What the commits of other tools mean beyond what their trees hold.
///
/// git knows nothing of stamps: an edit in an editor, a revert or a merge of lines says something
/// that no stamp tells. To read it from the commit that did it, and not from what a merge happens to
/// have as its base, gives it one meaning, whoever merges what first.
struct Amendments {
  /// Documents as they are meant, where the tree has another version or none; nil where there is
  /// none meant.
  var documents: [String: (bytes: [UInt8]?, reason: Amendment.Reason)] = [:]
  /// The last versions of documents, and the pointers of images, that were removed.
  var removed: [String: [UInt8]] = [:]

  var list: [Amendment] {
    documents.map { Amendment(path: $0, reason: $1.reason) }.sorted { $0.path < $1.path }
  }

  /// Takes note of what a commit with one parent did to a document.
  ///
  /// - Parameter old: The version in the parent's tree, nil when there is none.
  /// - Parameter seconds: When the commit was authored, since 1970.
  /// - Parameter past: Returns the versions before the commit. It is asked for where a document was
  ///   removed and comes back older than it went.
  mutating func edit(
    _ path: DocumentPath, from old: [UInt8]?, to new: [UInt8]?, at seconds: Int64,
    past: () throws -> DocumentPast = { DocumentPast() }
  ) rethrows {
    let key = path.description
    let amended = documents.removeValue(forKey: key)
    let meant = amended.map(\.bytes) ?? old
    guard let new else {
      // What was meant to be gone goes again; what it was stays known.
      if let meant { removed[key] = meant }
      return
    }
    guard path.kind != nil else { return }
    guard let meant else {
      guard let last = removed[key] else { return }
      let back = try Amendments.cameBack(new, after: last, at: path, seconds, past)
      documents[key] = back
      if let back, back.bytes == nil { return }
      removed[key] = nil
      return
    }
    do throws(DocumentError) {
      let version = try Document(bytes: new, at: path).json
      let stamped = (try? JSON(bytes: meant)).map { before in
        version.stampingEdits(since: before) { $0.successorByOtherTools(at: seconds) }
      }
      let bytes = (stamped ?? version).canonicalBytes
      if bytes == new { return }
      documents[key] = (bytes, stamped == version ? .tidied : .stamped)
    } catch {
      documents[key] = Amendments.mended(new, since: meant, at: path, seconds)
        .map { ($0, .repaired(error)) }
    }
  }

  /// Returns what a document that does not read is meant to be: what stood before, and what the sides
  /// of a conflict that it still shows say besides; nil when none of them reads.
  private static func mended(
    _ broken: [UInt8], since meant: [UInt8], at path: DocumentPath, _ seconds: Int64
  ) -> [UInt8]? {
    let before = try? Document(bytes: meant, at: path)
    let sides = ConflictMarkers.sides(of: broken).compactMap { try? Document(bytes: $0, at: path) }
    let said = sides.map { side in
      before.map {
        side.json.stampingContradictions(of: [$0.json]) { $0.successorByOtherTools(at: seconds) }
      }
        ?? side.json
    }
    guard let first = before?.json ?? said.first else { return nil }
    return said.reduce(first) { $0.joined(with: $1) }.canonicalBytes
  }

  /// Takes note of what a merge by another tool made of a document.
  ///
  /// - Parameters:
  ///   - join: What cairn would have made of it, nil when it would not be there.
  ///   - meant: What it means in the parents, beyond what their trees have.
  ///   - last: What it was when it was removed before the merge.
  ///   - isChosen: Whether one of the parents does not have it either.
  mutating func merge(
    _ path: DocumentPath, join: [UInt8]?, meant: [UInt8]? = nil, result: [UInt8]?,
    removed last: [UInt8]? = nil, isChosen: Bool
  ) {
    let key = path.description
    guard let join = Amendments.joined(join, join == nil ? nil : meant, key) else {
      // Removed, and kept by somebody: it stays, if it is a document, with what it said last.
      guard let result, path.kind != nil else { return }
      do throws(DocumentError) {
        let kept = try Document(bytes: result, at: path).json.canonicalBytes
        let said = [last, meant].reduce(kept) { Amendments.joined($0, $1, key) ?? $0 }
        if said != result { documents[key] = (said, .rejoined) }
      } catch {
        documents[key] = (nil, .repaired(error))
      }
      return
    }
    guard let result else {
      // Who has it removed from both sides means it; a tool that takes one side's lack does not.
      if isChosen { documents[key] = (join, .rejoined) } else { removed[key] = join }
      return
    }
    guard path.kind != nil else { return }
    do throws(DocumentError) {
      let merged = try Document(bytes: result, at: path).json
      let bytes = try JSON(bytes: join).takingLaterRegisters(of: merged).canonicalBytes
      if bytes != result { documents[key] = (bytes, .rejoined) }
    } catch {
      if (try? Document(bytes: join, at: path)) != nil { documents[key] = (join, .repaired(error)) }
    }
  }

  /// Returns the join of versions that need not be there.
  static func joined(_ a: [UInt8]?, _ b: [UInt8]?, _ path: String) -> [UInt8]? {
    guard let a, let b else { return a ?? b }
    return Replica.joined(a, b, path)
  }

  /// Returns what a document that came back after it was removed is meant to be; nil where it is as
  /// it stands.
  ///
  /// To bring back a version that this line of history had is to say it again, later. What `git rebase`
  /// brings from elsewhere is joined with what was removed, as a merge would have, and stays removed
  /// where it says nothing else. What does not read comes back as it was when it went.
  private static func cameBack(
    _ new: [UInt8], after last: [UInt8], at path: DocumentPath, _ seconds: Int64,
    _ past: () throws -> DocumentPast
  ) rethrows -> (bytes: [UInt8]?, reason: Amendment.Reason)? {
    guard let before = try? Document(bytes: last, at: path) else { return nil }
    var (back, reason) = (before, Amendment.Reason.stamped)
    do throws(DocumentError) {
      back = try Document(bytes: new, at: path)
    } catch {
      reason = .repaired(error)
    }
    func later(than replaced: Stamp) -> Stamp { replaced.successorByOtherTools(at: seconds) }
    let (mine, known) = (back.json, before.json)
    let edited = mine.stampingContradictions(of: [known], later)
    var said = edited.joined(with: known)
    if said != edited {
      let past = try past()
      if past.mayHold(new) {
        said = mine.stampingEdits(since: known, later)
      } else {
        said = past.stampingContradictions(in: edited, later).joined(with: known)
        if said == known { return (nil, .rejoined) }
      }
    } else if said == known, case .label(var label) = before {
      label.stamp = later(than: label.stamp)
      said = label.json
    }
    let bytes = said.canonicalBytes
    return bytes == new ? nil : (bytes, reason)
  }
}
