package import SystemPackage

/// A shared image store of a dataset: a directory, a Git LFS server, a bucket, a machine reached
/// with sftp, or a WebDAV server; as it is, or encrypted.
///
/// One test suite covers all conforming types.
package protocol ImageRemote: Sendable {
  /// The address to show to people, without secrets.
  var address: String { get }

  /// Maximum number of images in one query.
  var batchSize: Int { get }

  /// Maximum useful number of connections.
  var connections: Int { get }

  /// Returns how many small images to transfer together; one where that saves nothing.
  func groupLimit(_ direction: ImageDirection) -> ImageGroupLimit

  /// Opens a connection, which may wait for the first query before it exchanges data.
  ///
  /// - Throws: ``TransferError``.
  func connect() throws -> any ImageConnection

  /// Returns the remote for a verification of its contents: its queries about downloads may take the
  /// time to compute checksums there.
  func verifying() -> any ImageRemote
}

/// A limit for small images that are transferred together.
package struct ImageGroupLimit: Sendable {
  let images: Int
  /// Their size in bytes, with which a group is complete.
  var bytes = 1 << 20
}

extension ImageRemote {
  package func groupLimit(_ direction: ImageDirection) -> ImageGroupLimit {
    ImageGroupLimit(images: 1)
  }

  package func verifying() -> any ImageRemote { self }
}

/// A connection to an image remote. Use it from one thread at a time; its methods block.
///
/// Its methods throw a ``TransferError``, except for errors of this machine's disk.
package protocol ImageConnection: AnyObject {
  /// Queries which images the remote has, and how to transfer the others.
  ///
  /// - Parameter images: At most ``ImageRemote/batchSize``.
  /// - Returns: A status for each image, in their order.
  func query(_ direction: ImageDirection, about images: [ImageObject]) throws -> [RemoteStatus]

  /// Sends an image that the remote reported as missing, or whose content it lost. On return, the
  /// remote has all of it under its name, as durably as it can say; on an error, it has all of it or
  /// nothing under that name.
  ///
  /// - Parameter progress: Called with the number of bytes sent since the last call.
  func send(
    _ image: ImageObject, from file: FilePath, _ action: TransferAction, progress: (Int) -> Void)
    throws

  /// Sends small images together, each as ``send(_:from:_:progress:)`` does. On an error, the remote has
  /// all of those that were reported, and of each other one all or nothing.
  ///
  /// - Parameters:
  ///   - images: Within the limit of ``ImageRemote/groupLimit(_:)``; none of them replaces another file.
  ///   - sent: Called with the position of each image that the remote has now.
  func send(_ images: [ImageUpload], sent: (Int) -> Void) throws

  /// Fetches an image that the remote reported as present: appends the missing bytes to `partial`,
  /// or restarts it. The caller verifies the bytes.
  func receive(_ image: ImageObject, into partial: any ImageSink, _ action: TransferAction) throws

  /// Fetches small images together, each as ``receive(_:into:_:)`` does. On an error, those that were
  /// not reported may have a part of their bytes.
  ///
  /// - Parameters:
  ///   - images: Within the limit of ``ImageRemote/groupLimit(_:)``.
  ///   - received: Called with the position of each image that was received, or that the remote does not
  ///     send, with the reason.
  func receive(
    _ images: [ImageDownload], received: (Int, TransferError?) throws -> Void) throws

  /// Deletes all that the remote has of an image: every version of it, and what interrupted uploads
  /// left. An image that the remote does not have counts as deleted, so this may be called again.
  ///
  /// - Returns: The outcome, after asking the remote again.
  func erase(_ image: ImageObject) throws -> RemoteErasure

  /// Returns whether the remote has anything of an image that ``erase(_:)`` would delete: also a
  /// hidden version, a file of another size under its name, or what an interrupted upload left.
  func has(_ image: ImageObject) throws -> Bool
}

extension ImageConnection {
  package func send(_ images: [ImageUpload], sent: (Int) -> Void) throws {
    for (position, upload) in images.enumerated() {
      try send(upload.image, from: upload.file, upload.action) { _ in }
      sent(position)
    }
  }

  package func receive(
    _ images: [ImageDownload], received: (Int, TransferError?) throws -> Void
  ) throws {
    for (position, download) in images.enumerated() {
      try receive(download.image, into: download.sink, download.action)
      try received(position, nil)
    }
  }
}

/// An image to fetch, with the destination of its bytes.
package struct ImageDownload {
  let image: ImageObject
  let sink: any ImageSink
  let action: TransferAction
}

/// An image to send, with its file here.
package struct ImageUpload {
  let image: ImageObject
  let file: FilePath
  let action: TransferAction
}

/// What a remote did with an image that it was asked to erase.
package enum RemoteErasure: Sendable, Equatable {
  /// Nothing is left of it there.
  case erased
  /// The remote has it, and offers no way to delete it.
  case kept
}

/// A remote's instructions for transferring one image.
package struct TransferAction: Sendable {
  /// The actions of a Git LFS server; other remotes need none.
  let actions: LFSActions?
  /// The action of `git-lfs-transfer`.
  let ssh: LFSTransferAction?
  /// When it expires, in milliseconds since 1970; nil for never.
  let expires: Int64?
  /// Whether a checksum that the remote keeps or has computed matches the image.
  let isVerified: Bool
  /// Whether to replace what the remote has under the image's name, since that is damaged.
  var replaces = false
  /// Whether the download is to verify what the remote has: no cache of this machine may answer.
  var isVerification = false

  init(
    actions: LFSActions? = nil, ssh: LFSTransferAction? = nil, expires: Int64? = nil,
    isVerified: Bool = false
  ) {
    (self.actions, self.ssh, self.expires, self.isVerified) = (actions, ssh, expires, isVerified)
  }
}

/// The direction of a transfer.
package enum ImageDirection: String, Sendable {
  case upload, download
}

/// A remote's status of one image.
package enum RemoteStatus: Sendable {
  /// The remote has the image, to download with this action.
  case present(TransferAction)
  /// The remote lacks the image; for an upload, it accepts it with this action.
  case missing(TransferAction)
  /// The remote reports no status, or rejects the image.
  case rejected(TransferError)
}
