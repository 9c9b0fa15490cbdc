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
  func rule(
    _ verdicts: [(ClassKey, Verdict)], on photo: Photo, by person: Annotator,
    _ session: EditSession
  ) throws -> [LabelChange] {
    let known = try labels(of: photo.id)
    let removal = photo.removed.value ? [photo.removed.stamp] : []
    var last = (known.map(\.stamp) + removal).max()
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

  /// Puts back what was there before a change, or withdraws what was said where there was nothing.
  ///
  /// - Returns: What stands now; nil when it was changed since, and is left.
  func takeBack(_ change: LabelChange, _ session: EditSession) throws -> Label? {
    let path = DocumentPath.label(change.after.photo, change.after.name)
    guard case .label(let now)? = try replica.document(at: path), now == change.after else {
      return nil
    }
    var label = change.before ?? now
    if change.before == nil { label.verdict = .withdrawn }
    label.stamp = session.stamp(replacing: now.stamp)
    try session.write([.label(label)])
    return label
  }

  /// Removes a photo or brings it back, with knowledge of all that was said of it.
  ///
  /// - Returns: The stamp of that.
  func setRemoved(_ removed: Bool, of photo: Photo, _ session: EditSession) throws -> Stamp {
    var photo = photo
    let known = try labels(of: photo.id).map(\.stamp) + [photo.removed.stamp]
    let stamp = session.stamp(replacing: known.max())
    photo.removed = Register(removed, stamp)
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
