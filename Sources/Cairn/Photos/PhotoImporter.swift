internal import CairnDocument
internal import CairnFiles
internal import CairnIndex
internal import CairnPhotos
internal import CairnStore
internal import CairnSync
internal import SystemPackage

/// Adds the photos of one import: prepares them on all processors and writes their documents in
/// the order of the files.
final class PhotoImporter {
  private let dataset: Dataset
  private let session: EditSession
  private let options: PhotoImport
  /// Whether a larger operation reports the progress and can be canceled.
  private let isPart: Bool
  private let loader: PhotoLoader
  private let thumbnails: ThumbnailCache
  private let keywordLabeler: KeywordLabeler
  private var pins: PinAssignment?
  /// The hashes of visible and newly added photos; empty unless similar photos are skipped.
  private var knownHashes: [(id: PhotoID, hash: PerceptualHash)] = []
  /// Hashes that are not saved yet.
  private var unsavedHashes: [PerceptualHashFile.Record] = []
  private var hasWritten = false

  init(
    _ dataset: Dataset, _ session: EditSession, _ options: PhotoImport, isPart: Bool = false
  ) throws {
    (self.dataset, self.session, self.options) = (dataset, session, options)
    self.isPart = isPart
    loader = PhotoLoader(directory: dataset.directory)
    thumbnails = dataset.thumbnailCache
    keywordLabeler = KeywordLabeler(dataset, session)
  }

  func add(_ files: [FilePath]) throws -> [AddedPhoto] {
    pins = try pinAssignment(for: files)
    if options.similarity != nil { knownHashes = try dataset.perceptualHashes() }
    var photos: [AddedPhoto] = []
    defer { saveHashes() }
    let loader = loader
    do {
      try mapInParallel(files) {
        loader.prepare($0)
      } use: { prepared in
        if !isPart {
          try dataset.environment.checkCancellation()
          dataset.report("adding photos", photos.count, of: files.count)
        }
        photos.append(try add(prepared))
      }
    } catch is CancellationError {
      // The photos added so far are complete.
    }
    if hasWritten { try session.flush() }
    return photos
  }

  private func pinAssignment(for files: [FilePath]) throws -> PinAssignment? {
    let distance: Double
    switch options.pin {
    case .none, .pin: return nil
    case .nearest(let within), .automatic(let within): distance = within
    }
    var assignment = PinAssignment(try dataset.pins(), within: distance)
    if case .automatic = options.pin {
      let loader = loader
      var locations: [Coordinate] = []
      try mapInParallel(files) {
        loader.location(of: $0)
      } use: { location in
        if let location { locations.append(location.coordinate) }
      }
      assignment.plan(for: locations)
    }
    return assignment
  }

  private func add(_ prepared: PhotoLoader.Prepared) throws -> AddedPhoto {
    do {
      return try add(prepared.outcome.get(), from: prepared.file)
    } catch {
      let underlying = error
      let error =
        (underlying as? ImageError).map {
          CairnError(.invalidImage, "\(prepared.file) \($0).")
        } ?? CairnError(underlying)
      // A full or read-only disk fails for the next file too, and without a configured name no
      // labels can be written.
      let isInDataset = (underlying as? FileError)?.path.starts(with: dataset.root) ?? false
      let isFatal =
        error.kind == .noSpace || error.kind == .noIdentity
        || error.kind == .permission && isInDataset
      if isFatal { throw error }
      return AddedPhoto(prepared.file, .failed, note: error.message)
    }
  }

  private func add(_ new: PhotoLoader.Photo, from file: FilePath) throws -> AddedPhoto {
    let id = new.staged.id
    let known = try dataset.replica.document(at: .photo(id))
    if known == nil, let other = similar(to: new) {
      var skipped = AddedPhoto(
        file, .similar, id,
        note: "\(file) looks like \(other.id.short) (\(other.distance) of 64 bits differ)")
      skipped.similarPhoto = other.id
      return skipped
    }
    try dataset.directory.blobs.install(new.staged)
    if case .photo(let photo)? = known { return try addKnown(photo, new, from: file) }
    let before = pins
    let added: AddedPhoto
    do {
      added = try session.undoingOnFailure { try write(new, from: file) }
    } catch {
      pins = before
      keywordLabeler.clearCaches()
      throw error
    }
    hasWritten = true
    cache(new.preview, of: id)
    return added
  }

