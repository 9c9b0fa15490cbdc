public import CairnDocument
internal import CairnIndex
public import CairnSources

/// The result of adding the photo at a URL.
public struct AddedLocation: Sendable {
  /// The URL.
  public let location: WebLocation
  /// What happened to the photo.
  public let status: AddedPhoto.Status
  /// Nil when it could not be fetched.
  public let id: PhotoID?
  /// Why it failed, or a note about the photo.
  public let note: String?
}

extension Dataset {
  /// Adds the photos at web URLs, in order, each URL once. Photos fetched from there before are not
  /// fetched again.
  ///
  /// - Returns: One result for each URL; if canceled, only those so far.
  public func addPhotos(
    at locations: [WebLocation], pin: PinID? = nil
  ) throws(CairnError) -> [AddedLocation] {
    if locations.isEmpty { return [] }
    return try translating {
      var known: [String: PhotoID] = [:]
      try query { index in
        try index.forEachCredit { id, credit in
          for key in SourcePhoto.keys(of: credit) { known[key] = known[key] ?? id }
        }
      }
      var request = PhotoFetchRequest(.urls)
      (request.locations, request.pin) = (locations, pin)
      var fetched: [String: PhotoID] = [:]
      let report = try fetch(
        request, progress: { self.report("fetching photos", $0, of: locations.count) },
        onPhoto: { photo, id in fetched[SourcePhoto.key(photo.address ?? "")] = id })
      let added = Set(report.added.map(\.id))
      var seen = Set<String>()
      return locations.compactMap { location in
        let key = SourcePhoto.key(location.text)
        guard seen.insert(key).inserted else { return nil }
        let failure = report.failed.first { $0.address == location.text }
        let id = fetched[key] ?? known[key]
        if failure == nil, id == nil, environment.isCancelled() { return nil }
        let reason = failure?.message ?? report.failure?.message
        let status: AddedPhoto.Status =
          failure != nil || id == nil ? .failed : id.map(added.contains) == true ? .added : .known
        return AddedLocation(
          location: location, status: status, id: status == .failed ? nil : id,
          note: status == .failed
            ? reason ?? "\(location) was not fetched."
            : report.notes.first { $0.address == location.text }?.message)
      }
    }
  }
}
