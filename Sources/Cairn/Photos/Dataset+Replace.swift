public import CairnDocument
public import CairnSources
internal import CairnStore

extension Dataset {
  /// Removes photos and fetches the same number of others for the same pins, from the sources that
  /// they came from. Removes each photo once its replacement has arrived. An error of one source
  /// does not stop the others.
  ///
  /// Searches around the photo's pin for the text of the template, otherwise for its breed,
  /// otherwise for the text that it was fetched with, as far as its documents record it. If there
  /// is neither a text nor a pin to search around, its title is used.
  /// - Parameters:
  ///   - source: The source to fetch from; nil for the one that each photo came from.
  ///   - template: The query and its options; its source, count and pin are ignored.
  public func replacePhotos(
    _ ids: [PhotoID], from source: SourceName?, like template: PhotoFetchRequest,
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws(CairnError) -> PhotoFetchReport {
    try translating {
      let groups = try self.groups(of: ids, source, words: template.query.text)
      var whole = PhotoFetchReport()
      var refusal: CairnError?
      for group in groups {
        var request = template
        (request.source, request.pin) = (group.source, group.pin)
        request.query.text = group.words
        request.count = group.photos.count
        var left = group.photos[...]
        let done = whole.added.count
        do {
          let harvest = try fetch(
            request, progress: { now, _ in progress(done + now, ids.count) },
            arrived: { _ in
              guard let old = left.popFirst() else { return }
              whole.removed += try setPhotosRemoved([old], true).filter(\.changed).map(\.id)
            })
          whole.add(harvest)
        } catch {
          refusal = refusal ?? CairnError(error)
        }
      }
      if let refusal, whole.added.isEmpty, whole.failed.isEmpty { throw refusal }
      whole.trouble = whole.trouble ?? refusal
      return whole
    }
  }

  private struct Group {
    let source: SourceName
    let pin: PinID?
    let words: String?
    var photos: [PhotoID]
  }

  /// Groups the photos that one fetch can replace, in the given order.
  private func groups(
    of ids: [PhotoID], _ source: SourceName?, words text: String?
  ) throws -> [Group] {
    var groups: [Group] = []
    var seen = Set<PhotoID>()
    for id in ids where seen.insert(id).inserted {
      let photo = try photo(id)
      if photo.removed.value {
        throw CairnError(
          .invalidInput, "The photo \(id.short) is removed already.",
          hint: "`cairn photo restore \(id.short)` restores it.")
      }
      let service = photo.credit?.value?.service.flatMap { SourceName(rawValue: $0) }
      guard let name = source ?? service, name.url != nil else {
        throw CairnError(
          .invalidInput, "The photo \(id.short) was not fetched from a service.",
          hint: "Specify a source: `--source commons`.")
      }
      let (pin, words) = (photo.pin.value, try text ?? self.words(for: photo, name))
      if words == nil, name.needsWordsOrPlace, pin == nil || !name.knowsPlaces {
        throw CairnError(
          .invalidInput,
          "It is not known what \(name.title) is to look for in place of the photo \(id.short).",
          hint:
            "Say it: `cairn photo replace \(id.short) --source \(name.rawValue) --text \"oak\"`.")
      }
      let index = groups.firstIndex { $0.source == name && $0.pin == pin && $0.words == words }
      if let index {
        groups[index].photos.append(id)
      } else {
        groups.append(Group(source: name, pin: pin, words: words, photos: [id]))
      }
    }
    return groups
  }

  /// Returns the text to search for to replace a photo; nil for any photo that the source has
  /// there.
  private func words(for photo: Photo, _ source: SourceName) throws -> String? {
    guard let credit = photo.credit?.value else { return nil }
    if credit.service == source.rawValue {
      if source == .dogCEO { return DogCEO.breed(of: credit) }
      if let words = try wordsOfFetch(photo.id, source) { return words }
    }
    let isAroundPin = source.knowsPlaces && photo.pin.value != nil
    return isAroundPin || source == .dogCEO ? nil : credit.title
  }

  /// Returns the text that a photo was fetched with, if the run that labeled it then records it.
  private func wordsOfFetch(_ id: PhotoID, _ source: SourceName) throws -> String? {
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
