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
      var harvest = try fetch(request, progress: progress)
      // A pin keeps what it has as long as it is not known that there is something else.
      if request.isNewCollection, harvest.trouble == nil, !harvest.added.isEmpty {
        harvest.removed = try setPhotosRemoved(old, true).filter(\.changed).map(\.id)
      }
      return harvest
    }
  }

  /// Takes photos away and fetches as many others for the same pins, from the sources that they came
  /// from. Each goes when its successor is here. What one source refuses ends no other's.
  ///
  /// - Parameter template: What to ask and of whom. Its source is taken where it is not nil; count and
  ///   pin are of no concern.
  public func replacePhotos(
    _ ids: [PhotoID], from source: SourceName?, like template: PhotoRequest,
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws(CairnError) -> PhotoHarvest {
    try translating {
      let groups = try self.groups(of: ids, source)
      var whole = PhotoHarvest()
      var refusal: CairnError?
      for group in groups {
        var request = template
        (request.source, request.pin) = (group.source, group.pin)
        request.count = group.photos.count
        var left = group.photos[...]
        let done = whole.added.count
        do {
          let harvest = try fetch(
            request, progress: { now, _ in progress(done + now, ids.count) },
            arrived: { _ in
              guard let old = left.popFirst() else { return }
              whole.removed += try setPhotosRemoved([old], true).filter(\.changed).map(\.id)
            })
          whole.add(harvest)
        } catch {
          refusal = refusal ?? CairnError(error)
        }
      }
      if let refusal, whole.added.isEmpty, whole.failed.isEmpty { throw refusal }
      whole.trouble = whole.trouble ?? refusal
      return whole
    }
  }

  private struct Group {
    let source: SourceName
    let pin: PinID?
    var photos: [PhotoID]
  }

  /// Photos that one fetch can replace, in the order that they are given in.
  private func groups(of ids: [PhotoID], _ source: SourceName?) throws -> [Group] {
    var groups: [Group] = []
    var seen = Set<PhotoID>()
    for id in ids where seen.insert(id).inserted {
      let photo = try photo(id)
      if photo.removed.value {
        throw CairnError(
          .invalidInput, "The photo \(id.short) is removed already.",
          hint: "`cairn photo restore \(id.short)` brings it back.")
      }
      let service = photo.credit?.value?.service.flatMap { SourceName(rawValue: $0) }
      guard let name = source ?? service, name.url != nil else {
        throw CairnError(
          .invalidInput, "The photo \(id.short) was not fetched from a service.",
          hint: "Say where another one is to come from: `--source commons`.")
      }
      let pin = photo.pin.value
      if let index = groups.firstIndex(where: { $0.source == name && $0.pin == pin }) {
        groups[index].photos.append(id)
      } else {
        groups.append(Group(source: name, pin: pin, photos: [id]))
      }
    }
    return groups
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
