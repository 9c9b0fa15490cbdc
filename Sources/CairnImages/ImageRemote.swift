public import CairnStore
public import SystemPackage

/// A place where the images of a dataset are kept for others: a directory, a Git LFS server, a bucket, a
/// machine behind sftp.
///
/// One suite of tests holds for all that conform.
public protocol ImageRemote: Sendable {
  /// The address as people know it, without secrets.
  var address: String { get }

  /// How many images one question may be about.
  var batchSize: Int { get }

  /// How many lines to it pay, at the most.
  var lines: Int { get }

  /// Opens a line. It may wait to speak until it is asked something.
  ///
  /// - Throws: ``TransferError``.
  func connect() throws -> any ImageLine

  /// Makes durable what was sent, where that is not done one by one.
  func settle() throws
}

extension ImageRemote {
  public func settle() throws {}
}

/// A line to an image remote. One thread uses it at a time, and waits in it.
///
/// What its methods throw is an ``TransferError``, unless it comes from this machine's disk.
public protocol ImageLine: AnyObject {
  /// Asks what the remote has of some images, and how the others can be brought there.
  ///
  /// - Parameter images: At most ``ImageRemote/batchSize``.
  /// - Returns: An answer for each, in their order.
  func ask(_ direction: ImageDirection, about images: [Pointer]) throws -> [ImageAnswer]

  /// Sends an image that the remote said it lacks. When it returns, the remote has all of it under its
  /// name; when it throws, the remote has it or has nothing under that name.
  ///
  /// - Parameter progress: Called with the number of bytes sent since it was last called.
  func send(
    _ image: Pointer, from file: FilePath, _ ticket: ImageTicket, progress: (Int) -> Void) throws

  /// Brings an image that the remote said it has: appends to `partial` what is missing of it, or has it
  /// begin anew. The bytes are checked by whoever asked for them.
  func receive(_ image: Pointer, into partial: PartialBlob, _ ticket: ImageTicket) throws
}

/// What a remote gives out to move one image.
public struct ImageTicket: Sendable {
  /// What it holds for a Git LFS server; others need nothing.
  let actions: LFSActions?
  /// When it is of no use any more, in milliseconds since 1970; nil: never.
  let expires: Int64?

  init(actions: LFSActions? = nil, expires: Int64? = nil) {
    (self.actions, self.expires) = (actions, expires)
  }
}

public enum ImageDirection: String, Sendable {
  case upload, download
}

/// What a remote says of one image.
public enum ImageAnswer: Sendable {
  /// It has it, and lets it go with this ticket.
  case there(ImageTicket)
  /// It has it not; asked about an upload, it takes it with this ticket.
  case absent(ImageTicket)
  /// It does not say, or does not want it.
  case refused(TransferError)
}
