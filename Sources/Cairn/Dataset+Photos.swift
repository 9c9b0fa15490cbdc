internal import CairnDocument
internal import CairnFiles
internal import CairnIndex
internal import CairnPhotos
internal import CairnStore
internal import CairnSync
public import SystemPackage

/// What became of one file that was to be added.
public struct AddedPhoto: Sendable {
  public enum Status: String, Sendable {
    case added
    /// The dataset has the photo already; nothing was changed.
    case known
    case failed
  }

  public let file: FilePath
  public let status: Status
  /// Nil when the file could not be read.
  public let id: PhotoID?
  /// Why it failed, or what there is to know about a photo that is known.
  public let note: String?
}

/// A photo with what is said of it.
public struct PhotoRecord: Sendable {
  public let photo: Photo
  public let labels: [Label]
  public let resolution: [Resolution]
  public let visibility: PhotoVisibility

  init(_ photo: Photo, _ labels: [Label], _ rules: ResolutionRules) {
    (self.photo, self.labels) = (photo, labels)
    resolution = rules.resolve(labels)
    visibility = PhotoVisibility(of: photo, labels: labels)
  }

  /// What to call the photo: its title, or else the name of its file.
  public var name: String { photo.name }
}

extension Photo {
  /// What to call it: its title, or else the name of its file.
  var name: String { title.value.isEmpty ? source.value : title.value }
}

extension Dataset {
  /// Adds images: files, and directories with all images below them. A file that is not an image,
  /// or not a whole one, is told and changes nothing.
  ///
  /// - Parameter progress: Called with the number of files done and their total.
  public func addPhotos(
    _ paths: [FilePath], pin: PinID? = nil, progress: (Int, Int) -> Void = { _, _ in }
  ) throws(CairnError) -> [AddedPhoto] {
    try edit("photo add") { session in
      let files = try paths.flatMap { try imageFiles(at: $0) }
      let photos = try files.enumerated().map { index, file in
        progress(index, files.count)
        do {
          return try addPhoto(file, pin: pin, session: session)
        } catch {
          let underlying = error
          let error = CairnError(underlying)
          // A full disk, or one that cannot be written, will not get better with the next file.
          let isOurs = (underlying as? FileError)?.path.starts(with: root) ?? false
          if error.kind == .noSpace || error.kind == .permission && isOurs { throw error }
          return AddedPhoto(file: file, status: .failed, id: nil, note: error.message)
        }
      }
      if photos.contains(where: { $0.status == .added }) { try session.flush() }
      return photos
    }
  }

  /// Returns the file at `path`, or the files below it that have an image's extension, sorted.
  private func imageFiles(at path: FilePath) throws -> [FilePath] {
    guard directory.files.directoryExists(path) else { return [path] }
    var found: [FilePath] = []
    for name in try directory.files.list(path)?.sorted() ?? [] where !name.hasPrefix(".") {
      let file = path.appending(name)
      switch try directory.files.status(file)?.kind {
      case .directory?: found += try imageFiles(at: file)
      case .regular?:
        let known = ["jpg", "jpeg", "jpe", "png", "webp"]
        if known.contains(file.extension?.lowercased() ?? "") { found.append(file) }
      default: break
      }
    }
    return found
  }

