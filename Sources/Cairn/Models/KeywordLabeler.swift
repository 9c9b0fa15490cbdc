internal import CairnBase
internal import CairnDocument
internal import CairnIndex
internal import CairnMerge
internal import CairnPhotos
internal import CairnStore
internal import CairnSync

/// Turns keywords and named regions in files into labels of the current user; creates classes that
/// do not exist.
final class KeywordLabeler {
  private let dataset: Dataset
  private let session: EditSession
  private var annotator: Annotator?
  /// The keys of keywords; nil for those that are invalid or ambiguous as class names.
  private var keys: [String: ClassKey?] = [:]
  /// The classes that existed before; nil until a name needs them.
  private var classes: ClassTable?

  init(_ dataset: Dataset, _ session: EditSession) {
    (self.dataset, self.session) = (dataset, session)
  }

  /// Clears the caches: a class that was created may have been rolled back.
  func clearCaches() { (keys, classes) = ([:], nil) }

  /// Returns the labels of a photo that is not in the dataset yet, without labels that exist
  /// already.
  func labels(
    of photo: PhotoID, _ metadata: PhotoMetadata, _ notes: inout [String]
  ) throws -> [Label] {
    let annotator = try annotator ?? dataset.replica.person()
    self.annotator = annotator
    // Labels left by an interrupted import.
    var names = Set(try dataset.labels(of: photo).map(\.name))
    var skipped: [String] = []
    var labels: [Label] = []
    func add(_ name: String, _ source: String, _ box: NormalizedRect?) throws {
      guard let key = try key(of: name) else { return skipped.append("“\(name)”") }
      var label = Label(
        photo: photo, classKey: key, annotator: annotator, verdict: .present,
        region: box.flatMap { region($0, of: key, on: photo) }, stamp: session.stamp())
      label.source = source
      if names.insert(label.name).inserted { labels.append(label) }
    }
    for keyword in metadata.keywords { try add(keyword.text, keyword.source, nil) }
    for region in metadata.regions {
      // A region that nobody named is a detection by a camera or a program, not a person's label.
      guard let name = region.name else { continue }
      try add(name, region.source, region.box)
    }
    if !skipped.isEmpty {
      let names = skipped.joined(separator: ", ")
      notes.append("keywords left out (invalid or ambiguous class names): \(names)")
    }
    return labels
  }

  /// Derives the id from the region, so that two devices that read the same file write the same
  /// label.
  private func region(_ box: NormalizedRect, of key: ClassKey, on photo: PhotoID) -> Region? {
    let text = "\(photo) \(key) \(box.x) \(box.y) \(box.width) \(box.height)"
    let id = RegionID(unchecked: hexHash(Array(text.utf8), digits: RegionID.digits))
    return Region(id: id, box: box)
  }

  private func key(of name: String) throws -> ClassKey? {
    if let known = keys[name] { return known }
    let match = try dataset.classMatch(name) { try allClasses().classes(named: name) }
    let key: ClassKey?
    switch match {
    case .existing?, .new?:
      key = try dataset.classKey(creating: name, match, session: session, durable: false)
    case .ambiguous?, nil: key = nil
    }
    keys.updateValue(key, forKey: name)
    return key
  }

  private func allClasses() throws -> ClassTable {
    let table =
      try classes ?? ClassTable(dataset.query { try $0.classes() }, indexingNames: true)
    classes = table
    return table
  }
}
