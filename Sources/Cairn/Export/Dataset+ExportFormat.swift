internal import CairnDocument
internal import CairnFiles
public import CairnFormats
internal import CairnIndex
internal import CairnMerge
internal import CairnPhotos
internal import CairnStore
internal import CairnSync
public import SystemPackage

/// Options for exporting to another program's format.
public struct FormatExportOptions: Sendable {
  /// Selects the photos; by default all visible ones.
  public var query = PhotoQuery.everything
  /// The states of the labels to write.
  public var states: Set<AnnotationState> = [.confirmed]
  /// The minimum confidence of a label.
  public var minimumConfidence = 0.0
  /// How images are written: copied, linked or left out.
  public var images = ImagePolicy.copy
  /// What to do with photos of several classes if the format holds one class per photo.
  public var several = SeveralClasses.refuse
  /// Divides the photos into subsets, such as for training and testing; nil for one set.
  public var split: Split?
  /// Whether to leave out locations, both in documents and in images.
  public var stripsPositions = false

  /// Creates options that export the confirmed labels of all visible photos.
  public init() {}
}

extension Dataset {
  /// Exports photos and their resolutions in another program's format.
  ///
  /// - Parameter path: A directory that is empty or does not exist. It appears only when complete.
  @discardableResult
  public func export(
    _ format: ExportFormat, to path: FilePath, options: FormatExportOptions = FormatExportOptions()
  ) throws(CairnError) -> FormatReport {
    try translating {
      try writeDirectory(at: path) { directory in
        if format.isMadeOfImages, options.images == .none {
          throw CairnError(
            .invalidInput, "The format \(format.rawValue) consists of images and requires them.",
            hint: "To save space, link them: `--images link`.")
        }
        return try write(format, to: directory, options)
      }
    }
  }

  /// Calls `body` with a temporary directory, which then becomes `path`.
  ///
  /// - Parameter path: A directory that is empty or does not exist.
  func writeDirectory<Value>(
    at path: FilePath, _ body: (FilePath) throws -> Value
  ) throws -> Value {
    let target = environment.files.resolve(path) ?? path.lexicallyNormalized()
    try checkTarget(target)
    let staging = try StagingDirectory(of: target, environment: environment)
    do {
      let value = try body(staging.path)
      try environment.files.syncEverything(staging.path)
      try environment.files.rename(staging.path, to: target)
      return value
    } catch {
      try? environment.files.removeTree(staging.path)
      throw error
    }
  }

  private func checkTarget(_ target: FilePath) throws {
    guard let status = try environment.files.status(target) else { return }
    guard status.kind == .directory, try environment.files.list(target)?.isEmpty == true else {
      throw CairnError(
        .exists, "\(target) is not an empty directory.",
        hint: "Name a directory that does not exist yet.")
    }
  }

  private func write(
    _ format: ExportFormat, to directory: FilePath, _ options: FormatExportOptions
  ) throws -> FormatReport {
    let ids = try find(options.query)
    let title = try replica.manifest().name.value
    return try query(resolved: true) { index in
      // If the index turns out to be corrupt, it is rebuilt and the export starts over.
      for name in try environment.files.list(directory) ?? [] {
        try environment.files.removeTree(directory.appending(name))
      }
      let source = AnnotationSource(
        index: index, rules: try rules(from: index), pins: try index.pins(), options: options,
        upright: upright)
      let stream: PhotoStream = { visit in
        for (number, id) in ids.enumerated() {
          if number % 64 == 0 {
            try self.environment.checkCancellation()
            self.report("exporting", number, of: ids.count)
          }
          if let photo = try source.photo(id) { try visit(photo) }
        }
      }
      do {
        return try exportPhotos(
          stream, as: format, to: directory, files: environment.files,
          images: try imageSource(options), several: options.several, title: title)
      } catch let error as SeveralClassesError {
        throw refusal(error, format)
      } catch let error as EmptySubsetsError {
        throw refusal(error, format, options.split)
      }
    }
  }

  private func refusal(_ error: SeveralClassesError, _ format: ExportFormat) -> CairnError {
    let example = error.example.map { example in
      let classes = example.classes.prefix(5).map(\.text).joined(separator: ", ")
      return " (such as \(example.photo.short)…: \(classes))"
    }
    let photos = error.count == 1 ? "1 photo has" : "\(error.count) photos have"
    return CairnError(
      .invalidInput,
      "\(photos) several classes\(example ?? ""), but \(format.rawValue) holds one per photo.",
      hint: "Add `--several first` (confirmed, then by confidence, then by name), `--several copy` "
        + "(in each class) or `--several skip`.")
  }

  private func refusal(
    _ error: EmptySubsetsError, _ format: ExportFormat, _ split: Split?
  ) -> CairnError {
    func list(_ names: [String]) -> String { names.map { "“\($0)”" }.joined(separator: ", ") }
    let names = split?.subsets.map(\.name) ?? []
    let isNamed = error.missing.allSatisfy(names.contains)
    let content = format == .yoloSegment ? "an outline" : "a box"
    return CairnError(
      .invalidInput,
      "The format \(format.rawValue) requires the subsets “train” and “val”, but can hold no photo "
        + "of \(list(error.missing)): those that it can hold are in \(list(error.filled)).",
      hint: isNamed
        ? "It leaves out photos without \(content) or an image: label more photos, or give other "
          + "shares."
        : "Give the subsets these names: `--split train=80,val=20`.")
  }

