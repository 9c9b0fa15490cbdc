internal import CairnDocument
internal import CairnFiles
internal import CairnIndex
internal import CairnSources
internal import CairnStore
internal import CairnSync
internal import SystemPackage

extension Dataset {
  /// Fetches photos from a source until enough new ones have arrived or the source has no more.
  /// Photos fetched before are not fetched again, even if they were removed.
  ///
  /// ```swift
  /// var request = PhotoFetchRequest(.commons)
  /// request.query.area = SearchArea(try dataset.pin("harbor").location.value, radiusMeters: 500)
  /// request.count = 20
  /// let report = try dataset.fetchPhotos(request)
  /// print("\(report.added.count) photos fetched")
  /// ```
  ///
  /// Each photo is added as soon as it arrives, and stays if the process ends. The dataset is not
  /// locked during transfers.
  /// - Parameter onAdded: Called when a photo has been added.
  /// - Returns: What was fetched. If canceled, what was fetched so far, with the reason
  ///   (``PhotoFetchReport/failure``).
  @discardableResult
  public func fetchPhotos(
    _ request: PhotoFetchRequest, onAdded: (PhotoID) -> Void = { _ in }
  ) throws(CairnError) -> PhotoFetchReport {
    try oneOperation("photo fetch") {
      let old = try request.isNewCollection ? visiblePhotos(of: request) : []
      var new = try request.isNewCollection ? photosFetched(from: request.locations) : []
      var report = try fetch(
        request, progress: { self.report("fetching photos", $0, of: request.count ?? 0) },
        onPhoto: { new.insert($1) }, onAdded: onAdded)
      // Keep the pin's current photos unless the fetch succeeded and added others.
      if request.isNewCollection, report.failure == nil, !report.added.isEmpty {
        let others = old.filter { !new.contains($0) }
        report.removed = try setPhotosRemoved(others, true).filter(\.changed).map(\.id)
      }
      return report
    }
  }

  // MARK: One fetch

  private func visiblePhotos(of request: PhotoFetchRequest) throws -> [PhotoID] {
    guard let pin = request.pin else {
      throw CairnError(
        .invalidInput, "A new collection needs a pin, whose photos it replaces.",
        hint: "Name the pin: `--pin harbor`.")
    }
    var ids: [PhotoID] = []
    try forEachPhoto(pin: pin) { ids.append($0.photo.id) }
    return ids
  }

  /// Returns the photos fetched from these URLs, which are not fetched again.
  private func photosFetched(from locations: [WebLocation]) throws -> Set<PhotoID> {
    let keys = Set(locations.map { SourcePhoto.key($0.text) })
    var ids = Set<PhotoID>()
    try query { index in
      try index.forEachCredit { id, credit in
        if !keys.isDisjoint(with: SourcePhoto.keys(of: credit)) { ids.insert(id) }
      }
    }
    return ids
  }

  /// Fetches photos, and reports those added even if an error ended the fetch; rethrows the error
  /// if none were added.
  ///
  /// - Parameters:
  ///   - progress: Called with the number of photos fetched.
  ///   - onPhoto: Called with each fetched photo and its id in the dataset, new or not.
  ///   - onAdded: Called when a photo has been added.
  func fetch(
    _ request: PhotoFetchRequest, progress: (Int) -> Void,
    onPhoto: (SourcePhoto, PhotoID) -> Void = { _, _ in },
    onAdded: (PhotoID) throws -> Void = { _ in }
  ) throws -> PhotoFetchReport {
    let query = try self.query(of: request)
    let scan = try ImageScan(of: request.files, directory.files)
    let source = try openSource(
      request.source, locations: request.locations, files: scan.images)
    // Report an invalid query before any lookup.
    _ = try source.step(query, after: nil)
    var fetchedBefore = Set<String>()
    try self.query { index in
      try index.forEachCredit { fetchedBefore.formUnion(SourcePhoto.keys(of: $1)) }
    }
    var options = try fetchOptions(for: request.source)
    options.isCancelled = environment.isCancelled
    let fetch = PhotoFetch(
      source, query, count: request.count, fetchedBefore: fetchedBefore, options: options)
    var report = PhotoFetchReport()
    let labeler = SourceLabeler(self, request)
    do {
      try fetch.run { fetched in
        let (outcome, id, assertion) = try add(fetched, request, labeler, &report)
        if let id { onPhoto(fetched.photo, id) }
        if outcome.isAdded, let id {
          report.added.append(
            .init(
              id: id, photo: fetched.photo, classes: assertion.classes, note: assertion.note))
          try onAdded(id)
          progress(report.added.count)
        }
        return outcome
      }
    } catch {
      if report.added.isEmpty { throw error }
      report.failure = CairnError(error)
    }
    let result = fetch.report
    report.known = result.known
    report.failed = result.failed.map {
      .init(name: $0.photo.name, address: $0.photo.address, message: "\($0.error).")
    }
    report.failed += scan.unreadable.map {
      .init(name: "\($0.folder)", address: nil, message: $0.error.message)
    }
    report.skipped = scan.skipped.map(\.type)
    report.hasGivenUp = result.hasGivenUp
    report.failure =
      report.failure ?? result.failure.map { CairnError(source: $0) }
      ?? scan.unreadable.first?.error
    return report
  }

