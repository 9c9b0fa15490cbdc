internal import Cairn

/// The photos that an edit applies to: a list, or a result set with exceptions.
struct EditTarget: Sendable {
  /// Maximum number of photos that are edited while the client waits.
  static let directLimit = 500
  private static let exceptionLimit = 10_000

  private enum Source: Sendable {
    case photos([PhotoID])
    case keys([PhotoRowKey])
  }

  private let source: Source
  private let exceptions: Set<PhotoID>

  /// The number of photos, before exceptions.
  var count: Int {
    switch source {
    case .photos(let photos): photos.count
    case .keys(let keys): keys.count
    }
  }

  init(_ json: JSON?, in session: Session) throws {
    guard let object = json?.object else { throw ServeError.invalid("“target” is missing.") }
    if object["photos"] != nil {
      (source, exceptions) = (
        .photos(try object.photos("photos", limit: EditTarget.directLimit)), []
      )
      return
    }
    let set = try session.sets.get(object.required("set"))
    var keys = set.keys[...]
    if let range = object["range"], !range.isNull {
      let bounds = range.array?.compactMap(\.int) ?? []
      guard bounds.count == 2, 0 <= bounds[0], bounds[0] <= bounds[1] else {
        throw ServeError.invalid("“range” must be [first index, index after the last].")
      }
      keys = set.keys(from: bounds[0], count: bounds[1] - bounds[0])
    }
    let except = object["except"] ?? .null
    exceptions =
      except.isNull
      ? [] : Set(try object.photos("except", limit: EditTarget.exceptionLimit))
    source = .keys(Array(keys))
  }

  /// Returns the photos.
  func photos(in dataset: Dataset) throws -> [PhotoID] {
    let photos: [PhotoID]
    switch source {
    case .photos(let ids): photos = ids
    case .keys(let keys):
      photos = try dataset.withIndex(updating: false) { try $0.photoIDs(of: keys) }
        .compactMap { $0 }
    }
    var seen = exceptions
    return photos.filter { seen.insert($0).inserted }
  }
}
