public import CairnDocument
public import CairnSources
internal import CairnStore

extension Dataset {
  /// Removes photos and fetches the same number of others for the same pins, from the sources that
  /// they came from. Removes each photo once its replacement has arrived. An error of one source
  /// does not stop the others.
  ///
  /// Searches around the photo's pin for the text of the template; without one, for the photo's
  /// breed, or for the text that it was fetched with, if its documents record these. If there is
  /// neither a text nor a pin to search around, searches for the photo's title.
  /// - Parameters:
  ///   - source: The source to fetch from; nil for the one that each photo came from.
  ///   - template: The query and its options; its source, count and pin are ignored.
  @discardableResult
  public func replacePhotos(
    _ ids: [PhotoID], from source: SourceName?, like template: PhotoFetchRequest
  ) throws(CairnError) -> PhotoFetchReport {
    try translating {
      let groups = try self.groups(of: ids, source, text: template.query.text)
      var total = PhotoFetchReport()
      var firstError: CairnError?
      for group in groups {
        var request = template
        (request.source, request.pin) = (group.source, group.pin)
        request.query.text = group.text
        request.count = group.photos.count
        var left = group.photos[...]
        let done = total.added.count
        do {
          let report = try fetch(
            request, progress: { self.report("replacing photos", done + $0, of: ids.count) },
            onAdded: { _ in
              guard let old = left.popFirst() else { return }
              total.removed += try setPhotosRemoved([old], true).filter(\.changed).map(\.id)
            })
          total.add(report)
        } catch {
          firstError = firstError ?? CairnError(error)
        }
      }
      if let firstError, total.added.isEmpty, total.failed.isEmpty { throw firstError }
      total.failure = total.failure ?? firstError
      return total
    }
  }

  private struct Group {
    let source: SourceName
    let pin: PinID?
    let text: String?
    var photos: [PhotoID]
  }

  /// Groups the photos that one fetch can replace, in the given order.
  private func groups(
    of ids: [PhotoID], _ source: SourceName?, text given: String?
  ) throws -> [Group] {
    var groups: [Group] = []
    var seen = Set<PhotoID>()
    for id in ids where seen.insert(id).inserted {
      let photo = try photo(id)
      if photo.removed.value {
        throw CairnError(
          .invalidInput, "The photo \(id.short) has already been removed.",
          hint: "`cairn photo restore \(id.short)` restores it.")
      }
      let service = photo.credit?.value?.service.flatMap { SourceName(rawValue: $0) }
      guard let name = source ?? service, name.url != nil else {
        throw CairnError(
          .invalidInput, "The photo \(id.short) was not fetched from a service.",
          hint: "Specify a source: `--source commons`.")
      }
      let (pin, text) = (photo.pin.value, try given ?? self.text(for: photo, name))
      if text == nil, name.requiresTextOrLocation, pin == nil || !name.hasLocations {
        throw CairnError(
          .invalidInput,
          "No search text is known to replace the photo \(id.short) from \(name.title).",
          hint: "Give one: `cairn photo replace \(id.short) --source \(name.rawValue) --text "
            + "\"oak\"`.")
      }
      let index = groups.firstIndex { $0.source == name && $0.pin == pin && $0.text == text }
      if let index {
        groups[index].photos.append(id)
      } else {
        groups.append(Group(source: name, pin: pin, text: text, photos: [id]))
      }
    }
    return groups
  }

  /// Returns the text to search for in order to replace a photo; nil to accept any photo.
  private func text(for photo: Photo, _ source: SourceName) throws -> String? {
    guard let credit = photo.credit?.value else { return nil }
    if credit.service == source.rawValue {
      if source == .dogCEO { return DogCEO.breed(of: credit) }
      if let text = try fetchedText(photo.id, source) { return text }
    }
    let isAroundPin = source.hasLocations && photo.pin.value != nil
    return isAroundPin || source == .dogCEO ? nil : credit.title
  }

  /// Returns the text that a photo was fetched with, if the run of that fetch records it.
  private func fetchedText(_ id: PhotoID, _ source: SourceName) throws -> String? {
    guard let annotator = source.annotator.flatMap({ Annotator($0) }) else { return nil }
    for label in try labels(of: id) where label.annotator == annotator {
      guard let run = label.run, case .run(let run)? = try readableDocument(at: .run(run)) else {
        continue
      }
      if let text = run.members["parameters"]?.object?["text"]?.string { return text }
    }
    return nil
  }
}