  /// Writes a photo with its image and labels, and with new classes and a new pin if needed.
  private func write(_ new: PhotoLoader.Photo, from file: FilePath) throws -> AddedPhoto {
    let id = new.staged.id
    var notes = new.notes
    var image = new.image
    if let metadata = new.metadata {
      image.take(metadata)
      note("keyword", metadata.keywords.count - image.keywords.count, &notes)
      note("region", metadata.regions.count - image.regions.count, &notes)
    }
    let pin = try pin(of: image)
    // Written before the photo: if interrupted in between, the photo is added again.
    let labels = try labels(of: new, &notes)
    var photo = Photo(
      id: id, image: image, pin: pin,
      source: options.recordedName ?? file.lastComponent?.string ?? "")
    if let title = text(new.metadata?.title, "title", &notes) {
      photo.title = Register(title, .given)
    }
    if let caption = text(new.metadata?.description, "description", &notes) {
      photo.caption = Register(caption, .given)
    }
    try session.placeBlob(at: .image(id, image.format))
    try session.write(labels.map { .label($0) } + [.photo(photo)], durable: false)
    var added = AddedPhoto(
      file, .added, id,
      note: notes.isEmpty ? nil : "\(file): \(notes.joined(separator: "; "))")
    var seen: Set<ClassKey> = []
    added.labels = labels.map(\.classKey).filter { seen.insert($0).inserted }
    added.pin = pin
    return added
  }

  /// Leaves the document of a known photo unchanged, but places its image if that is missing.
  private func addKnown(
    _ photo: Photo, _ new: PhotoLoader.Photo, from file: FilePath
  ) throws -> AddedPhoto {
    let directory = dataset.directory
    let path = DocumentPath.image(photo.id, photo.image.format)
    // A copy made without images gets this one now.
    let existing = try directory.files.status(directory.location(path.description))
    if existing?.size ?? 0 != new.staged.size {
      try session.placeBlob(at: path)
      try dataset.replica.indexImages([path.description])
    }
    var hasOtherPin = false
    if case .pin(let pin) = options.pin { hasOtherPin = pin != photo.pin.value }
    return AddedPhoto(
      file, .known, photo.id,
      note: photo.removed.value
        ? "\(file) was removed; `cairn photo restore` restores it"
        : hasOtherPin ? "\(file): its pin was left unchanged" : nil)
  }

  // MARK: Pins, labels and texts

  private func pin(of image: ImageFacts) throws -> PinID? {
    switch options.pin {
    case .none: return nil
    case .pin(let pin): return pin
    case .nearest, .automatic:
      guard let location = image.location?.coordinate,
        let index = pins?.nearest(to: location)
      else { return nil }
      return try pins?.pin(at: index) { planned in try write(planned) }
    }
  }

  /// Writes a planned pin once a photo uses it.
  private func write(_ planned: PinAssignment.NewPin) throws -> PinID {
    var id = planned.id
    // The pin with this id was removed.
    if try dataset.replica.document(at: .pin(id)) != nil {
      id = PinID(random: dataset.environment.random)
    }
    let pin = Pin(id: id, at: planned.location, name: planned.name, stamp: session.stamp())
    try session.write([.pin(pin)], durable: false)
    return id
  }

  private func labels(
    of new: PhotoLoader.Photo, _ notes: inout [String]
  ) throws -> [Label] {
    guard options.importsKeywords, let metadata = new.metadata else { return [] }
    if metadata.keywords.isEmpty, metadata.regions.isEmpty { return [] }
    return try keywordLabeler.labels(of: new.staged.id, metadata, &notes)
  }

  /// Returns a text that fits a document; nil, with a note, if it is too long.
  private func text(_ text: String?, _ what: String, _ notes: inout [String]) -> String? {
    guard let text, text.utf8.count > DocumentLimit.textLength else { return text }
    notes.append("its \(what) is longer than \(DocumentLimit.textLength) bytes and was left out")
    return nil
  }

  /// Notes how many keywords or regions do not fit a document.
  private func note(_ what: String, _ count: Int, _ notes: inout [String]) {
    guard count > 0 else { return }
    let counted = "\(count) \(what)\(count == 1 ? "" : "s")"
    notes.append("\(counted) left out of its document: too long or too many")
  }

  // MARK: Derived data

  private func similar(to new: PhotoLoader.Photo) -> (id: PhotoID, distance: Int)? {
    guard let limit = options.similarity, case .success(let preview)? = new.preview,
      let hash = preview.hash
    else { return nil }
    return knownHashes.lazy.map { (id: $0.id, distance: $0.hash.distance(to: hash)) }
      .filter { $0.distance <= limit }.min { ($0.distance, $0.id) < ($1.distance, $1.id) }
  }

  /// Caches the thumbnail and the perceptual hash of a photo.
  private func cache(_ preview: Result<PhotoPreview, ImageError>?, of id: PhotoID) {
    // The library that decodes it may be installed later.
    guard let decoded = try? preview?.get() else { return }
    // Thumbnails are optional: ignore errors.
    try? thumbnails.write(decoded.thumbnail, of: id)
    if options.similarity != nil, let hash = decoded.hash { knownHashes.append((id, hash)) }
    unsavedHashes.append((id: id, hash: decoded.hash))
    if unsavedHashes.count == 256 { saveHashes() }
  }

  private func saveHashes() {
    try? dataset.perceptualHashFile.append(unsavedHashes)
    unsavedHashes.removeAll()
  }
}
