internal import CairnDocument
internal import CairnFormats
internal import CairnIndex
internal import CairnPhotos
internal import CairnFiles
internal import CairnStore
internal import SystemPackage

/// Makes lines of documents of what the files of another program say.
final class ForeignConversion {
  struct NewImage {
    let id: PhotoID
    let path: FilePath
  }

  private let dataset: Dataset
  private let index: IndexReader
  private let annotator: Annotator
  private let finder: ForeignImages
  private let write: ([UInt8]) throws -> Void
  private var lines: [UInt8] = []

  private(set) var report = FormatImportReport()
  private(set) var newImages: [NewImage] = []

  private enum Found {
    case photo(PhotoID, ImageFacts)
    case problem(String)
  }

  /// By the names that files give them.
  private var photos: [String: Found] = [:]
  private var ids: Set<PhotoID> = []
  private var classes: [String: Result<ClassKey, Unusable>] = [:]
  /// The names that no class has: the import coins their classes, with these to be shown.
  private var newClasses: Set<String> = []
  private var standing: (photo: PhotoID, labels: [Label])?
  /// What was said already, by what it is said of: of a million statements their hashes are enough.
  private var said: [Statement: Int] = [:]

  private struct Statement: Hashable {
    let first: Int
    let second: Int

    init(_ photo: PhotoID, _ key: ClassKey, _ annotator: Annotator, _ region: JSON?) {
      let box = region.map { String(decoding: $0.canonicalBytes, as: UTF8.self) }
      func hash(_ salt: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(salt)
        hasher.combine(photo.digest)
        hasher.combine(key)
        hasher.combine(annotator)
        hasher.combine(box)
        return hasher.finalize()
      }
      (first, second) = (hash(1), hash(2))
    }
  }

  init(
    _ dataset: Dataset, _ index: IndexReader, annotator: Annotator, finder: ForeignImages,
    write: @escaping ([UInt8]) throws -> Void
  ) {
    (self.dataset, self.index, self.annotator) = (dataset, index, annotator)
    (self.finder, self.write) = (finder, write)
  }

  func take(_ item: ForeignItem) throws {
    switch item {
    case .photo(let photo): try take(photo)
    case .pin(let pin): try take(pin)
    case .problem(let place, let message): report.note(place, message)
    case .note(let text): report.notes.append(text)
    }
  }

  /// Writes what is left, and forgets all but the report: the import needs the memory.
  func finish() throws {
    try flush()
    (photos, ids, said, standing) = ([:], [], [:], nil)
  }

  private func flush() throws {
    try write(lines)
    lines.removeAll(keepingCapacity: true)
  }

  private func append(_ document: JSONObject) throws {
    JSON.appendLine(ofCanonical: document.canonicalBytes, to: &lines)
    if lines.count > 1 << 18 { try flush() }
  }

  // MARK: Photos

  private func take(_ photo: ForeignPhoto) throws {
    let name = photo.id.map(\.description) ?? photo.file
    let found = try photos[name] ?? find(photo)
    photos[name] = found
    switch found {
    case .problem(let message): report.note(photo.place, message)
    case .photo(let id, let image):
      for label in photo.labels { try take(label, of: id, image, photo.place) }
    }
  }

  private func find(_ photo: ForeignPhoto) throws -> Found {
    if let id = photo.id ?? finder.id(named: photo.file), let known = try document(of: id) {
      count(id, isNew: false)
      return .photo(id, known.image)
    }
    let path: FilePath
    switch try finder.path(of: photo.file) {
    case .problem(let message): return .problem(message)
    case .path(let found): path = found
    }
    let id = try BlobStore.hash(path, files: dataset.world.files)
    if let known = try document(of: id) {
      count(id, isNew: false)
      return .photo(id, known.image)
    }
    let image: ImageFacts
    do {
      image = try dataset.world.files.withMapping(of: path) { try ImageFacts(inspecting: $0) }
    } catch let error as ImageError {
      return .problem("“\(photo.file)” \(error)")
    }
    if count(id, isNew: true) {
      newImages.append(NewImage(id: id, path: path))
      try append([
        "kind": "photo", "id": .string(id.description), "image": image.foreignJSON,
        "source": .string(path.lastComponent?.string ?? ""),
      ])
    }
    return .photo(id, image)
  }

  private func document(of id: PhotoID) throws -> Photo? {
    guard case .photo(let photo)? = try dataset.readableDocument(at: .photo(id)) else { return nil }
    return photo
  }

  /// Counts a photo, once; true when it was not counted before.
  @discardableResult
  private func count(_ id: PhotoID, isNew: Bool) -> Bool {
    guard ids.insert(id).inserted else { return false }
    if isNew { report.new += 1 } else { report.known += 1 }
    return true
  }

  // MARK: Labels

