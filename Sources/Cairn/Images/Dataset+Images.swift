public import CairnDocument
public import CairnSync
public import SystemPackage

/// The images that were sent to a remote.
public struct ImageSendReport: Sendable {
  /// The number of images that were sent, without those that the remote already had.
  public let images: Int
  /// Their total size.
  public let bytes: Int
}

extension Dataset {
  /// Counts the images that are on this disk and those that are not.
  ///
  /// - Parameter photos: The photos to count; nil for all.
  public func imageInventory(of photos: [PhotoID]? = nil) throws(CairnError) -> ImageInventory {
    try translating { try replica.imageInventory(of: photos.map(Set.init)) }
  }

  /// Brings a count of the images up to date. An image that was deleted by hand is not noticed.
  package func update(_ count: inout ImageCount) throws(CairnError) {
    var updated = count
    try translating { try replica.update(&updated) }
    count = updated
  }

  /// Fetches images from a remote.
  @discardableResult
  public func fetchImages(
    of photos: [PhotoID]? = nil, from remote: String? = nil,
    options: TransferOptions = TransferOptions()
  ) throws(CairnError) -> ImageFetchReport {
    try runningMaintenance {
      try replica.fetchImages(
        of: photos.map(Set.init), from: remote, options: options.reporting(to: environment))
    }
  }

  /// Pushes images that a remote lacks, whenever their photos were pushed.
  @discardableResult
  public func sendImages(
    of photos: [PhotoID]? = nil, to remote: String? = nil,
    options: TransferOptions = TransferOptions()
  ) throws(CairnError) -> ImageSendReport {
    try translating {
      let sent = try replica.sendImages(
        of: photos.map(Set.init), to: remote, options: options.reporting(to: environment))
      return ImageSendReport(images: sent.images, bytes: sent.bytes)
    }
  }

  /// Frees disk space by dropping images that a remote has.
  @discardableResult
  public func dropImages(
    of photos: [PhotoID]? = nil, onRemote remote: String? = nil,
    options: TransferOptions = TransferOptions()
  ) throws(CairnError) -> ImageDropReport {
    try runningMaintenance {
      try replica.dropImages(
        of: photos.map(Set.init), onRemote: remote, options: options.reporting(to: environment))
    }
  }

  /// Returns the image URL configured for a remote; nil if it follows from the remote's own URL.
  public func imageURL(ofRemote name: String) throws(CairnError) -> String? {
    try translating { try replica.imageURL(ofRemote: name) }
  }

  /// Sets the image URL of a remote, for everyone who uses the dataset.
  ///
  /// - Parameters:
  ///   - address: Nil to derive it from the remote's own URL again.
  ///   - base: The directory that a relative path is resolved against.
  public func setImageURL(
    ofRemote name: String, _ address: String?, relativeTo base: FilePath
  ) throws(CairnError) {
    try edit("remote images") {
      try replica.setImageURL(ofRemote: name, address, relativeTo: base, session: $0)
    }
  }
}
