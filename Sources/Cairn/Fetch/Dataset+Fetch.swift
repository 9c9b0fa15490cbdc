public import CairnDocument
internal import CairnFiles
internal import CairnIndex
public import CairnSources
internal import CairnStore
internal import CairnSync
internal import SystemPackage

extension Dataset {
  /// Fetches photos from a source until enough new ones have arrived or the source has no more.
  /// Photos fetched before are not fetched again, even if they were removed.
  ///
  /// Each photo is added as soon as it arrives, so those added stay if the process ends. Nothing is
  /// locked during transfers.
  /// - Parameter progress: Called with the number of photos fetched and the number requested, 0 if
  ///   unknown.
  public func fetchPhotos(
    _ request: PhotoFetchRequest, progress: (Int, Int) -> Void = { _, _ in }
  ) throws(CairnError) -> PhotoFetchReport {
    try translating {
      let old = try request.isNewCollection ? photosInView(of: request) : []
      var new = try request.isNewCollection ? photosFetched(from: request.locations) : []
      var harvest = try fetch(request, progress: progress, met: { new.insert($1) })
      // Keep the pin's current photos unless the fetch succeeded and added others.
      if request.isNewCollection, harvest.trouble == nil, !harvest.added.isEmpty {
        let others = old.filter { !new.contains($0) }
        harvest.removed = try setPhotosRemoved(others, true).filter(\.changed).map(\.id)
      }
      return harvest
    }
  }

  // MARK: One fetch

  private func photosInView(of request: PhotoFetchRequest) throws -> [PhotoID] {
    guard let pin = request.pin else {
      throw CairnError(
        .invalidInput, "A new collection replaces a pin's photos.",
        hint: "Name the pin: `--pin harbour`.")
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
  ///   - met: Called with each fetched photo and its id in the dataset, new or not.
  ///   - arrived: Called when a photo has been added.
  func fetch(
    _ request: PhotoFetchRequest, progress: (Int, Int) -> Void = { _, _ in },
    met: (SourcePhoto, PhotoID) -> Void = { _, _ in },
    arrived: (PhotoID) throws -> Void = { _ in }
  ) throws -> PhotoFetchReport {
    let query = try self.query(of: request)
    let source = try openSource(
      request.source, locations: request.locations,
      files: try request.files.flatMap(imageFiles))
    // Report an invalid query before any lookup.
    _ = try source.step(query, after: nil)
    var before = Set<String>()
    try self.query { index in
      try index.forEachCredit { before.formUnion(SourcePhoto.keys(of: $1)) }
    }
    var options = try fetchOptions(for: request.source)
    options.isCancelled = request.isStopped
    let fetch = PhotoFetch(
      source, query, count: request.count, fetchedBefore: before, options: options)
    var harvest = PhotoFetchReport()
    let labeling = SourceLabeler(self, request)
    let report: FetchReport
    do {
      report = try fetch.run { fetched in
        let (verdict, id, said) = try take(fetched, request, labeling)
        if let id { met(fetched.photo, id) }
        if verdict.isAdded, let id {
          harvest.added.append(
            .init(id: id, photo: fetched.photo, classes: said.classes, note: said.note))
          try arrived(id)
          progress(harvest.added.count, request.count ?? 0)
        }
        return verdict
      }
    } catch {
      if harvest.added.isEmpty { throw error }
      harvest.trouble = CairnError(error)
      return harvest
    }
    harvest.known = report.known
    harvest.failed = report.failed.map {
      .init(name: $0.photo.name, address: $0.photo.address, message: "\($0.error).")
    }
    harvest.trouble = report.trouble.map { CairnError(source: $0) }
    return harvest
  }

  private func query(of request: PhotoFetchRequest) throws -> SourceQuery {
    var query = request.query
    if query.licences == nil, !request.takesAnyLicence {
      query.licences = request.source.usualLicences
    }
    guard let pin = request.pin else { return query }
    guard case .pin(let pin)? = try replica.document(at: .pin(pin)) else {
      throw CairnError(.notFound, "There is no pin \(pin).")
    }
    if request.source.knowsPlaces, query.area == nil {
      query.area = SearchArea(pin.location.value, radiusMeters: request.radiusMeters)
    }
    return query
  }

  /// Adds a fetched photo with its metadata and labels from the source.
  private func take(
    _ fetched: FetchedPhoto, _ request: PhotoFetchRequest, _ labeling: SourceLabeler
  ) throws -> (verdict: FetchOutcome, id: PhotoID?, said: SourceLabeler.Assertion) {
    var said = SourceLabeler.Assertion()
    var options = PhotoImport()
    options.pin = request.pin.map { .pin($0) } ?? .none
    // Keywords written by strangers are not labels of the person who fetches the file.
    options.takesKeywords = request.source == .folder && request.takesLabels
    guard let added = try addPhotos([fetched.file], options).first else {
      return (.unusable(SourceError(.notAnImage, fetched.photo.name, "is not an image")), nil, said)
    }
    guard let id = added.id, added.status != .failed else {
      return (.unusable(Dataset.refusal(added.note, fetched)), nil, said)
    }
    // The process may end between any two of these steps. A photo without credit is fetched again,
    // so the credit is written last.
    if fetched.photo.address != nil, try photo(id).credit == nil {
      said = try labeling.label(id, fetched.photo)
      try setCredit(id, fetched.photo.credit(from: request.source))
    }
    return (added.status == .added ? .added : .known, id, said)
  }

  /// Returns the reason why an image was rejected, without the name of the temporary file.
  private static func refusal(_ note: String?, _ fetched: FetchedPhoto) -> SourceError {
    var words = note ?? "is not an image"
    if words.hasPrefix(fetched.file.string) {
      words = String(words.dropFirst(fetched.file.string.count)).trimmingSpaces()
    }
    if words.hasSuffix(".") { words.removeLast() }
    let address = fetched.photo.address.map(WebLocation.withoutSecrets)
    return SourceError(.notAnImage, address ?? fetched.photo.name, words)
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

  /// Returns the file at `path`, or the files below it that have an image's extension, sorted.
  private func imageFiles(at path: FilePath) throws -> [FilePath] {
    guard directory.files.directoryExists(path) else { return [path] }
    return try (directory.files.list(path) ?? []).sorted().filter { !$0.hasPrefix(".") }
      .flatMap { name -> [FilePath] in
        let file = path.appending(name)
        switch try directory.files.status(file)?.kind {
        case .directory?: return try imageFiles(at: file)
        case .regular?:
          return ImageFormat.knownExtensions.contains(file.extension?.lowercased() ?? "")
            ? [file] : []
        default: return []
        }
      }
  }
}

extension FetchOutcome {
  fileprivate var isAdded: Bool { if case .added = self { true } else { false } }
}
