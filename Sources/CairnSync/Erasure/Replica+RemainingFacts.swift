public import CairnDocument
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
  /// Files of the work trees and of the git directory with the facts.
  public package(set) var files: [String] = []
  /// Files that could not be read, and how many git objects, so that they may have the facts.
  public package(set) var unreadable: [String] = []
  /// Whether some ref or reflog names such a commit.
  public internal(set) var isReachable = false
  /// Photos whose image on this disk says where it was taken, although that was erased.
  public package(set) var locatedImages: [PhotoID] = []

  /// Whether everything was read, and nothing was found.
  public var isClean: Bool {
    commits == 0 && objects == 0 && files.isEmpty && unreadable.isEmpty && locatedImages.isEmpty
  }
}

extension Replica {
  /// Searches git's objects, even if no ref reaches them, the work trees, the reflogs and the logs of
  /// this device for facts that were erased from the history. It searches neither the index nor images.
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
    remaining.isReachable = try repository.namedObjects().contains { id in
      (try? rewrite.rewritten(id)).map { $0 != id } ?? false
    }
    let objects = Set(try repository.allObjects()).sorted()
    var unreadable = 0
    for (index, id) in objects.enumerated() {
      if index % 1024 == 0 {
        try environment.checkCancellation()
        environment.report("searching git's objects", index, of: objects.count)
      }
      do {
        switch try kind(of: id, ifChangedBy: eraser, rewrite) {
        case nil: break
        case .blob: remaining.objects += 1
        default: remaining.commits += 1
        }
      } catch let error as GitError where error.code != .cancelled {
        // Another process may have removed it.
        if error.code != .notFound { unreadable += 1 }
      }
    }
    if unreadable > 0 {
      remaining.unreadable.append(unreadable == 1 ? "a git object" : "\(unreadable) git objects")
    }
    try searchFiles(eraser, &remaining)
    for other in try repository.workTrees(except: directory.root) {
      try searchFiles(ofWorkTree: other.root, eraser, &remaining)
    }
    for (path, text) in try repository.reflogs()
    where eraser.replacingAddresses(in: text) != text {
      remaining.files.append("\(path)")
    }
    for (path, text) in try repository.messages() + repository.unfinishedMessages()
    where eraser.erasedMessage(text) != text {
      remaining.files.append("\(path)")
    }
    remaining.files.sort()
    return remaining
  }

  /// Returns the kind of an object that has the facts; nil for one without.
  private func kind(
    of id: ObjectID, ifChangedBy eraser: FactEraser, _ rewrite: HistoryRewrite
  ) throws -> ObjectKind? {
    let size = try repository.size(of: id)
    let kind = try repository.withObject(id) { kind, _ in kind }
    switch kind {
    case .commit, .tag: return try rewrite.rewritten(id) == id ? nil : kind
    case .blob where size <= DocumentLimit.size:
      let bytes = try repository.blob(id)
      return eraser.erased(bytes, as: nil) == bytes ? nil : kind
    case .blob, .tree: return nil
    }
  }

  /// Searches the files of another work tree; unless it holds a dataset, it has no documents.
  private func searchFiles(
    ofWorkTree root: FilePath, _ eraser: FactEraser, _ remaining: inout RemainingFacts
  ) throws {
    do {
      let other = try Replica.open(root, environment: environment, completing: false)
      var found = RemainingFacts()
      try other.searchFiles(eraser, &found)
      remaining.files += found.files.map { "\(root.pushing(FilePath($0)))" }
      remaining.unreadable += found.unreadable.map { "\(root.pushing(FilePath($0)))" }
    } catch StoreError.notADataset {
    } catch let error where error is StoreError || error is FileError || error is GitError {
      remaining.unreadable.append("\(root)")
    }
  }

  private func searchFiles(_ eraser: FactEraser, _ remaining: inout RemainingFacts) throws {
    var (found, unreadable): ([String], [String]) = ([], [])
    func search(_ path: String) throws {
      guard let bytes = try unlessUnreadable({ try directory.readIfSmall(path) }) else {
        return unreadable.append(path)
      }
      if let bytes, eraser.erased(bytes, at: path) != bytes { found.append(path) }
    }
    try search(".mailmap")
    for name in DocumentPath.topLevel where name != "images" {
      try forEachWorkFile(below: name, unreadable: { path, _ in unreadable.append(path) }) {
        path, _ in try search(path)
      }
    }
    let logs = try logsWithFacts(eraser)
    found += logs.found.map { "\($0)" }
    unreadable += logs.unreadable.map { "\($0)" }
    remaining.files += found.sorted()
    remaining.unreadable += unreadable.sorted()
  }

  /// Returns the logs of this device, of operations, edits and reviews, that have the facts, and
  /// those that cannot be read.
  func logsWithFacts(
    _ eraser: FactEraser
  ) throws -> (found: [FilePath], unreadable: [FilePath]) {
    var (found, unreadable): ([FilePath], [FilePath]) = ([], [])
    for path in try derivedFiles().logs {
      try environment.checkCancellation()
      guard let bytes = try unlessUnreadable({ try environment.files.read(path) }) else {
        unreadable.append(path)
        continue
      }
      // Another process may have removed it.
      if let bytes, eraser.hasFacts(inLines: bytes) { found.append(path) }
    }
    return (found, unreadable)
  }

  /// Returns nil if a file cannot be read.
  private func unlessUnreadable<Value>(_ read: () throws -> Value) throws -> Value? {
    do {
      return try read()
    } catch let error as FileError where error.isOfOneFile {
      return nil
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