  /// Returns the image's facts with the size of the upright image, to which boxes refer.
  private func upright(_ photo: Photo) throws -> ImageFacts {
    var image = photo.image
    let path = directory.blobs.path(of: photo.id)
    image.orientation = try orientation(of: image, at: path)
    if image.isTransposed { (image.width, image.height) = (image.height, image.width) }
    image.orientation = nil
    return image
  }

  private func imageSource(_ options: FormatExportOptions) throws -> ImageSource {
    let (blobs, files) = (directory.blobs, directory.files)
    return ImageSource(
      options.images,
      path: { try blobs.size(of: $0.id) == nil ? nil : blobs.path(of: $0.id) },
      erased: try replica.erasedImages(),
      replacement: options.stripsPositions
        ? { path, photo in
          do {
            return try files.withMapping(of: path) {
              try imageWithoutPosition($0, photo.image.format)
            }
          } catch let error as UnremovablePosition {
            throw CairnError(
              .invalidInput,
              "The location cannot be removed from \(photo.name): the file \(error).",
              hint: "Nothing was written. Choose other photos with `--find`, or export without "
                + "`--strip-gps`.")
          }
        } : nil)
  }
}

extension AnnotatedPhoto {
  /// The original file's name, if known, and the path in the dataset.
  fileprivate var name: String {
    let path = DocumentPath.image(id, image.format).description
    return source.isEmpty ? path : "“\(source)” (\(path))"
  }
}

/// Reads annotated photos from the index.
private struct AnnotationSource {
  let index: IndexReader
  let rules: ResolutionRules
  let pins: [PinID: Pin]
  let options: FormatExportOptions
  let upright: (Photo) throws -> ImageFacts

  init(
    index: IndexReader, rules: ResolutionRules, pins: [Pin], options: FormatExportOptions,
    upright: @escaping (Photo) throws -> ImageFacts
  ) {
    (self.index, self.rules, self.options) = (index, rules, options)
    self.upright = upright
    self.pins = Dictionary(pins.map { ($0.id, $0) }) { $1 }
  }

  func photo(_ id: PhotoID) throws -> AnnotatedPhoto? {
    guard let found = try index.found(id)?.photo else { return nil }
    var image = try upright(found)
    // What the file does not say, its source may.
    let reported = found.credit?.value?.taken
    if image.taken == nil, let time = reported?.captureTime, reported?.description == "\(time)" {
      image.taken = time
    }
    if image.location == nil { image.location = found.location.map { CaptureLocation($0) } }
    if options.stripsPositions { image.location = nil }
    var photo = AnnotatedPhoto(id: id, image: image)
    photo.title = found.title.value
    photo.caption = found.caption.value
    photo.source = found.source.value
    photo.credit = found.credit?.value
    if options.stripsPositions { photo.credit?.location = nil }
    photo.split = options.split?.subset(of: id, at: found.pin.value)
    if !options.stripsPositions, let pin = found.pin.value.flatMap({ pins[$0] }),
      !pin.removed.value
    {
      photo.pin = AnnotatedPhoto.Pin(
        id: pin.id, name: pin.name.value, location: pin.location.value)
    }
    photo.labels = rules.resolve(try index.labels(of: id)).compactMap(label)
    return photo
  }

  /// Returns the label for a resolution; nil if the options exclude it.
  private func label(_ resolution: Resolution) -> AnnotatedLabel? {
    guard let state = AnnotationState(rawValue: resolution.state.rawValue),
      options.states.contains(state), resolution.confidence >= options.minimumConfidence
    else { return nil }
    let verdict: Verdict = state == .rejected ? .absent : .present
    let evidence = resolution.evidence.filter { $0.status.counts && $0.label.verdict == verdict }
    var label = AnnotatedLabel(
      AnnotationClass(key: resolution.classKey, name: resolution.name), state,
      confidence: resolution.confidence, annotators: Set(evidence.map(\.annotator)).sorted())
    // Rejected labels have no boxes.
    let boxes =
      state == .rejected ? [] : evidence.compactMap(box).sorted { $0.region.id < $1.region.id }
    let ofWhole = evidence.filter { state == .rejected || $0.label.region == nil }
    label.boxes = boxes
    label.labelsWholePhoto = !ofWhole.isEmpty || boxes.isEmpty
    label.texts = Set(ofWhole.compactMap(\.label.text)).sorted()
    return label
  }

  /// Returns the label's box; nil if it is below the minimum confidence.
  private func box(_ evidence: Evidence) -> AnnotatedBox? {
    let confidence = evidence.label.confidence
    guard let region = evidence.label.region,
      evidence.annotator.isHuman || confidence >= options.minimumConfidence
    else { return nil }
    return AnnotatedBox(
      region, confidence: confidence, by: evidence.annotator, text: evidence.label.text)
  }
}
