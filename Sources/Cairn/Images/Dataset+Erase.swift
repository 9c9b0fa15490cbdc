public import CairnDocument
internal import CairnStore
public import CairnSync

/// Images that are to be erased.
public struct ErasurePlan: Sendable {
  /// The photos whose images are not erased yet.
  public let photos: [PhotoID]
  /// The total size of their images, in bytes.
  public let bytes: Int
  /// The photos whose images were erased before.
  public let erased: [PhotoID]
  /// The names of the remotes whose image stores will be asked to delete the images.
  public let remotes: [String]
}

extension Dataset {
  /// Returns what ``erasePhotos(_:reason:)`` would do.
  public func planErasure(of ids: [PhotoID]) throws(CairnError) -> ErasurePlan {
    try translating {
      var (photos, erased, bytes) = ([PhotoID](), [PhotoID](), 0)
      for id in Set(ids).sorted() {
        guard let size = try replica.imageSize(of: id) else {
          throw CairnError.noPhoto(id.description, isHex: true)
        }
        if try replica.isErased(id) {
          erased.append(id)
        } else {
          photos.append(id)
          bytes += size
        }
      }
      return ErasurePlan(
        photos: photos, bytes: bytes, erased: erased,
        remotes: try replica.repository.settings().remoteNames)
    }
  }

  /// Erases the images of photos for good: from this copy with all that was computed from them, and
  /// from the image stores of all remotes. The photos' documents and labels stay.
  ///
  /// The erasure is recorded and committed first. Every copy that fetches it deletes the image as
  /// well, and no copy that knows of it takes the image in again. It cannot be undone. An image that
  /// was erased before is looked for again everywhere.
  /// - Parameter reason: Why the images are erased; needed if one of them is not erased yet.
  /// - Throws: ``CairnError/Kind/invalidInput`` if there is no reason, or it is too long.
  @discardableResult
  public func erasePhotos(
    _ ids: [PhotoID], reason: String? = nil
  ) throws(CairnError) -> ErasureReport {
    let plan = try planErasure(of: ids)
    let text = try checkedReason(reason, isNeeded: !plan.photos.isEmpty)
    var report = try edit("photo erase", needsPerson: !plan.photos.isEmpty) { session in
      try replica.erase(ids, reason: text, session: session)
    }
    report.stores = try runningMaintenance { try replica.eraseAtRemotes(ids) }
    report.replaceFailures { CairnError($0) }
    return report
  }

  /// Returns the record of how a photo's image was erased; nil if it was not.
  public func erasure(of id: PhotoID) throws(CairnError) -> Erasure? {
    try translating { try replica.erasure(of: id) }
  }

  /// Whether the image of a photo was erased.
  package func isErased(_ id: PhotoID) throws(CairnError) -> Bool {
    try translating { try replica.isErased(id) }
  }

  /// Returns the error for an image that is not on this disk.
  func missingImage(_ id: PhotoID) throws -> StoreError {
    try replica.isErased(id) ? .erasedBlob(id) : .missingBlob(id)
  }
}
