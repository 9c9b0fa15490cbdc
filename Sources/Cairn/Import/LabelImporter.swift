internal import CairnDocument
internal import CairnFiles
internal import CairnFormats
internal import CairnIndex
internal import CairnPhotos
internal import CairnStore
internal import SystemPackage

/// Converts the files of another program to lines of documents.
final class LabelImporter {
  /// The reason why an item cannot be imported.
  struct ImportProblem: Error { let message: String }

  let dataset: Dataset
  let index: IndexReader
  /// Who made the labels.
  var annotatorResolver: AnnotatorResolver
  /// The runs that models' labels get, and the parameters of these.
  var runs: [Annotator: RunID] = [:]
  let runParameters: JSONObject
  /// The stamp of labels that the files do not date.
  let stamp: Stamp
  /// Whether runs of labels in the dataset are withdrawn.
  var withdrawn: [RunID: Bool] = [:]
  private var matcher: ImageMatcher
  private let matchesFileNames: Bool
  private let write: ([UInt8]) throws -> Void
  private var lines: [UInt8] = []
  /// The lines of labels, which follow all others.
  let labelLines: GroupedLines

  var report = FormatImportReport()
  private(set) var newImages: [PhotoLoader.Copy] = []
  /// Whether to keep the images of new photos until all files are read.
  private let keepsImages: Bool
  private let loader: PhotoLoader

  private enum Match {
    /// The index of a photo in ``known``.
    case photo(Int)
    case problem(String)
  }

  /// What photos were found to be, by all that files name them by.
  private var matches: [PhotoKey: Match] = [:]
  private var known: [KnownPhoto] = []
  /// The indices of photos in ``known``.
  private var numbers: [PhotoID: Int] = [:]
  /// The hashes of the names in the files that stand for photos of the dataset.
  private var namesInFiles: [PhotoID: Int] = [:]
  private var pins: Set<PinID> = []
  var classes: [String: Result<ClassKey, ImportProblem>] = [:]
  /// The classes that the import creates, with their names in the files.
  var newClasses: [ClassKey: String] = [:]
  /// The dataset's labels of the current photo.
  private(set) var existing: (photo: PhotoID, labels: [Label])?
  /// The labels seen so far, by subject hash.
  var seen: [UInt64: ImportedAssertion.Summary] = [:]
  /// The labels of the current photo, which may be repeated before another photo follows.
  var current: [ImportedAssertion] = []
  /// The indices of labels in ``current``, by subject hash.
  var indices: [UInt64: Int] = [:]
  private var counts: [String: Int] = [:]

  init(
    _ dataset: Dataset, _ index: IndexReader, annotatorResolver: AnnotatorResolver, stamp: Stamp,
    runParameters: JSONObject, matcher: ImageMatcher, matchesFileNames: Bool, keepsImages: Bool,
    write: @escaping ([UInt8]) throws -> Void
  ) {
    (self.dataset, self.index, self.annotatorResolver) = (dataset, index, annotatorResolver)
    (self.runParameters, self.matcher, self.write) = (runParameters, matcher, write)
    (self.stamp, self.keepsImages) = (stamp, keepsImages)
    self.matchesFileNames = matchesFileNames
    labelLines = GroupedLines(in: dataset.scratch, files: dataset.environment.files)
    loader = PhotoLoader(
      directory: dataset.directory, makesPreviews: false, followsLinks: false)
  }

  func add(_ item: ImportedItem) throws {
    switch item {
    case .photo(let photo): try add(photo)
    case .pin(let pin): try add(pin)
    case .problem(let location, let message): report.note(location, message)
    case .note(let text): report.notes.append(text)
    }
  }

  /// Counts an event that is reported once, at the end.
  func count(_ what: String) { counts[what, default: 0] += 1 }

  /// Writes the remaining lines and frees everything except the report, since the import needs the
  /// memory.
  func finish() throws {
    try writeLabels()
    try flush()
    try labelLines.drain(write)
    for (what, count) in counts.sorted(by: { $0.key < $1.key }) {
      report.notes.append("\(what), \(count == 1 ? "once" : "\(count) times")")
    }
    (matches, known, numbers, namesInFiles) = ([:], [], [:], [:])
    (pins, seen, existing) = ([], [:], nil)
  }

  private func flush() throws {
    try write(lines)
    lines.removeAll(keepingCapacity: true)
  }

