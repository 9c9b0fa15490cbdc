import CairnDocument

/// A record of all edits, kept outside of all datasets: the expected result at the end.
///
/// It does not use the merge code: for each field it remembers the value with the latest stamp.
struct Ledger {
  /// A field of a document: a label as a whole, or a member of another document.
  private struct Field: Hashable {
    let path: String
    let member: String
  }

  private struct Entry: Equatable {
    let stamp: Stamp
    let bytes: [UInt8]
    /// The value without its stamp.
    let content: JSON

    init(_ json: JSON, _ stamp: Stamp) {
      var members = json.object ?? [:]
      members["stamp"] = nil
      (self.stamp, bytes, content) = (stamp, json.canonicalBytes, .object(members))
    }

    func isLater(than other: Entry) -> Bool {
      stamp == other.stamp
        ? other.bytes.lexicographicallyPrecedes(bytes) : stamp > other.stamp
    }
  }

  /// The latest value of each field that was certainly written.
  private var certain: [Field: Entry] = [:]
  /// Values that a crash may have lost.
  private var uncertain: [Field: [Entry]] = [:]
  /// Everything that devices wrote.
  private var versions: [Field: Set<[UInt8]>] = [:]
  /// Unstamped edits of fields: each may be the result, with the time at which it was made.
  private var byHand: [Field: [JSON]] = [:]
  /// The time of the latest commit with an unstamped edit of each field, from which it gets its stamp.
  private var committedByHand: [Field: Stamp] = [:]
  /// The latest stamp of each field in the commits that people with git have merged.
  private var merged: [Field: Stamp] = [:]
  /// The fields of documents that were restored with another tool.
  private var restoredByHand: Set<Field> = []
  /// The values that unstamped edits replaced, and to which they must not lose.
  private var replacedByHand: [Field: [Entry]] = [:]
  /// Whether a directory was copied: an uncommitted edit may be in both copies, and replaced in
  /// only one.
  var hasCopies = false
  /// Labels with timeless stamps. If one replaces another with the same stamp in a work tree, it
  /// looks like an unstamped edit, so it may be the result with any stamp.
  private var timeless: [Field: [JSON]] = [:]
  /// Whether anybody has committed with git.
  var hasUsedGit = false
  /// Fields with a value that was added to a merge.
  private var amendedInMerges: Set<Field> = []
  /// Whether a person has rebased with git.
  var hasRebased = false
  /// Whether git has merged a removal with an edit: the person who resolved that decided.
  var hasMergedRemoval = false
  /// Labels pruned with their photo: if the photo is restored, so are they.
  private var prunedLabels: Set<Field> = []
  /// Withdrawn labels pruned from a photo that stayed.
  private var prunedAlone: Set<Field> = []
  /// Documents that were added again, photos without the labels that were pruned with them.
  private var addedAgain: Set<String> = []
  /// Photos that were restored for the sake of one label, when all knew of their removal.
  private var restoredAlone: Set<String> = []
  /// How often each photo was added by a device that did not have it.
  private var additions: [String: Int] = [:]
  /// Removals of photos, by devices that could not know that others added them again later.
  private var outdatedRemovals: [Field: [Entry]] = [:]
  /// Whether git has committed what a device was checking out when it crashed: others may remove
  /// those documents, and git's commit has them as new.
  var hasCommittedCheckout = false
  /// Whether a clock has jumped: the commit that adds a photo may then be dated before it.
  var hasClockJumped = false
  /// Documents that were removed with another tool.
  private var removedByHand = Set<String>()
  /// For each removed class, the labels and stamps known to the people who removed it.
  private var labelsOfRemovedClasses: [String: [String: Stamp]] = [:]
  /// The photos whose positions were erased from the history, perhaps with everything else.
  private var erasedPositions: Set<PhotoID> = []
  /// The photos whose metadata was erased from the history.
  private var erasedMetadata: Set<PhotoID> = []
  /// The contents of removed fields, as the people who removed them knew them.
  private var removedContents: [Field: JSON] = [:]
  /// The latest stamps of removed fields known to the people who removed them.
  private var removed: [Field: Stamp] = [:]
  /// The latest stamps of fields that an edit with git left out, as reverting does. They come back,
  /// but not if the document is removed then.
  private var leftOut: [Field: Stamp] = [:]

  /// A person who may be erased from the history, and who then takes their place. What one of them
  /// writes is recorded as if the other had.
  private var person: (erased: Annotator, opaque: Annotator)?

  /// Records that a person may be erased from the history.
  mutating func expectErasure(of person: Annotator, replacedBy opaque: Annotator) {
    self.person = (person, opaque)
  }

