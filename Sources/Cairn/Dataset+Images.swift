public import CairnDocument
public import CairnSync
public import SystemPackage

extension Dataset {
  /// Counts the images that are on this disk, and those that are not.
  ///
  /// - Parameter photos: Of which photos; nil for all.
  public func imageStock(of photos: [PhotoID]? = nil) throws(CairnError) -> ImageStock {
    try translating { try replica.imageStock(of: photos.map(Set.init)) }
  }

  /// Brings images from a remote.
  public func fetchImages(
    of photos: [PhotoID]? = nil, from remote: String? = nil,
    options: TransferOptions = TransferOptions()
  ) throws(CairnError) -> ImageArrival {
    try keepingInShape {
      try replica.fetchImages(of: photos.map(Set.init), from: remote, options: options)
    }
  }

  /// Sends images to a remote that has them not, whenever their photos were pushed.
  public func sendImages(
    of photos: [PhotoID]? = nil, to remote: String? = nil,
    options: TransferOptions = TransferOptions()
  ) throws(CairnError) -> (images: Int, bytes: Int) {
    try translating {
      try replica.sendImages(of: photos.map(Set.init), to: remote, options: options)
    }
  }

  /// Frees the disk of images that a remote has.
  public func dropImages(
    of photos: [PhotoID]? = nil, heldBy remote: String? = nil,
    options: TransferOptions = TransferOptions()
  ) throws(CairnError) -> ImageDrop {
    try keepingInShape {
      try replica.dropImages(of: photos.map(Set.init), heldBy: remote, options: options)
    }
  }

  /// Returns where the images of a remote were said to go; nil where that follows from its address.
  public func imagePlace(ofRemote name: String) throws(CairnError) -> String? {
    try translating { try replica.imagePlace(ofRemote: name) }
  }

  /// Says where the images of a remote go, for all who take part.
  ///
  /// - Parameters:
  ///   - address: Nil to let that follow from the remote's own address again.
  ///   - base: Where a relative path starts.
  public func setImagePlace(
    ofRemote name: String, _ address: String?, relativeTo base: FilePath
  ) throws(CairnError) {
    try edit("remote images") {
      try replica.setImagePlace(ofRemote: name, address, relativeTo: base, session: $0)
    }
  }
}
