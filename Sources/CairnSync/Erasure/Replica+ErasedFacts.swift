public import CairnDocument
internal import CairnFiles
internal import CairnGit
package import CairnMerge
package import CairnStore
internal import SystemPackage

/// What erasing facts from the history does, or would do.
public struct RedactionReport: Equatable, Sendable {
  /// The subjects of facts that were not erased before.
  public internal(set) var recorded: [Redaction.Subject] = []
  /// The number of versions of documents without the facts, of all commits and uncommitted ones.
  public internal(set) var documents = 0
  /// The number of commits that were rewritten.
  public internal(set) var commits = 0
}

// The record of an erasure is a document, so it reaches every copy. Each copy notes the facts as soon
// as it has fetched the record, and never forgets them.

extension Replica {
  /// The file with all facts that are known to be erased, in any work tree; see ``ErasedFacts/text``.
  private var factsFile: FilePath {
    repository.commonDirectory.appending("cairn").appending("erased-facts")
  }

  /// Returns all facts that are known to be erased.
  package func erasedFacts() throws -> ErasedFacts {
    ErasedFacts(text: String(decoding: try environment.files.read(factsFile) ?? [], as: UTF8.self))
  }

  /// Whether the address of a person is one that took the place of an erased person's, or would be
  /// replaced.
  package func isErased(_ person: Annotator) throws -> Bool {
    let facts = try erasedFacts()
    return FactEraser(facts).replacement(of: person) != nil
      || facts.people.contains { $0.id.annotator == person }
  }

  /// Whether facts about a photo are erased.
  package func isErased(_ fact: Redaction.Fact, of photo: PhotoID) throws -> Bool {
    try firstErased(fact, of: [photo]) != nil
  }

  /// Returns the first of the photos of which facts are erased; nil if there is none.
  package func firstErased(_ fact: Redaction.Fact, of photos: [PhotoID]) throws -> PhotoID? {
    let facts = try erasedFacts()
    return switch fact {
    case .position: photos.first { facts.photos.contains($0) }
    case .metadata: photos.first { facts.metadata.contains($0) }
    case .identity: nil
    }
  }

  /// Notes the facts that were erased in a tree.
  ///
  /// - Parameter erasures: The directory of erasures in the tree.
  func noteErasedFacts(below erasures: TreeNode) throws {
    if notedErasures == erasures.id { return }
    var found = ErasedFacts()
    for name in ["people", "photos"] {
      try repository.forEachFile(in: erasures.id, below: name) { text, node in
        guard let path = DocumentPath("erasures/" + text), node.mode != .submodule,
          case .redaction(let record)? = try document(of: node, at: path)
        else { return }
        found.add(record)
      }
    }
    try note(found)
    notedErasures = erasures.id
  }

  private func note(_ facts: ErasedFacts) throws {
    if try erasedFacts().isSuperset(of: facts) { return }
    try environment.files.createDirectory(above: factsFile)
    // Another work tree may note facts at the same time.
    let lock = try environment.files.lockToReplace(factsFile, timeout: 10_000)
    defer { try? lock?.close() }
    var known = try erasedFacts()
    known.formUnion(facts)
    try checkHistoryEnds(known)
    try environment.files.write(
      Array(known.text.utf8), to: factsFile, temporary: FilePath("\(factsFile).new"), durable: true)
  }

  /// Throws if facts are in a commit at which the history ends here: what it would become depends on
  /// commits that are not here.
  private func checkHistoryEnds(_ facts: ErasedFacts) throws {
    guard !repository.historyEnds.isEmpty, let head = try repository.head() else { return }
    _ = try HistoryRewrite(facts, in: repository, isDryRun: true).rewritten(head)
  }

  // MARK: Records

  /// Erases facts about photos from all of the history, and records it.
  ///
  /// - Parameter fact: Not ``Redaction/Fact/identity``.
  package func erase(
    _ fact: Redaction.Fact, of photos: [PhotoID], reason: String, session: EditSession
  ) throws -> RedactionReport {
    try erase(session) { by in
      try Set(photos).sorted().compactMap { photo in
        var record = try redaction(at: .photo(photo)) ?? Redaction(ofPhoto: photo)
        if try isErased(fact, of: photo) { return nil }
        record.erase(fact, by: by, reason: reason, stamp: session.stamp())
        return record
      }
    }
  }

  /// Replaces the address of a person in all of the history by an opaque one, and records it.
  package func erase(
    _ person: Annotator, reason: String, session: EditSession
  ) throws -> RedactionReport {
    let dataset = try manifest().id
    return try erase(session) { by in
      var record = Redaction(ofPerson: person, in: dataset)
      if try redaction(at: record.subject) != nil { return [] }
      record.erase(.identity, by: by, reason: reason, stamp: session.stamp())
      return [record]
    }
  }

  private func erase(
    _ session: EditSession, _ records: (_ by: Annotator) throws -> [Redaction]
  ) throws -> RedactionReport {
    _ = try repairLocally(session)
    if try repository.head() == nil { try commit(session: session) }
    let new = try records(person())
    if !new.isEmpty {
      var facts = try erasedFacts()
      facts.formUnion(ErasedFacts(new))
      try checkHistoryEnds(facts)
      let what = new.count == 1 ? "facts" : "facts about \(new.count) photos"
      try commit(
        new.map { .redaction($0) }, on: branch(), message: "Erase \(what) from the history",
        session: session)
    }
    try noteErasures(in: repository.head())
    try rewriteHistory(session)
    var report = takeRewrittenHistory()
    report.recorded = new.map(\.subject)
    return report
  }

  /// Returns the record of an erasure in the last commit.
  package func redaction(at subject: Redaction.Subject) throws -> Redaction? {
    guard case .redaction(let record)? = try committedDocument(at: .redaction(subject)) else {
      return nil
    }
    return record
  }

  // MARK: Plans

  /// Returns what erasing facts about photos would do.
  package func planErasure(
    _ fact: Redaction.Fact, of photos: [PhotoID]
  ) throws -> RedactionReport {
    try plan(
      Set(photos).sorted().map { photo in
        var record = Redaction(ofPhoto: photo)
        record.erase(fact, by: Replica.nobody, reason: "", stamp: .initial)
        return record
      })
  }

  /// Returns what erasing a person would do.
  package func planErasure(of person: Annotator) throws -> RedactionReport {
    var record = Redaction(ofPerson: person, in: try manifest().id)
    record.erase(.identity, by: Replica.nobody, reason: "", stamp: .initial)
    return try plan([record])
  }

  private static var nobody: Annotator { Annotator(email: "cairn@localhost")! }

  private func plan(_ records: [Redaction]) throws -> RedactionReport {
    var facts = try erasedFacts()
    var report = RedactionReport()
    report.recorded = records.filter { !facts.isSuperset(of: ErasedFacts([$0])) }.map(\.subject)
    facts.formUnion(ErasedFacts(records))
    try repository.complete()
    try checkHistoryEnds(facts)
    let rewrite = HistoryRewrite(facts, in: repository, isDryRun: true)
    for id in try repository.namedObjects().sorted() { _ = try? rewrite.rewritten(id) }
    let uncommitted = try uncommittedVersions(FactEraser(facts))
    report.documents = rewrite.erasedFiles.union(uncommitted).count
    report.commits = rewrite.changedCommits
    return report
  }
}