  private func addPhoto(
    _ file: FilePath, pin: PinID?, session: EditSession
  ) throws -> AddedPhoto {
    guard let target = directory.files.resolve(file) else {
      throw CairnError(.notFound, "There is no file \(file).")
    }
    // A pipe or a device has no end, or waits for one.
    guard try directory.files.status(target)?.kind == .regular else {
      throw CairnError(.invalidImage, "\(file) is not a file.")
    }
    let staged = try directory.blobs.stage(file)
    let image: ImageFacts
    do {
      image = try directory.files.withMapping(of: staged.path) { try ImageFacts(inspecting: $0) }
    } catch let error as ImageError {
      directory.blobs.discard(staged)
      throw CairnError(.invalidImage, "\(file) \(error).")
    }
    let known = try replica.document(at: .photo(staged.id))
    try directory.blobs.install(staged)
    let path = DocumentPath.image(staged.id, image.format)
    if case .photo(let photo)? = known {
      // A copy made without images gets this one now.
      if try directory.files.status(directory.location(path.description))?.size ?? 0 != staged.size
      {
        try session.placeImage(staged.id, image.format)
        try replica.indexImages([path.description])
      }
      return AddedPhoto(
        file: file, status: .known, id: staged.id,
        note: photo.removed.value
          ? "\(file) was removed; `cairn photo restore` brings it back"
          : pin != nil && pin != photo.pin.value ? "\(file): its pin was left as it is" : nil)
    }
    try session.placeImage(staged.id, image.format)
    let photo = Photo(
      id: staged.id, image: image, pin: pin, source: file.lastComponent?.string ?? "",
      stamp: session.stamp())
    try session.write([.photo(photo)], durable: false)
    return AddedPhoto(file: file, status: .added, id: staged.id, note: nil)
  }

  /// Calls `visit` for each photo, sorted by id.
  ///
  /// - Parameter includingRemoved: Also those that are out of view.
  public func forEachPhoto(
    pin: PinID? = nil, includingRemoved: Bool = false, _ visit: (PhotoRecord) throws -> Void
  ) throws(CairnError) {
    try translating {
      // All are read before any is visited: an index that breaks half way is made anew.
      let records = try query { index in
        let rules = try rules(from: index)
        var records: [PhotoRecord] = []
        try index.forEachPhoto(pin: pin) { photo, labels in
          let record = PhotoRecord(photo, labels, rules)
          if includingRemoved || record.visibility.isInView { records.append(record) }
        }
        return records
      }
      for record in records { try visit(record) }
    }
  }

  /// Returns a photo with all that is said of it, as the work tree has it.
  public func show(_ id: PhotoID) throws(CairnError) -> PhotoRecord {
    try translating {
      let labels = try labels(of: id)
      return PhotoRecord(try photo(id), labels, try rules(of: labels))
    }
  }

  /// Edits what people wrote of a photo; what is nil stays as it is.
  ///
  /// - Parameter pin: Nil within: no pin.
  public func editPhoto(
    _ id: PhotoID, title: String? = nil, caption: String? = nil, pin: PinID?? = nil
  ) throws(CairnError) -> (photo: Photo, changed: Bool) {
    try edit("photo edit") { session in
      let old = try photo(id)
      var photo = old
      if let title = try title.map({ try checkedText($0, "title") }), title != old.title.value {
        photo.title = Register(title, session.stamp(replacing: old.title.stamp))
      }
      if let caption = try caption.map({ try checkedText($0, "caption") }),
        caption != old.caption.value
      {
        photo.caption = Register(caption, session.stamp(replacing: old.caption.stamp))
      }
      if let pin, pin != old.pin.value {
        if let pin, try replica.document(at: .pin(pin)) == nil {
          throw CairnError(.notFound, "There is no pin \(pin).")
        }
        photo.pin = Register(pin, session.stamp(replacing: old.pin.stamp))
      }
      if photo != old { try session.write([.photo(photo)]) }
      return (photo, photo != old)
    }
  }

  /// Removes photos, or brings removed ones back. Their labels and images stay in the dataset.
  public func setPhotosRemoved(
    _ ids: [PhotoID], _ removed: Bool
  ) throws(CairnError) -> [(id: PhotoID, changed: Bool)] {
    try edit(removed ? "photo remove" : "photo restore") { session in
      try ids.map { id in
        var photo = try photo(id)
        let labels = try labels(of: id)
        let isOut = !PhotoVisibility(of: photo, labels: labels).isInView
        // A photo that a later label brought back is removed again by a later removal.
        if isOut == removed, photo.removed.value == removed { return (id, false) }
        // Removed with knowledge of what people said, it is later than that, whatever the clocks say.
        let known = labels.filter(\.annotator.isHuman).map(\.stamp) + [photo.removed.stamp]
        photo.removed = Register(removed, session.stamp(replacing: known.max()))
        try session.write([.photo(photo)])
        return (id, true)
      }
    }
  }
}
