internal import CairnDocument
internal import CairnIndex
internal import CairnStore
internal import CairnSync

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
  /// Calls `visit` for each photo, sorted by id. They are read page by page, each as the dataset is by then,
  /// under the rules of the beginning.
  ///
  /// - Parameter includingRemoved: Also those that are out of view.
  public func forEachPhoto(
    pin: PinID? = nil, includingRemoved: Bool = false, _ visit: (PhotoRecord) throws -> Void
  ) throws(CairnError) {
    try translating {
      let rules = try rules()
      var last: PhotoID?
      while true {
        // A page is read before it is visited: whoever is visited may ask the index, too, and an index that
        // breaks is asked again for that page alone.
        let page = try query { index in
          var page: [PhotoRecord] = []
          try index.forEachPhoto(pin: pin, after: last, limit: Dataset.pageSize) { photo, labels in
            page.append(PhotoRecord(photo, labels, rules))
          }
          return page
        }
        for record in page where includingRemoved || record.visibility.isInView {
          try visit(record)
        }
        if page.count < Dataset.pageSize { return }
        last = page.last?.photo.id
      }
    }
  }

  private static let pageSize = 500

  /// Returns a photo with all that is said of it, as the work tree has it.
  public func show(_ id: PhotoID) throws(CairnError) -> PhotoRecord {
    try translating {
      let labels = try labels(of: id)
      return PhotoRecord(try photo(id), labels, try resolvingRules(of: labels))
    }
  }

  /// Edits what people wrote of a photo; what is nil stays as it is.
  ///
  /// - Parameter pin: Nil within: no pin.
  public func editPhotos(
    _ ids: [PhotoID], title: String? = nil, caption: String? = nil, pin: PinID?? = nil
  ) throws(CairnError) -> [(photo: Photo, changed: Bool)] {
    try edit("photo edit") { session in
      let title = try title.map { try checkedText($0, "title") }
      let caption = try caption.map { try checkedText($0, "caption") }
      if let pin, let pin, try replica.document(at: .pin(pin)) == nil {
        throw CairnError(.notFound, "There is no pin \(pin).")
      }
      return try ids.map { id in
        let old = try photo(id)
        var photo = old
        if let title, title != old.title.value {
          photo.title = Register(title, session.stamp(replacing: old.title.stamp))
        }
        if let caption, caption != old.caption.value {
          photo.caption = Register(caption, session.stamp(replacing: old.caption.stamp))
        }
        if let pin, pin != old.pin.value {
          photo.pin = Register(pin, session.stamp(replacing: old.pin.stamp))
        }
        if photo != old { try session.write([.photo(photo)]) }
        return (photo, photo != old)
      }
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