  /// Returns the path of a document once the person is erased.
  private func erasedPath(_ path: String) -> String {
    guard let person else { return path }
    return path.replacing("~\(person.erased.tag)", with: "~\(person.opaque.tag)")
  }

  /// Returns a document once the person is erased.
  private func erasedDocument(_ json: JSON) -> JSON {
    guard let person, json["annotator"]?.string == person.erased.description,
      var object = json.object
    else { return json }
    object["annotator"] = .string(person.opaque.description)
    return .object(object)
  }

  /// Returns the registers of a document.
  private func entries(_ json: JSON, at path: String) -> [Field: Entry] {
    let (json, path) = (erasedDocument(json), erasedPath(path))
    guard let object = json.object else { return [:] }
    if let stamp = json["stamp"]?.string.flatMap({ Stamp($0) }) {
      return [Field(path: path, member: ""): Entry(json, stamp)]
    }
    var found: [Field: Entry] = [:]
    for (key, value) in object.members {
      if let stamp = value["stamp"]?.string.flatMap({ Stamp($0) }) {
        found[Field(path: path, member: key)] = Entry(value, stamp)
      }
    }
    return found
  }

  mutating func write(_ document: Document, isCertain: Bool) {
    for (field, entry) in entries(document.json, at: document.path.description) {
      if entry.stamp.isTimeless { timeless[field, default: []].append(entry.content) }
      if isCertain {
        if let written = uncertain[field]?.lastIndex(of: entry) {
          uncertain[field]?.remove(at: written)
        }
        if let known = certain[field], !entry.isLater(than: known) { continue }
        certain[field] = entry
      } else {
        uncertain[field, default: []].append(entry)
        versions[field, default: []].insert(entry.bytes)
      }
    }
  }

  /// Records a change made by another tool.
  ///
  /// - Parameters:
  ///   - seconds: The time of the commit with the change; nil if it is not committed yet.
  ///   - isAmending: Whether it gets the date of a commit that it replaces. A replaced commit that was
  ///     published may have a later date, so that its edits count.
  mutating func change(
    _ path: String, from old: [UInt8]?, to new: [UInt8]?, isByHand: Bool = true,
    at seconds: Int64? = nil, isAmending: Bool = false
  ) {
    let path = erasedPath(path)
    if new == nil, isByHand { removedByHand.insert(path) }
    guard let old, let before = try? JSON(bytes: Ledger.withoutMarkers(old)) else { return }
    let replaced = entries(before, at: path)
    guard let new else {
      for (field, entry) in replaced {
        removedContents[field] = entry.content
        removed[field] = max(removed[field] ?? entry.stamp, lastKnownStamp(entry, of: field))
      }
      for (field, stamp) in leftOut where field.path == path {
        removed[field] = max(removed[field] ?? stamp, stamp)
      }
      return
    }
    guard let after = try? JSON(bytes: new) else { return }
    let edited = entries(after, at: path)
    if Ledger.withoutMarkers(old) != old {
      // The person who repairs a broken document decides what it says.
      for (field, entry) in edited { byHand[field, default: []].append(entry.content) }
    }
    for (field, entry) in replaced where edited[field] == nil {
      leftOut[field] = max(leftOut[field] ?? entry.stamp, lastKnownStamp(entry, of: field))
    }
    for (field, entry) in edited {
      guard let known = replaced[field], known != entry else { continue }
      // An edit that replaces an unstamped edit knows it, so only the later one counts. A value that a
      // device wrote, too, may be the device's.
      let isStamped = versions[field]?.contains(known.bytes) == true
      if !hasCopies, !isAmending, !isStamped,
        let outdated = byHand[field]?.firstIndex(of: known.content)
      {
        byHand[field]?.remove(at: outdated)
      }
      // A person who edits twice may restore the value from before.
      replacedByHand[field]?.removeAll { $0 == entry }
      // Also if its stamp is later: reverting a revert is a new edit with the original value.
      byHand[field, default: []].append(entry.content)
      if let seconds {
        let stamp = Stamp(milliseconds: seconds * 1000, counter: 0, replica: Stamp.otherTools)
        committedByHand[field] = max(committedByHand[field] ?? stamp, stamp)
      }
      if known.stamp >= entry.stamp { replacedByHand[field, default: []].append(known) }
    }
  }

  /// Records a value that a person adds to a merge. `git rebase` drops merges, with what was added.
  mutating func amendMerge(_ path: String, from old: [UInt8], to new: [UInt8], at seconds: Int64) {
    change(path, from: old, to: new, at: seconds)
    guard let before = try? JSON(bytes: old), let after = try? JSON(bytes: new) else { return }
    let known = entries(before, at: path)
    for (field, entry) in entries(after, at: path) where known[field] != entry {
      amendedInMerges.insert(field)
    }
  }