  func append(_ document: JSONObject) throws { try append(document.canonicalBytes) }

  /// - Parameter bytes: The canonical bytes of a document.
  func append(_ bytes: [UInt8]) throws {
    JSON.appendLine(ofCanonical: bytes, to: &lines)
    if lines.count > 1 << 18 { try flush() }
  }

  // MARK: Photos

  private func add(_ photo: ImportedPhoto) throws {
    let key = PhotoKey(photo)
    let match = try matches[key] ?? match(photo)
    matches[key] = match
    let number: Int
    switch match {
    case .problem(let message): return report.note(photo.location, message)
    case .photo(let found): number = found
    }
    if !photo.hasReportedMetadata, photo.metadata.hashValue != known[number].metadataHash {
      count("ignored later, different metadata of a photo")
    }
    if photo.labels.isEmpty { return }
    let needsOrientation =
      photo.extent != nil || photo.labels.contains { $0.box != nil || $0.outline != nil }
    if needsOrientation { try readOrientation(of: &known[number]) }
    let image = ImageFacts(known[number])
    var size = ImageSize(of: image)
    if let given = photo.extent {
      guard let sizeInFile = ImageSize(given, of: image) else {
        return report.note(
          photo.location,
          "the size is given as \(given), but the image has \(size.extent) pixels")
      }
      size = sizeInFile
    }
    if size.isScaled, photo.labels.contains(where: { $0.box != nil || $0.outline != nil }) {
      count("scaled the boxes to the actual size of an image")
    }
    try readLabels(of: &known[number])
    for label in photo.labels { try add(label, of: known[number].id, size, photo.location) }
  }

  /// Reads the orientation of a photo from its image, once.
  private func readOrientation(of photo: inout KnownPhoto) throws {
    guard photo.orientation == nil else { return }
    photo.orientation = UInt8(
      try dataset.orientation(
        of: ImageFacts(photo), at: dataset.directory.blobs.path(of: photo.id)))
  }

  /// Reads the photo's labels in the dataset: once, if it has none, however often files name it.
  private func readLabels(of photo: inout KnownPhoto) throws {
    if existing?.photo == photo.id { return }
    existing = (photo.id, photo.mayHaveLabels ? try index.labels(of: photo.id) : [])
    photo.mayHaveLabels = existing?.labels.isEmpty == false
  }

  private func match(_ photo: ImportedPhoto) throws -> Match {
    let metadata = withoutLongTexts(photo)
    for id in [photo.id] + photo.names.map(matcher.id(named:)) {
      guard let id, let document = try document(of: id) else { continue }
      return .photo(try addKnown(document, photo, metadata))
    }
    let path: FilePath
    if let content = photo.content {
      path = content
    } else {
      if matchesFileNames, let match = try matchFileName(photo, metadata) { return match }
      switch try matcher.path(of: photo) {
      case .problem(let message):
        report.missing += 1
        return .problem(message)
      case .path(let found): path = found
      }
    }
    let id = try BlobStore.hash(path, files: dataset.environment.files)
    if let number = numbers[id] { return .photo(number) }
    if let document = try document(of: id) {
      return .photo(try addKnown(document, photo, metadata))
    }
    let new: PhotoLoader.Photo
    do {
      new = try loader.photo(path)
    } catch let error as ImageError {
      return .problem("“\(photo.file)” \(error)")
    }
    guard new.staged.id == id else { return .problem("“\(photo.file)” changed while it was read") }
    var image = new.image
    if let metadata = new.metadata { image.take(metadata) }
    report.new += 1
    if keepsImages { newImages.append(new.copy) }
    try append(line(of: new, image, metadata, path))
    return .photo(add(KnownPhoto(id, image, photo.metadata)))
  }

