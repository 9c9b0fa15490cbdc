internal import CairnDocument
internal import CairnFiles
internal import CairnReview
internal import CairnStore
internal import CairnSync
internal import SystemPackage

// What reviews write: labels, and this device's own memory of them in `.git/cairn/review`.

extension Dataset {
  /// Writes a person's verdicts on classes of a photo, later than all that was said of it so far.
  ///
  /// What they said already is said again, since it is said anew: knowing what others say.
  /// - Parameter raised: What raised the question, of other photos too: it is answered later than that.
  func rule(
    _ verdicts: [(ClassKey, Verdict)], on photo: Photo, by person: Annotator,
    raised: Stamp = .never, _ session: EditSession
  ) throws -> [LabelChange] {
    let known = try labels(of: photo.id)
    let removal = photo.removed.value ? photo.removed.stamp : .never
    var last = (known.map(\.stamp) + [removal, raised]).max()
    return try verdicts.map { key, verdict in
      var label = Label(
        photo: photo.id, classKey: key, annotator: person, verdict: verdict, stamp: .never)
      let before = known.first { $0.name == label.name }
      if let before {
        if before.verdict == verdict { label = before } else { label.extra = before.extra }
      }
      label.stamp = session.stamp(replacing: last)
      last = label.stamp
      try session.write([.label(label)])
      return LabelChange(before: before, after: label)
    }
  }

  /// Takes back what an answer wrote on a photo.
  ///
  /// - Returns: Nil when something of it was changed since, and all is left.
  func takeBack(_ changes: [LabelChange], _ session: EditSession) throws -> TakingBack? {
    guard let photo = changes.first?.after.photo else { return nil }
    var committed: [LabelName: Label] = [:]
    for change in changes {
      let path = DocumentPath.label(photo, change.after.name)
      if case .label(let label)? = try replica.committedDocument(at: path) {
        committed[label.name] = label
      }
    }
    let labels = try labels(of: photo)
    let evidence = ReviewCase(of: photo, labels, try resolvingRules(of: labels))
    let plan = TakingBack(changes, in: evidence, committed: committed) {
      session.stamp(replacing: $0)
    }
    guard let plan else { return nil }
    for label in plan.removed { try session.remove(.label(photo, label.name)) }
    try session.write(plan.written.map { .label($0) })
    return plan
  }

  /// Removes a photo again that an answer brought back.
  ///
  /// - Parameters:
  ///   - stamp: When it was brought back.
  ///   - removed: When it had been removed.
  /// - Returns: What had to be said again; nil when it was changed since, and all is left.
  func removeAgain(
    _ id: PhotoID, broughtBack stamp: Stamp, removed: Stamp, _ session: EditSession
  ) throws -> [Resaid]? {
    var photo = try photo(id)
    guard !photo.removed.value, photo.removed.stamp == stamp else { return nil }
    var committed: Register<Bool>?
    if case .photo(let old)? = try replica.committedDocument(at: .photo(id)) {
      committed = old.removed
    }
    let former = Former(
      Register(true, removed), decided: stamp, committed: committed, stamp: \.stamp)
    photo.removed = former.value ?? Register(true, removed)
    if former.isRestorable {
      try session.write([.photo(photo)])
      return []
    }
    // Who has spoken of it since has brought it back, too.
    if PhotoVisibility(of: photo, labels: try labels(of: id)).isInView { return nil }
    let again = Resaid(session.stamp(replacing: stamp), was: removed)
    photo.removed = Register(true, again.stamp)
    try session.write([.photo(photo)])
    return [again]
  }

  /// Brings a removed photo back, with knowledge of all that was said of it.
  ///
  /// - Returns: The stamp of that.
  func bringBack(_ photo: Photo, _ session: EditSession) throws -> Stamp {
    var photo = photo
    let known = try labels(of: photo.id).map(\.stamp) + [photo.removed.stamp]
    let stamp = session.stamp(replacing: known.max())
    photo.removed = Register(false, stamp)
    try session.write([.photo(photo)])
    return stamp
  }

  // MARK: The memory of this device

  private var reviewFile: FilePath { directory.privateDirectory.appending("review") }

  /// A longer file is none that this program keeps.
  private static let reviewSizeLimit = 64 << 20
  /// So many lines more than are needed are borne before the file is written anew.
  private static let reviewSlack = 1000

  /// Returns what this device remembers of its reviews; a line that was torn by a crash is passed over.
  func reviewMemory() throws -> ReviewMemory { ReviewMemory(try reviewEvents()) }

  private func reviewEvents() throws -> [ReviewEvent] {
    let bytes = try directory.files.read(reviewFile, limit: Dataset.reviewSizeLimit) ?? []
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      (try? JSON(bytes: line)).flatMap(ReviewEvent.init)
    }
  }

  /// Notes an event at the end of the file. The line before may be torn: one begun anew is whole.
  func noteReview(_ event: ReviewEvent) throws {
    try directory.files.append(Array(("\n" + event.json.line).utf8), to: reviewFile)
  }

  /// Writes the file anew when it has grown far beyond what it says.
  func compactReviews(_ memory: ReviewMemory) throws {
    let needed = memory.events
    guard try reviewEvents().count > needed.count + Dataset.reviewSlack else { return }
    let text = needed.map(\.json.line).joined()
    try directory.files.write(
      Array(text.utf8), to: reviewFile, temporary: reviewFile.appending(suffix: ".new"),
      durable: true)
  }
}

extension FilePath {
  fileprivate func appending(suffix: String) -> FilePath { FilePath(string + suffix) }
}