  private func query(of request: PhotoFetchRequest) throws -> SourceQuery {
    var query = request.query
    if query.licenses == nil, !request.allowsAnyLicense {
      query.licenses = request.source.defaultLicenses
    }
    guard let pin = request.pin else { return query }
    guard case .pin(let pin)? = try replica.document(at: .pin(pin)) else {
      throw CairnError(.notFound, "There is no pin \(pin).")
    }
    if request.source.hasLocations, query.area == nil {
      query.area = SearchArea(pin.location.value, radiusMeters: request.radiusMeters)
    }
    return query
  }

  /// Adds a fetched photo with its metadata and labels from the source.
  private func add(
    _ fetched: FetchedPhoto, _ request: PhotoFetchRequest, _ labeler: SourceLabeler,
    _ report: inout PhotoFetchReport
  ) throws -> (outcome: FetchOutcome, id: PhotoID?, assertion: SourceLabeler.Assertion) {
    var assertion = SourceLabeler.Assertion()
    guard let added = try addPhoto(fetched.file, pin: request.pin) else {
      let error = SourceError(.notAnImage, fetched.photo.name, "is not an image")
      return (.unusable(error), nil, assertion)
    }
    guard let id = added.id, added.status != .failed else {
      return (.unusable(Dataset.imageError(added.note, fetched)), nil, assertion)
    }
    if let note = added.note {
      report.notes.append(
        .init(address: fetched.photo.address, message: Dataset.noteText(note, fetched)))
    }
    // The process may end between any two of these steps. A photo without credit is fetched again,
    // so the credit is written last.
    if fetched.photo.address != nil, try photo(id).credit == nil {
      assertion = try labeler.label(id, fetched.photo)
      try setCredit(id, fetched.photo.credit(from: request.source))
    }
    return (added.status == .added ? .added : .known, id, assertion)
  }

  /// Returns a note about a file, with the address or name of the photo instead of a temporary file's.
  private static func noteText(_ note: String, _ fetched: FetchedPhoto) -> String {
    let path = fetched.file.string
    guard note.hasPrefix(path) else { return note }
    let address = fetched.photo.address.map(WebLocation.withoutSecrets)
    return (address ?? path) + note.dropFirst(path.count)
  }

  /// Returns the reason why an image was rejected, without the name of the temporary file.
  private static func imageError(_ note: String?, _ fetched: FetchedPhoto) -> SourceError {
    var reason = note ?? "is not an image"
    if reason.hasPrefix(fetched.file.string) {
      reason = String(reason.dropFirst(fetched.file.string.count)).trimmingSpaces()
    }
    if reason.hasSuffix(".") { reason.removeLast() }
    let address = fetched.photo.address.map(WebLocation.withoutSecrets)
    return SourceError(.notAnImage, address ?? fetched.photo.name, reason)
  }

  /// Records the credit of a photo, unless it has one.
  private func setCredit(_ id: PhotoID, _ credit: Credit) throws {
    try edit("photo fetch") { session in
      var photo = try photo(id)
      if photo.credit != nil { return }
      photo.credit = Register(credit, .given)
      try session.write([.photo(photo)])
    }
  }
}

extension FetchOutcome {
  fileprivate var isAdded: Bool { if case .added = self { true } else { false } }
}