  /// Returns the photo of the dataset whose file had one of the names that the imported photo may
  /// have; nil if there is none. Two different names do not stand for the same photo.
  private func matchFileName(
    _ photo: ImportedPhoto, _ metadata: ImportedMetadata
  ) throws -> Match? {
    for name in photo.names {
      let last = name.split { $0 == "/" || $0 == "\\" }.last ?? ""
      let found: Photo?
      do {
        found = try dataset.photo(fileName: String(last), in: index)
      } catch let error as CairnError where error.kind == .ambiguous {
        return .problem("the file name “\(last.prefix(100))” belongs to several photos")
      }
      guard let found else { continue }
      if let count = photo.byteCount, count != found.image.bytes {
        let bytes = found.image.bytes
        return .problem(
          "“\(photo.file.prefix(100))” has \(bytes) bytes, but the labeled image had \(count)")
      }
      let whole = photo.wholeName.hashValue
      if namesInFiles.updateValue(whole, forKey: found.id) ?? whole != whole {
        return .problem(
          "“\(photo.wholeName.prefix(100))” and another name both stand for the photo "
            + "\(last.prefix(100)): one of the two images is missing")
      }
      return .photo(try addKnown(found, photo, metadata))
    }
    return nil
  }

  /// Returns the index of a photo that was not found before.
  private func add(_ photo: KnownPhoto) -> Int {
    numbers[photo.id] = known.count
    known.append(photo)
    return known.count - 1
  }

  /// Returns the line of a new photo. Metadata missing from the imported files is read from the
  /// image.
  private func line(
    of new: PhotoLoader.Photo, _ image: ImageFacts, _ metadata: ImportedMetadata, _ path: FilePath
  ) throws -> JSONObject {
    var line = try self.line(of: metadata, image: image.json)
    for (key, text) in [("title", new.metadata?.title), ("caption", new.metadata?.description)] {
      guard line[key] == nil, let text else { continue }
      if text.utf8.count <= DocumentLimit.textLength {
        line[key] = .string(text)
      } else {
        count("ignored a \(key) longer than \(DocumentLimit.textLength) bytes in an image file")
      }
    }
    if !new.notes.isEmpty { count("ignored an invalid sidecar") }
    line["id"] = .string(new.staged.id.description)
    line["source"] = .string(metadata.source ?? path.lastComponent?.string ?? "")
    return line
  }

  private func document(of id: PhotoID) throws -> Photo? {
    guard case .photo(let photo)? = try dataset.validDocument(at: .photo(id)) else { return nil }
    return photo
  }

  /// Fills in the missing metadata of a photo of the dataset; returns its index.
  private func addKnown(
    _ document: Photo, _ photo: ImportedPhoto, _ metadata: ImportedMetadata
  ) throws -> Int {
    if let number = numbers[document.id] { return number }
    report.known += 1
    var line = try self.line(of: metadata, over: document)
    if line.members.count > 1 {
      line["id"] = .string(document.id.description)
      try append(line)
    }
    return add(KnownPhoto(document.id, document.image, photo.metadata))
  }

  /// Returns a photo's line with the metadata that the dataset does not have yet.
  private func line(
    of metadata: ImportedMetadata, over known: Photo? = nil, image: JSON? = nil
  ) throws -> JSONObject {
    var line: JSONObject = ["kind": "photo"]
    line["image"] = image
    func fill(_ key: String, _ value: JSON?, over existing: JSON?) {
      guard let value, value != existing else { return }
      if existing == nil {
        line[key] = value
      } else {
        count("kept the existing \(key) of a photo")
      }
    }
    func text(_ text: String?) -> JSON? { text.flatMap { $0.isEmpty ? nil : .string($0) } }
    fill("title", text(metadata.title), over: text(known?.title.value))
    fill("caption", text(metadata.caption), over: text(known?.caption.value))
    var credit = JSONObject(metadata.credit.map { ($0.key, .string($0.value)) })
    credit["place"] = metadata.place?.json
    credit["taken"] = metadata.taken.map { .string($0.description) }
    fill(
      "credit", credit.isEmpty ? nil : .object(credit), over: known?.credit?.value.map(\.json))
    if let pin = metadata.pin, let id = pin.id {
      fill("pin", .string(id.text), over: known?.pin.value.map { .string($0.text) })
      if line["pin"] != nil, pins.insert(id).inserted,
        try dataset.validDocument(at: .pin(id)) == nil
      {
        try add(pin)
      }
    }
    return line
  }

  // MARK: Pins

  private func add(_ pin: ImportedPin) throws {
    let name = fits(pin.name, "name of a pin", pin.location) ? pin.name : ""
    var line: JSONObject = [
      "kind": "pin", "location": pin.coordinate.json, "name": .string(name),
    ]
    if let id = pin.id {
      line["id"] = .string(id.text)
      pins.insert(id)
    }
    report.pins += 1
    try append(line)
  }
}