  private func take(
    _ label: ForeignLabel, of photo: PhotoID, _ image: ImageFacts, _ place: ForeignPlace
  ) throws {
    let annotator: Annotator
    switch speaker(of: label) {
    case .success(let speaker): annotator = speaker
    case .failure(let problem): return report.note(place, problem.message)
    }
    guard label.confidence.map({ 0...1 ~= $0 }) ?? true else {
      return report.note(place, "the confidence is not between 0 and 1")
    }
    let key: ClassKey
    switch try classKey(label.className) {
    case .success(let found): key = found
    case .failure(let problem): return report.note(place, problem.message)
    }
    var line: JSONObject = [
      "kind": "label", "photo": .string(photo.description),
      "annotator": .string(annotator.description),
      "verdict": .string(label.isAbsent ? Verdict.absent.rawValue : Verdict.present.rawValue),
      "confidence": JSON(label.confidence ?? 1),
      "class": .string(newClasses.contains(label.className) ? label.className : key.text),
    ]
    if let box = label.box {
      guard let fractions = box.fractions(of: image) else {
        return report.note(place, "a box that does not lie within its image, or has no area")
      }
      line["region"] = try region(fractions, of: photo, key, annotator)
    }
    let statement = Statement(photo, key, annotator, line["region"])
    let content = (label.confidence ?? 1).hashValue ^ (label.isAbsent ? 1 : 0)
    if let before = said[statement] {
      if before != content {
        report.note(place, "it says something else of “\(key)” than what was said before")
      }
      return
    }
    said[statement] = content
    report.labels += 1
    try append(line)
  }

  /// Returns who says it: nobody gets words that are another's.
  private func speaker(of label: ForeignLabel) -> Result<Annotator, Unusable> {
    if label.isPersons, !annotator.isHuman {
      return .failure(Unusable(message: "what people say is not a model's; leave out --as"))
    }
    guard let model = label.model else { return .success(annotator) }
    if let named = Annotator(model: model) { return .success(named) }
    if !annotator.isHuman { return .success(annotator) }
    let what =
      model.isEmpty
      ? "a model said it, which is not named"
      : "“\(model.prefix(100))” is no NAME@VERSION of a model"
    return .failure(Unusable(message: "\(what); name it with --as"))
  }

  /// Why something cannot be taken in.
  private struct Unusable: Error { let message: String }

  /// Returns the key of the class that a name means, or that it will coin.
  private func classKey(_ name: String) throws -> Result<ClassKey, Unusable> {
    if let known = classes[name] { return known }
    let key = try foundClassKey(name)
    classes[name] = key
    return key
  }

  private func foundClassKey(_ name: String) throws -> Result<ClassKey, Unusable> {
    guard ClassKey.displayName(name) != nil, let coined = ClassKey(naming: name) else {
      return .failure(Unusable(message: "“\(name.prefix(100))” cannot be the name of a class"))
    }
    do {
      guard let known = try dataset.knownClassKey(named: name, in: index) else {
        newClasses.insert(name)
        return .success(coined)
      }
      return .success(known)
    } catch let error as CairnError {
      guard error.kind == .ambiguous else { throw error }
      return .failure(Unusable(message: String(error.message.dropLast())))
    }
  }

  /// Returns the box, as the annotator has drawn it already where that is the same.
  private func region(
    _ box: (x: Double, y: Double, width: Double, height: Double), of photo: PhotoID,
    _ key: ClassKey, _ annotator: Annotator
  ) throws -> JSON {
    if standing?.photo != photo { standing = (photo, try index.labels(of: photo)) }
    func isSame(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 1e-6 }
    let drawn = standing?.labels.first { label in
      guard label.classKey == key, label.annotator == annotator, let region = label.region else {
        return false
      }
      return isSame(region.x, box.x) && isSame(region.y, box.y)
        && isSame(region.width, box.width) && isSame(region.height, box.height)
    }
    if let region = drawn?.region { return region.foreignJSON }
    return [
      "x": JSON(box.x), "y": JSON(box.y), "width": JSON(box.width), "height": JSON(box.height),
    ]
  }

  // MARK: Pins

  private func take(_ pin: ForeignPin) throws {
    var line: JSONObject = [
      "kind": "pin", "location": pin.location.json, "name": .string(pin.name),
    ]
    if let id = pin.id { line["id"] = .string(id.text) }
    report.pins += 1
    try append(line)
  }
}

extension ImageFacts {
  fileprivate var foreignJSON: JSON {
    [
      "bytes": JSON(bytes), "format": .string(format.rawValue), "height": JSON(height),
      "width": JSON(width),
    ]
  }
}

extension Region {
  fileprivate var foreignJSON: JSON {
    var object = extra
    object["id"] = .string(id.text)
    object["x"] = JSON(x)
    object["y"] = JSON(y)
    object["width"] = JSON(width)
    object["height"] = JSON(height)
    return .object(object)
  }
}
