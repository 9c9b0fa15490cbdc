public import CairnDocument
internal import CairnIndex
public import CairnSources

/// What became of an address whose photo was to be added.
public struct AddedLocation: Sendable {
  public let location: WebLocation
  public let status: AddedPhoto.Status
  /// Nil when it could not be had.
  public let id: PhotoID?
  /// Why it failed.
  public let note: String?
}

extension Dataset {
  /// Adds the photos that lie at addresses of the web, in their order, each address once. What was
  /// fetched from there before is not asked for again.
  ///
  /// - Parameters:
  ///   - isStopped: Asked every now and then whether to stop; what came until then is returned.
  ///   - progress: Called with the number of photos that came and of all.
  public func addPhotos(
    at locations: [WebLocation], pin: PinID? = nil,
    isStopped: @escaping @Sendable () -> Bool = { false },
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws(CairnError) -> [AddedLocation] {
    if locations.isEmpty { return [] }
    return try translating {
      var known: [String: PhotoID] = [:]
      try query { index in
        try index.forEachCredit { id, credit in
          for key in SourcePhoto.keys(of: credit) { known[key] = known[key] ?? id }
        }
      }
      var request = PhotoRequest(.urls)
      (request.locations, request.pin, request.isStopped) = (locations, pin, isStopped)
      var met: [String: PhotoID] = [:]
      let harvest = try fetch(
        request, progress: { count, _ in progress(count, locations.count) },
        met: { photo, id in met[SourcePhoto.key(photo.address ?? "")] = id })
      let added = Set(harvest.added.map(\.id))
      var seen = Set<String>()
      return locations.compactMap { location in
        let key = SourcePhoto.key(location.text)
        guard seen.insert(key).inserted else { return nil }
        let failure = harvest.failed.first { $0.address == location.text }
        let id = met[key] ?? known[key]
        if failure == nil, id == nil, isStopped() { return nil }
        let reason = failure?.message ?? harvest.trouble?.message
        let status: AddedPhoto.Status =
          failure != nil || id == nil ? .failed : id.map(added.contains) == true ? .added : .known
        return AddedLocation(
          location: location, status: status, id: status == .failed ? nil : id,
          note: status == .failed ? reason ?? "\(location) was not fetched." : nil)
      }
    }
  }
}
