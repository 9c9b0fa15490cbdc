internal import CairnDocument
internal import CairnTransport

// What the protocols of Git LFS have in common, over http and over ssh.

extension ImageConnection {
  /// Returns whether the server has an image, by asking for an upload, of which every server says
  /// whether it needs it: about a download of a missing image, some say that there is no such
  /// repository.
  func needsNoUpload(of image: ImageObject) throws -> Bool {
    let answer: RemoteStatus?
    do {
      answer = try query(.upload, about: [image]).first
    } catch let error as TransferError
      where [.forbidden, .authentication].contains(error.cause.kind)
    {
      answer = try query(.download, about: [image]).first
    }
    switch answer {
    case .present?: return true
    case .missing?: return false
    case .rejected(let error)?: throw error
    case nil: return true
    }
  }
}

extension TransferError {
  /// Returns the error for a damaged image on a Git LFS server, which takes each object only once.
  static func irreplaceable(_ image: ImageObject, _ address: String) -> TransferError {
    TransferError(
      TransportError(
        .forbidden, address,
        "its copy of image \(image.id.short)… is damaged, and it does not accept another: ask its"
          + " administrator to delete that object"))
  }
}