  /// Records a version of a document in a commit that a person merges with git, which may keep
  /// another version: a person who then removes the document knows both.
  mutating func merge(_ path: String, _ bytes: [UInt8]) {
    guard let json = try? JSON(bytes: Ledger.withoutMarkers(bytes)) else { return }
    for (field, entry) in entries(json, at: path) {
      merged[field] = max(merged[field] ?? entry.stamp, entry.stamp)
    }
  }

  /// Returns the latest stamp known to the person who removes a field: an unstamped edit has a later
  /// one than what it replaced, and a document that was restored has one of its restoration.
  private func lastKnownStamp(_ entry: Entry, of field: Field) -> Stamp {
    let known = merged[field].map { max($0, entry.stamp) } ?? entry.stamp
    guard byHand[field]?.contains(entry.content) == true else { return known }
    if restoredByHand.contains(field) {
      return Stamp(milliseconds: 1 << 47, counter: 0, replica: Stamp.otherTools)
    }
    let edited = committedByHand[field].map { max($0, known) } ?? known
    return (replacedByHand[field] ?? []).map(\.stamp).reduce(edited, max)
  }

  private static func withoutMarkers(_ bytes: [UInt8]) -> [UInt8] {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return Array(
      lines.filter { !$0.starts(with: "<<<<<<<".utf8) && !$0.starts(with: ">>>>>>>".utf8) }
        .joined(separator: [UInt8(ascii: "\n")]))
  }

  /// Records that facts about a photo are erased: nothing is expected of them any more.
  mutating func erase(_ fact: Redaction.Fact, of photo: PhotoID) {
    erasedPositions.insert(photo)
    if fact == .metadata { erasedMetadata.insert(photo) }
  }

  /// Whether the value of a field was, or may have been, erased.
  private func isErased(_ field: Field) -> Bool {
    guard let path = DocumentPath(field.path), let photo = path.photo else { return false }
    switch path.kind {
    case .photo:
      return field.member == "pin" && erasedPositions.contains(photo)
        || field.member != "removed" && erasedMetadata.contains(photo)
    case .label:
      // git merges the labels of an erased person line by line, under the one name and the other.
      let isOfPerson = person.map { field.path.contains("~\($0.opaque.tag)") } ?? false
      return erasedMetadata.contains(photo) || isOfPerson && hasUsedGit
    default: return false
    }
  }

  func wasRemovedByHand(_ path: String) -> Bool { removedByHand.contains(erasedPath(path)) }

  /// Records the labels that a person leaves without their class.
  mutating func removeClass(_ path: String, under labels: [String: [UInt8]]) {
    for (label, bytes) in labels {
      guard let stamp = Ledger.stamp(of: bytes) else { continue }
      let label = erasedPath(label)
      let known = labelsOfRemovedClasses[path, default: [:]][label]
      labelsOfRemovedClasses[path, default: [:]][label] = max(known ?? stamp, stamp)
    }
  }

  /// Whether a person removed a class knowing this version of a label, or a later one.
  func wasRemoved(_ classPath: String, under label: String, _ bytes: [UInt8]) -> Bool {
    guard let known = labelsOfRemovedClasses[classPath]?[erasedPath(label)] else { return false }
    return Ledger.stamp(of: bytes).map { $0 <= known } ?? true
  }

  private static func stamp(of label: [UInt8]) -> Stamp? {
    (try? JSON(bytes: withoutMarkers(label)))?["stamp"]?.string.flatMap { Stamp($0) }
  }

  /// Records that a removed document was restored, which may count as a new edit.
  mutating func restore(_ path: String, _ bytes: [UInt8]) {
    guard let json = try? JSON(bytes: bytes) else { return }
    for (field, entry) in entries(json, at: path) {
      byHand[field, default: []].append(entry.content)
      restoredByHand.insert(field)
    }
  }

  /// Records what pruning removed, by path.
  mutating func prune(_ documents: [String: [UInt8]]) {
    for (path, bytes) in documents {
      change(path, from: bytes, to: nil, isByHand: false)
      guard case .label(let photo, _)? = DocumentPath(path) else { continue }
      let isWithPhoto = documents[DocumentPath.photo(photo).description] != nil
      let field = Field(path: erasedPath(path), member: "")
      if isWithPhoto { prunedLabels.insert(field) } else { prunedAlone.insert(field) }
    }
  }

  /// Records that a photo may be restored without the labels that were pruned with it.
  mutating func restoreAlone(_ path: String) { restoredAlone.insert(path) }

  /// Records that a person added a document that was not in their copy.
  mutating func addAgain(_ path: String) { addedAgain.insert(erasedPath(path)) }

