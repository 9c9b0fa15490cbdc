internal import CairnDocument
internal import CairnFiles
public import CairnFormats
internal import CairnIndex
internal import CairnMerge
internal import CairnPhotos
internal import CairnStore
internal import CairnSync
public import SystemPackage

/// What to export, and how.
public struct FormatExportOptions {
  public var query = PhotoQuery.everything
  /// The states of the labels that are written.
  public var states: Set<AnnotationState> = [.confirmed]
  /// What a label's confidence must at least be.
  public var minimumConfidence = 0.0
  public var images = ImagePolicy.copy
  public var split: Split?
  /// Whether no position is written, in documents or in images.
  public var stripsPositions = false
  /// Called with how many photos are written, and how many there are.
  public var progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }

  public init() {}
}

extension Dataset {
  /// Writes photos and what stands of them in another program's format.
  ///
  /// - Parameter path: A directory that is empty, or not there. It is there when all of it is.
  public func export(
    _ format: ExportFormat, to path: FilePath, options: FormatExportOptions = FormatExportOptions()
  ) throws(CairnError) -> FormatReport {
    try translating {
      let target = world.files.resolve(path) ?? path.lexicallyNormalized()
      try checkTarget(target)
      if format.isMadeOfImages, options.images == .none {
        throw CairnError(
          .invalidInput, "\(format.rawValue) is made of images; it cannot do without them.",
          hint: "Link them with `--images link`, which takes no space.")
      }
      let temporary = FilePath("\(target).\(String(world.random(), radix: 36)).tmp")
      do {
        try world.files.createDirectory(temporary)
        let report = try write(format, to: temporary, options)
        try world.files.syncEverything(temporary)
        try world.files.rename(temporary, to: target)
        return report
      } catch {
        try? world.files.removeTree(temporary)
        throw error
      }
    }
  }

  private func checkTarget(_ target: FilePath) throws {
    guard let status = try world.files.status(target) else { return }
    guard status.kind == .directory, try world.files.list(target)?.isEmpty == true else {
      throw CairnError(
        .exists, "\(target) is not an empty directory.",
        hint: "Name a directory that is not there yet.")
    }
  }

  private func write(
    _ format: ExportFormat, to directory: FilePath, _ options: FormatExportOptions
  ) throws -> FormatReport {
    let ids = try find(options.query)
    let title = try replica.manifest().name.value
    return try query(resolved: true) { index in
      // An index that broke half way is made anew, and the directory with it.
      for name in try world.files.list(directory) ?? [] {
        try world.files.removeTree(directory.appending(name))
      }
      let source = AnnotationSource(
        index: index, rules: try rules(from: index), pins: try index.pins(), options: options,
        isOnItsSide: isOnItsSide)
      let stream: PhotoStream = { take in
        for (number, id) in ids.enumerated() {
          if number % 64 == 0 { options.progress(number, ids.count) }
          if let photo = try source.photo(id) { try take(photo) }
        }
      }
      return try exportPhotos(
        stream, as: format, to: directory, files: world.files, images: imageSource(options),
        title: title)
    }
  }

  /// Boxes are of the upright image, and so must be the size that they are written with.
  private func isOnItsSide(_ photo: Photo) throws -> Bool {
    guard photo.image.format == .jpeg, try directory.blobs.size(of: photo.id) != nil else {
      return false
    }
    return try directory.files.withMapping(of: directory.blobs.path(of: photo.id)) {
      CairnPhotos.isOnItsSide(jpeg: $0)
    }
  }

  private func imageSource(_ options: FormatExportOptions) -> ImageSource {
    let (blobs, files) = (directory.blobs, directory.files)
    return ImageSource(
      options.images,
      path: { try blobs.size(of: $0.id) == nil ? nil : blobs.path(of: $0.id) },
      replacement: options.stripsPositions
        ? { path, photo in
          try files.withMapping(of: path) { imageWithoutPosition($0, photo.image.format) }
        } : nil)
  }
}

/// Reads from the index what stands of photos.
private struct AnnotationSource {
  let index: IndexReader
  let rules: ResolutionRules
  let pins: [PinID: Pin]
  let options: FormatExportOptions
  let isOnItsSide: (Photo) throws -> Bool

  init(
    index: IndexReader, rules: ResolutionRules, pins: [Pin], options: FormatExportOptions,
    isOnItsSide: @escaping (Photo) throws -> Bool
  ) {
    (self.index, self.rules, self.options) = (index, rules, options)
    self.isOnItsSide = isOnItsSide
    self.pins = Dictionary(pins.map { ($0.id, $0) }) { $1 }
  }

  func photo(_ id: PhotoID) throws -> AnnotatedPhoto? {
    guard let found = try index.found(id)?.photo else { return nil }
    var image = found.image
    if try isOnItsSide(found) { (image.width, image.height) = (image.height, image.width) }
    var photo = AnnotatedPhoto(id: id, image: image)
    photo.title = found.title.value
    photo.caption = found.caption.value
    photo.source = found.source.value
    photo.split = options.split?.part(of: id, at: found.pin.value)
    if !options.stripsPositions, let pin = found.pin.value.flatMap({ pins[$0] }),
      !pin.removed.value
    {
      photo.place = AnnotatedPhoto.Place(
        pin: pin.id, name: pin.name.value, location: pin.location.value)
    }
    photo.labels = rules.resolve(try index.labels(of: id)).compactMap(label)
    return photo
  }

  /// Returns what stands of a class, where it was asked for.
  private func label(_ resolution: Resolution) -> AnnotatedLabel? {
    guard let state = AnnotationState(rawValue: resolution.state.rawValue),
      options.states.contains(state), resolution.confidence >= options.minimumConfidence
    else { return nil }
    let counted = resolution.evidence.filter { $0.standing.counts }
    let present = counted.filter { $0.label.verdict == .present }
    let verdict: Verdict = state == .rejected ? .absent : .present
    let annotators = Set(counted.filter { $0.label.verdict == verdict }.map(\.annotator))
    return AnnotatedLabel(
      AnnotationClass(key: resolution.classKey, name: resolution.name), state,
      confidence: resolution.confidence, annotators: annotators.sorted(),
      // Who says that a class is there may have drawn it; what is rejected is nowhere.
      regions: state == .rejected
        ? [] : present.compactMap(\.label.region).sorted { $0.id < $1.id })
  }
}
