import CairnDocument

/// What was said, kept apart from all datasets: the truth that they must agree with in the end.
///
/// It knows nothing of joins: of each field it remembers the statement with the latest stamp.
struct Ledger {
  /// A field of a document: the whole of a label, a member of anything else.
  private struct Field: Hashable {
    let path: String
    let member: String
  }

  private struct Entry: Equatable {
    let stamp: Stamp
    let bytes: [UInt8]
    /// What it says, whenever that was.
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

  /// The latest statement that was surely made of each field.
  private var sure: [Field: Entry] = [:]
  /// Statements that a crash may have swallowed.
  private var unsure: [Field: [Entry]] = [:]
  /// What somebody made of fields without a stamp: it may stand there, as of whenever it was made.
  private var byHand: [Field: [JSON]] = [:]
  /// What such an edit replaced: it was made with knowledge of it, and must not lose to it.
  private var replacedByHand: [Field: [Entry]] = [:]
  /// Whether a directory was copied: an edit that is not committed may be in both, and is replaced in
  /// one.
  var hasCopies = false
  /// Labels whose stamps tell no time. Where git commits one over another with the same stamp, it looks
  /// like an edit: it may be there, with whatever stamp that got.
  private var timeless: [Field: [JSON]] = [:]
  /// Whether somebody has rebased with git.
  var hasRebased = false
  /// Documents that were removed with another tool.
  private var removedByHand = Set<String>()
  /// The labels, with their stamps, that those saw who removed their class.
  private var labelsOfRemovedClasses: [String: [String: Stamp]] = [:]
  /// The latest stamps that were seen by those who removed a document.
  private var removed: [Field: Stamp] = [:]

  /// Returns the registers of a document.
  private static func statements(_ json: JSON, at path: String) -> [Field: Entry] {
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

  mutating func write(_ document: Document, isSure: Bool) {
    for (field, statement) in Ledger.statements(document.json, at: document.path.description) {
      if statement.stamp.isTimeless { timeless[field, default: []].append(statement.content) }
      if isSure {
        if let known = sure[field], !statement.isLater(than: known) { continue }
        sure[field] = statement
      } else {
        unsure[field, default: []].append(statement)
      }
    }
  }

  /// Takes note of a change that another tool made.
  mutating func change(
    _ path: String, from old: [UInt8]?, to new: [UInt8]?, isByHand: Bool = true
  ) {
    if new == nil, isByHand { removedByHand.insert(path) }
    guard let old, let before = try? JSON(bytes: Ledger.withoutMarkers(old)) else { return }
    let replaced = Ledger.statements(before, at: path)
    guard let new else {
      for (field, statement) in replaced {
        removed[field] = max(removed[field] ?? statement.stamp, statement.stamp)
      }
      return
    }
    guard let after = try? JSON(bytes: new) else { return }
    for (field, statement) in Ledger.statements(after, at: path) {
      guard let known = replaced[field], known != statement else { continue }
      // Whoever edits an edit without a stamp knows it: of the two, the later one counts.
      if !hasCopies, let outdated = byHand[field]?.firstIndex(of: known.content) {
        byHand[field]?.remove(at: outdated)
      }
      // Also where its stamp moves on: who reverts a revert says anew what was said before.
      byHand[field, default: []].append(statement.content)
      if known.stamp >= statement.stamp { replacedByHand[field, default: []].append(known) }
    }
  }

  private static func withoutMarkers(_ bytes: [UInt8]) -> [UInt8] {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return Array(
      lines.filter { !$0.starts(with: "<<<<<<<".utf8) && !$0.starts(with: ">>>>>>>".utf8) }
        .joined(separator: [UInt8(ascii: "\n")]))
  }

  func wasRemovedByHand(_ path: String) -> Bool { removedByHand.contains(path) }

  /// Takes note of the labels that somebody leaves without their class.
  mutating func removeClass(_ path: String, under labels: [String: [UInt8]]) {
    for (label, bytes) in labels {
      guard let stamp = Ledger.stamp(of: bytes) else { continue }
      let known = labelsOfRemovedClasses[path, default: [:]][label]
      labelsOfRemovedClasses[path, default: [:]][label] = max(known ?? stamp, stamp)
    }
  }

  /// Whether somebody removed a class who knew all that a label of it says.
  func wasRemoved(_ classPath: String, under label: String, _ bytes: [UInt8]) -> Bool {
    guard let known = labelsOfRemovedClasses[classPath]?[label] else { return false }
    return Ledger.stamp(of: bytes).map { $0 <= known } ?? true
  }

  private static func stamp(of label: [UInt8]) -> Stamp? {
    (try? JSON(bytes: withoutMarkers(label)))?["stamp"]?.string.flatMap { Stamp($0) }
  }

  /// Brings a document back that was removed: it may be said anew.
  mutating func bringBack(_ path: String, _ bytes: [UInt8]) {
    guard let json = try? JSON(bytes: bytes) else { return }
    for (field, statement) in Ledger.statements(json, at: path) {
      byHand[field, default: []].append(statement.content)
    }
  }

  /// Returns what is wrong with the documents that all have come to hold; nil when nothing is.
  func complaint(about documents: [String: [UInt8]]) -> String? {
    var found: [Field: Entry] = [:]
    for (path, bytes) in documents {
      if let json = try? JSON(bytes: bytes) {
        found.merge(Ledger.statements(json, at: path)) { $1 }
      }
    }
    for (field, statement) in sure.sorted(by: {
      ($0.key.path, $0.key.member) < ($1.key.path, $1.key.member)
    }) {
      let name = "\(field.path) \(field.member)"
      guard let stands = found[field] else {
        if let seen = removed[field], seen >= statement.stamp { continue }
        return "\(name) is lost: \(String(decoding: statement.bytes, as: UTF8.self))"
      }
      if replacedByHand[field]?.contains(stands) == true {
        return "\(name) is as it was before somebody changed it by hand"
      }
      if stands == statement || unsure[field]?.contains(stands) == true { continue }
      if stands.stamp < statement.stamp {
        return "\(name) stands as of \(stands.stamp), though it was said at \(statement.stamp)"
      }
      let isReplayed = timeless[field]?.contains(stands.content) == true
      if stands.content != statement.content, !isReplayed,
        byHand[field]?.contains(stands.content) != true
      {
        return
          "\(name) says what nobody said: \(String(decoding: stands.bytes, as: UTF8.self)), not "
          + String(decoding: statement.bytes, as: UTF8.self)
      }
    }
    return nil
  }
}
