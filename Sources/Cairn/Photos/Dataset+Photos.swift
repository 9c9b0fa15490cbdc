public import CairnDocument
internal import CairnIndex
internal import CairnStore
internal import CairnSync

/// A photo with its labels.
public struct PhotoRecord: Sendable {
  /// The document of the photo.
  public let photo: Photo
  /// All labels, including withdrawn ones.
  public let labels: [Label]
  /// The resolution of each class that has a label that counts, sorted by key.
  public let resolution: [Resolution]
  /// Whether the photo is visible, and why.
  public let visibility: Visibility

  init(_ photo: Photo, _ labels: [Label], _ rules: ResolutionRules) {
    (self.photo, self.labels) = (photo, labels)
    resolution = rules.resolve(labels)
    visibility = Visibility(of: photo, labels: labels)
  }

  /// The name shown for the photo: its title, or the name of its file if it has none.
  public var name: String { photo.name }
}

extension Photo {
  /// The name shown for the photo: its title, or the name of its file if it has none.
  var name: String { title.value.isEmpty ? source.value : title.value }
}

/// A photo after an edit, and whether the edit changed anything.
public struct PhotoEdit: Sendable {
  /// The photo that was edited.
  public let id: PhotoID
  /// Whether the edit changed anything.
  public let changed: Bool
}

extension Dataset {
  /// Calls `visit` for each photo, sorted by id. Photos are read in pages, each from the current
  /// dataset, and resolved by the rules in effect at the start.
  ///
  /// - Parameter includingRemoved: Whether to include photos that are not visible.
  package func forEachPhoto(
    pin: PinID? = nil, includingRemoved: Bool = false, _ visit: (PhotoRecord) throws -> Void
  ) throws(CairnError) {
    try translating {
      let rules = try rules()
      var last: PhotoID?
      while true {
        // Read the whole page before visiting it: `visit` may query the index too, and if the index
        // turns out to be corrupt, only this page is queried again.
        let page = try query { index in
          var page: [PhotoRecord] = []
          try index.forEachPhoto(pin: pin, after: last, limit: Dataset.pageSize) { photo, labels in
            page.append(PhotoRecord(photo, labels, rules))
          }
          return page
        }
        for record in page where includingRemoved || record.visibility.isVisible {
          try visit(record)
        }
        if page.count < Dataset.pageSize { return }
        last = page.last?.photo.id
      }
    }
  }

  private static let pageSize = 500

  /// Returns a photo with all its labels, as in the work tree.
  public func show(_ id: PhotoID) throws(CairnError) -> PhotoRecord {
    try translating {
      let labels = try labels(of: id)
      return PhotoRecord(try photo(id), labels, try resolvingRules(of: labels))
    }
  }

  /// Edits the title, caption and pin of photos; nil leaves a value unchanged.
  ///
  /// - Parameter pin: An inner nil removes the pin.
  /// - Throws: ``CairnError/Kind/erased`` when these facts of a photo were erased from the history.
  @discardableResult
  public func editPhotos(
    _ ids: [PhotoID], title: String? = nil, caption: String? = nil, pin: PinID?? = nil
  ) throws(CairnError) -> [EditedPhoto] {
    try edit("photo edit") { session in
      let title = try title.map { try checkedText($0, "title") }
      let caption = try caption.map { try checkedText($0, "caption") }
      if let pin, let pin {
        if try replica.document(at: .pin(pin)) == nil {
          throw CairnError(.notFound, "There is no pin \(pin).")
        }
        try checkNotErased(.position, of: ids) {
          "The position of photo \($0)… was erased for good, so it cannot get a pin."
        }
      }
      if [title, caption].contains(where: { $0?.isEmpty == false }) {
        try checkNotErased(.metadata, of: ids) {
          "The metadata of photo \($0)… was erased for good, so it cannot get a title or caption."
        }
      }
      let isBulk = ids.count > EditSession.durableLimit
      let edited = try ids.map { id in
        let old = try photo(id)
        var photo = old
        if let title { session.set(&photo.title, to: title) }
        if let caption { session.set(&photo.caption, to: caption) }
        if let pin { session.set(&photo.pin, to: pin) }
        if photo != old { try session.write([.photo(photo)], durable: !isBulk) }
        return EditedPhoto(photo: photo, changed: photo != old)
      }
      if isBulk, edited.contains(where: \.changed) { try session.flush() }
      return edited
    }
  }

  /// Removes photos, or restores removed ones. Their labels and images stay in the dataset.
  @discardableResult
  public func setPhotosRemoved(
    _ ids: [PhotoID], _ removed: Bool
  ) throws(CairnError) -> [PhotoEdit] {
    try edit(removed ? "photo remove" : "photo restore") { session in
      let isBulk = ids.count > EditSession.durableLimit
      let edits = try ids.map { id in
        var photo = try photo(id)
        let labels = try allLabels(of: id)
        let isHidden = !Visibility(of: photo, labels: labels).isVisible
        // A photo that a later label restored is removed again by a later removal.
        if isHidden == removed, photo.removed.value == removed {
          return PhotoEdit(id: id, changed: false)
        }
        setRemoved(&photo, removed, knowing: labels, session)
        try session.write([.photo(photo)], durable: !isBulk)
        return PhotoEdit(id: id, changed: true)
      }
      if isBulk, edits.contains(where: \.changed) { try session.flush() }
      return edits
    }
  }

  /// Removes or restores a photo with these labels. The removal takes those of people into account,
  /// so its stamp is later than theirs, whatever the clocks report.
  func setRemoved(
    _ photo: inout Photo, _ removed: Bool, knowing labels: [Label], _ session: EditSession
  ) {
    let known = labels.filter(\.annotator.isHuman).map(\.stamp) + [photo.removed.stamp]
    photo.removed = Register(removed, session.stamp(replacing: known.max()))
  }
}

/// A photo after an edit.
public struct EditedPhoto: Sendable {
  /// The photo as it is now.
  public let photo: Photo
  /// Whether the edit changed it.
  public let changed: Bool
}
