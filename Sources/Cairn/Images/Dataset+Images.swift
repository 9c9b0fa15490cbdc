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
    of photos: [PhotoID]? = nil, from remote: String? = nil
  ) throws(CairnError) -> ImageFetchReport {
    try runningMaintenance { try replica.fetchImages(of: photos.map(Set.init), from: remote) }
  }

  /// Pushes all images that a remote lacks, no matter when their photos were pushed.
  ///
  /// - Parameter repairing: Whether to verify the content of the images that it has, which may cost a
  ///   download, and to replace the damaged ones.
  @discardableResult
  public func sendImages(
    of photos: [PhotoID]? = nil, to remote: String? = nil, repairing: Bool = false
  ) throws(CairnError) -> ImageSendReport {
    try translating {
      let sent = try replica.sendImages(
        of: photos.map(Set.init), to: remote, repairing: repairing)
      return ImageSendReport(images: sent.images, bytes: sent.bytes)
    }
  }

  /// Frees disk space by dropping images that a remote has, after verifying their content there: by
  /// a checksum that it keeps, otherwise by reading them, which costs a download.
  ///
  /// - Parameter trustsSize: Whether it is enough that the remote has a file of the right size.
  @discardableResult
  public func dropImages(
    of photos: [PhotoID]? = nil, onRemote remote: String? = nil, trustsSize: Bool = false
  ) throws(CairnError) -> ImageDropReport {
    try runningMaintenance {
      try replica.dropImages(
        of: photos.map(Set.init), onRemote: remote, trustsSize: trustsSize)
    }
  }

  /// Returns which images of the last commit a remote has.
  ///
  /// - Parameter readsContent: Whether to verify their content as well, which may cost a download.
  public func checkImages(
    onRemote remote: String? = nil, readsContent: Bool = false
  ) throws(CairnError) -> RemoteImageReport {
    try translating { try replica.checkImages(onRemote: remote, readsContent: readsContent) }
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
  ///   - key: A file with a private key of age, to encrypt the images on this side; it is created
  ///     if it does not exist. Nil to store them unencrypted.
  /// - Returns: Whether the key file was created.
  @discardableResult
  public func setImageURL(
    ofRemote name: String, _ address: String?, relativeTo base: FilePath, key: FilePath? = nil
  ) throws(CairnError) -> Bool {
    try edit("remote images", needsPerson: true) {
      try replica.setImageURL(ofRemote: name, address, relativeTo: base, key: key, session: $0)
    }
  }

  /// Records where this copy finds the private key of a remote's encrypted images.
  public func setImageKey(
    ofRemote name: String, _ key: FilePath, relativeTo base: FilePath
  ) throws(CairnError) {
    try edit("remote images") { _ in
      try replica.setImageKey(ofRemote: name, key, relativeTo: base)
    }
  }

  /// Contacts the remote, and returns how many images a push would send: those that are here and not
  /// there.
  public func imagesToSend(
    of photos: [PhotoID]? = nil, to remote: String? = nil
  ) throws(CairnError) -> ImageSendReport {
    try translating {
      let images = try replica.imagesToSend(of: photos.map(Set.init), to: remote)
      return ImageSendReport(images: images.count, bytes: images.bytes)
    }
  }

  /// Contacts the remote, and returns how many images a fetch would download, their total size in
  /// bytes, and how many images the remote does not have.
  public func imagesToFetch(
    of photos: [PhotoID]? = nil, from remote: String? = nil
  ) throws(CairnError) -> (images: Int, bytes: Int, missing: Int) {
    try translating { try replica.imagesToFetch(of: photos.map(Set.init), from: remote) }
  }
}
