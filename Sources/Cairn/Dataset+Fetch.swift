public import CairnDocument
internal import CairnFiles
internal import CairnIndex
public import CairnSources
internal import CairnStore
internal import CairnSync
internal import SystemPackage

extension Dataset {
  /// Fetches photos of a source until so many new ones are here or the source has no more. What was
  /// fetched before is not fetched again, removed or not.
  ///
  /// Each is added as soon as it is here, so that what came stays when the process ends. Nothing is
  /// locked while something is on its way.
  /// - Parameter progress: Called with the number of photos that came and of those wanted, 0 where
  ///   nobody knows.
  public func fetchPhotos(
    _ request: PhotoRequest, progress: (Int, Int) -> Void = { _, _ in }
  ) throws(CairnError) -> PhotoHarvest {
    try translating {
      let old = try request.isNewCollection ? photosInView(of: request) : []
      var new = try request.isNewCollection ? photosFetched(from: request.locations) : []
      var harvest = try fetch(request, progress: progress, met: { new.insert($1) })
      // A pin keeps what it has as long as it is not known that there is something else.
      if request.isNewCollection, harvest.trouble == nil, !harvest.added.isEmpty {
        let others = old.filter { !new.contains($0) }
        harvest.removed = try setPhotosRemoved(others, true).filter(\.changed).map(\.id)
      }
      return harvest
    }
  }

  // MARK: One fetch

  private func photosInView(of request: PhotoRequest) throws -> [PhotoID] {
    guard let pin = request.pin else {
      throw CairnError(
        .invalidInput, "A new collection takes the place of a pin's photos.",
        hint: "Name the pin: `--pin harbour`.")
    }
    var ids: [PhotoID] = []
    try forEachPhoto(pin: pin) { ids.append($0.photo.id) }
    return ids
  }

  /// Returns the photos that came from these addresses, which are not fetched again.
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

  /// What came is told, though something ended the fetch: where nothing did, that is thrown.
  ///
  /// - Parameters:
  ///   - arrived: Called when a photo has been added.
  ///   - met: Called with each photo whose image came and that is here now, new or not.
  func fetch(
    _ request: PhotoRequest, progress: (Int, Int) -> Void = { _, _ in },
    met: (SourcePhoto, PhotoID) -> Void = { _, _ in },
    arrived: (PhotoID) throws -> Void = { _ in }
  ) throws -> PhotoHarvest {
    let query = try self.query(of: request)
    let source = try openSource(
      request.source, locations: request.locations,
      files: try request.files.flatMap(imageFiles))
    // What cannot be asked is told before anything is looked up.
    _ = try source.step(query, after: nil)
    var before = Set<String>()
    try self.query { index in
      try index.forEachCredit { before.formUnion(SourcePhoto.keys(of: $1)) }
    }
    var options = try fetchOptions(for: request.source)
    options.isCancelled = request.isStopped
    let fetch = PhotoFetch(
      source, query, count: request.count, fetchedBefore: before, options: options)
    var harvest = PhotoHarvest()
    let labelling = SourceLabelling(self, request)
    let report: FetchReport
    do {
      report = try fetch.run { fetched in
        let (verdict, id, said) = try take(fetched, request, labelling)
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

  private func query(of request: PhotoRequest) throws -> SourceQuery {
    var query = request.query
    if query.licences == nil, !request.takesAnyLicence {
      query.licences = request.source.usualLicences
    }
    guard let pin = request.pin else { return query }
    guard case .pin(let pin)? = try replica.document(at: .pin(pin)) else {
      throw CairnError(.notFound, "There is no pin \(pin).")
    }
    if request.source.knowsPlaces, query.area == nil {
      query.area = SearchArea(pin.location.value, radiusMetres: request.radiusMetres)
    }
    return query
  }

  /// Adds a photo whose image has come, with what its source says of it.
  private func take(
    _ fetched: FetchedPhoto, _ request: PhotoRequest, _ labelling: SourceLabelling
  ) throws -> (verdict: FetchVerdict, id: PhotoID?, said: SourceLabelling.Said) {
    var said = SourceLabelling.Said()
    var options = PhotoImport()
    options.pin = request.pin.map { .pin($0) } ?? .none
    // What strangers wrote into a file is not said by the person who fetches it.
    options.takesKeywords = request.source == .folder && request.takesLabels
    guard let added = try addPhotos([fetched.file], options).first else {
      return (.unusable(SourceError(.notAnImage, fetched.photo.name, "is not an image")), nil, said)
    }
    guard let id = added.id, added.status != .failed else {
      return (.unusable(Dataset.refusal(added.note, fetched)), nil, said)
    }
    // A process may end between any two of these. What has no credit is fetched again, and so the
    // credit comes last.
    if fetched.photo.address != nil, try photo(id).credit == nil {
      said = try labelling.label(id, fetched.photo)
      try setCredit(id, fetched.photo.credit(from: request.source))
    }
    return (added.status == .added ? .added : .known, id, said)
  }

  /// Why an image cannot be taken, in a sentence that does not name the file in between.
  private static func refusal(_ note: String?, _ fetched: FetchedPhoto) -> SourceError {
    var words = note ?? "is not an image"
    if words.hasPrefix(fetched.file.string) {
      words = String(words.dropFirst(fetched.file.string.count)).trimmingSpaces()
    }
    if words.hasSuffix(".") { words.removeLast() }
    let address = fetched.photo.address.map(WebLocation.withoutSecrets)
    return SourceError(.notAnImage, address ?? fetched.photo.name, words)
  }

  /// Says whose a photo is, unless that is told already.
  private func setCredit(_ id: PhotoID, _ credit: Credit) throws {
    try edit("photo fetch") { session in
      var photo = try photo(id)
      if photo.credit != nil { return }
      photo.credit = Register(credit, session.stamp())
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

extension FetchVerdict {
  fileprivate var isAdded: Bool { if case .added = self { true } else { false } }
}