  /// Records that a person added a photo with initial stamps, at a time of their clock.
  mutating func addAgain(_ path: String, at milliseconds: Int64) {
    addAgain(path)
    additions[path, default: 0] += 1
    let field = Field(path: path, member: "removed")
    outdatedRemovals[field, default: []] += [certain[field]].compactMap(\.self).filter {
      $0.content["value"]?.bool == true && $0.stamp.milliseconds / 1000 < milliseconds / 1000
    }
  }

  /// Returns the first label that was removed and came back, or that did not come back with its
  /// photo, or nil.
  ///
  /// Rebases and line-based merges by git may do both, and so may copies of a directory, which
  /// commit the same edits twice.
  private func problem(ofRemovedLabels found: [Field: Entry]) -> String? {
    if hasRebased || hasCopies || hasMergedRemoval || hasCommittedCheckout { return nil }
    // git merges the history with the person and the one without as if each had been made apart, so
    // that what was removed only in one of them comes back.
    if person != nil, hasUsedGit { return nil }
    func name(_ field: Field) -> String { "\(field.path) \(field.member)" }
    for (field, seen) in removed where timeless[field] == nil && !isErased(field) {
      guard case .label(let id, _)? = DocumentPath(field.path) else { continue }
      let photoPath = DocumentPath.photo(id).description
      let photo = Field(path: photoPath, member: "removed")
      if let edits = byHand[field] {
        // The only other version is an unstamped edit, by the person who then removed it.
        if removed[photo] == nil, !restoredByHand.contains(field), versions[field]?.count == 1,
          edits.count == 1, edits[0] == removedContents[field], found[field]?.content == edits[0]
        {
          return "\(name(field)) came back after it was edited and removed"
        }
        continue
      }
      // Not if somebody wrote another version, which those who removed it may not have known.
      let isWrittenOnce = versions[field]?.count == 1
      if removed[photo] == nil, isWrittenOnce, let current = found[field], current.stamp <= seen {
        return "\(name(field)) came back after it was removed"
      }
      let isWithPhoto =
        prunedLabels.subtracting(prunedAlone).contains(field)
        && !addedAgain.union(restoredAlone).contains(photoPath)
      if isWithPhoto, !wasRemovedByHand(field.path), found[photo] != nil, found[field] == nil {
        return "\(name(field)) did not come back with its photo"
      }
    }
    return nil
  }

  /// Returns the first discrepancy between the final documents and this record, or nil.
  func problem(about documents: [String: [UInt8]]) -> String? {
    var found: [Field: Entry] = [:]
    for (path, bytes) in documents {
      if let json = try? JSON(bytes: bytes) {
        found.merge(entries(json, at: path)) { $1 }
      }
    }
    if let problem = problem(ofRemovedLabels: found) { return problem }
    let isDated = !hasUsedGit && !hasCopies && !hasClockJumped
    // If two histories have an earlier addition in common, a removal from one of them counts.
    for (field, removals) in outdatedRemovals where isDated && additions[field.path] ?? 0 < 3 {
      if let current = found[field], removals.contains(current) {
        return "\(field.path) is removed, though it was added again later"
      }
    }
    for (field, entry) in certain.sorted(by: {
      ($0.key.path, $0.key.member) < ($1.key.path, $1.key.member)
    }) where !isErased(field) {
      let name = "\(field.path) \(field.member)"
      guard let current = found[field] else {
        if let seen = removed[field], seen >= entry.stamp { continue }
        return "\(name) is lost: \(String(decoding: entry.bytes, as: UTF8.self))"
      }
      // A document that was added again after its removal has new stamps, or those of its creation.
      let isRemoved = removed[field].map { $0 >= entry.stamp } ?? false
      let isAddedAgain = isRemoved && addedAgain.contains(field.path)
      let isAddedAnew = isAddedAgain && current.stamp.isTimeless
      let isDropped = hasRebased && amendedInMerges.contains(field)
      if replacedByHand[field]?.contains(current) == true, !isAddedAnew, !isDropped {
        return "\(name) has the value from before an unstamped edit"
      }
      if current == entry || uncertain[field]?.contains(current) == true { continue }
      if current.stamp < entry.stamp {
        if isAddedAgain { continue }
        return "\(name) has the stamp \(current.stamp), but was edited at \(entry.stamp)"
      }
      // Of two with the same stamp, the one with the greater bytes counts.
      let isReplayed =
        (hasUsedGit || !entry.isLater(than: current))
        && timeless[field]?.contains(current.content) == true
      if current.content != entry.content, !isReplayed,
        byHand[field]?.contains(current.content) != true
      {
        return
          "\(name) has the unknown value \(String(decoding: current.bytes, as: UTF8.self)), not "
          + String(decoding: entry.bytes, as: UTF8.self)
      }
    }
    return nil
  }
}
