internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnMerge
internal import CairnStore
internal import SystemPackage

/// What this copy still has of facts that were erased from the history.
public struct RemainingFacts: Equatable, Sendable {
  /// The number of photos and people with erased facts.
  public internal(set) var subjects = 0
  /// The number of commits and tags with the facts, or with such a commit before them.
  public internal(set) var commits = 0
  /// The number of other objects of git with the facts.
  public internal(set) var objects = 0
  /// Files of the work tree and of the git directory with the facts.
  public package(set) var files: [String] = []
  /// Whether some ref or reflog names such a commit.
  public internal(set) var isReachable = false

  /// Whether nothing was found.
  public var isClean: Bool { commits == 0 && objects == 0 && files.isEmpty }
}

extension Replica {
  /// Searches git's objects, even if no ref reaches them, the work tree, the reflogs and the logs of
  /// this device for facts that were erased from the history. It does not search the index.
  ///
  /// - Returns: Nil if none were erased.
  package func remainingFacts() throws -> RemainingFacts? {
    let facts = try erasedFacts()
    if facts.isEmpty { return nil }
    var remaining = RemainingFacts()
    remaining.subjects = facts.photos.count + facts.people.count
    let (eraser, rewrite) = (
      FactEraser(facts), HistoryRewrite(facts, in: repository, isDryRun: true)
    )
    func isChanged(_ id: ObjectID) -> Bool {
      (try? rewrite.rewritten(id)).map { $0 != id } ?? false
    }
    remaining.isReachable = try repository.namedObjects().contains(where: isChanged)
    let objects = Set(try repository.allObjects()).sorted()
    for (index, id) in objects.enumerated() {
      if index % 1024 == 0 {
        try environment.checkCancellation()
        environment.report("searching git's objects", index, of: objects.count)
      }
      // Another process may have removed it.
      guard let size = try? repository.size(of: id) else { continue }
      let kind = try repository.withObject(id) { kind, _ in kind }
      switch kind {
      case .commit, .tag: if isChanged(id) { remaining.commits += 1 }
      case .blob where size <= DocumentLimit.size:
        let bytes = try repository.blob(id)
        if eraser.erased(bytes, as: nil) != bytes { remaining.objects += 1 }
      case .blob, .tree: break
      }
    }
    remaining.files = try filesWithFacts(eraser)
    return remaining
  }

  private func filesWithFacts(_ eraser: FactEraser) throws -> [String] {
    var found: [String] = []
    func search(_ path: String) throws {
      guard let bytes = try? directory.read(path) else { return }
      if eraser.erased(bytes, at: path) != bytes { found.append(path) }
    }
    try search(".mailmap")
    for name in DocumentPath.topLevel where name != "images" {
      try forEachWorkFile(below: name, unreadable: { _, _ in }) { path, _ in try search(path) }
    }
    for (path, text) in try repository.reflogs()
    where eraser.replacingAddresses(in: text) != text {
      found.append("\(path)")
    }
    found += try logsWithFacts(eraser).map { "\($0)" }
    return found.sorted()
  }

  /// Returns the logs of this device, of operations, edits and reviews, that have the facts.
  func logsWithFacts(_ eraser: FactEraser) throws -> [FilePath] {
    try derivedFiles().logs.filter { path in
      try environment.checkCancellation()
      // Another process may remove it.
      guard let bytes = try? environment.files.read(path) else { return false }
      return eraser.hasFacts(inLines: bytes)
    }
  }
}

extension FactEraser {
  /// Whether a log of this device, with lines of JSON, has the facts: in a document, in a change of a
  /// field, or in any text.
  fileprivate func hasFacts(inLines bytes: [UInt8]) -> Bool {
    bytes.split(separator: UInt8(ascii: "\n")).contains { line in
      let text = String(decoding: line, as: UTF8.self)
      if replacingAddresses(in: text) != text { return true }
      // An incomplete line was left by a crash.
      guard !facts.photos.isEmpty, let json = try? JSON(bytes: line) else { return false }
      return hasFacts(in: json)
    }
  }

  private func hasFacts(in json: JSON) -> Bool {
    if let elements = json.array { return elements.contains { hasFacts(in: $0) } }
    guard let object = json.object else { return false }
    if object["kind"] != nil {
      let bytes = json.canonicalBytes
      if erased(bytes, as: nil) != bytes { return true }
    }
    return isErasedChange(object) || object.members.contains { hasFacts(in: $0.value) }
  }

  /// Whether an object describes an erased field of a photo, or a class of one without labels.
  private func isErasedChange(_ object: JSONObject) -> Bool {
    guard let photo = object["photo"]?.string.flatMap({ PhotoID($0) }) else { return false }
    if facts.metadata.contains(photo), object["class"]?.string != nil { return true }
    let isErased =
      switch object["field"]?.string {
      case "pin": facts.photos.contains(photo)
      case "caption", "title": facts.metadata.contains(photo)
      default: false
      }
    return isErased
      && ["after", "before"].contains { key in
        object[key]?.string.map { !$0.isEmpty } ?? false
      }
  }
}
