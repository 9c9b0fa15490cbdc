internal import CairnDocument
package import CairnStore
internal import SystemPackage

/// An image store whose images are encrypted on this side: another store, which sees only their
/// number, sizes and times.
///
/// Each image is a file that the age program can decrypt, under a keyed hash of the image's id.
package struct EncryptedImages: ImageRemote {
  private let store: any ImageRemote
  private let identity: AgeIdentity
  /// Where encrypted files wait to be sent.
  private let staging: BlobStore

  package init(_ store: any ImageRemote, _ identity: AgeIdentity, staging: BlobStore) {
    (self.store, self.identity, self.staging) = (store, identity, staging)
    // A copy that only pushes has no other occasion to do so. A slow upload may take hours.
    try? staging.removeLeftovers(olderThan: 24)
  }

  package var address: String { store.address }
  package var batchSize: Int { store.batchSize }
  package var connections: Int { store.connections }

  package func connect() throws -> any ImageConnection {
    Connection(connection: try store.connect(), identity: identity, staging: staging)
  }

  private final class Connection: ImageConnection {
    let connection: any ImageConnection
    let identity: AgeIdentity
    let staging: BlobStore

    init(connection: any ImageConnection, identity: AgeIdentity, staging: BlobStore) {
      (self.connection, self.identity, self.staging) = (connection, identity, staging)
    }

    /// - Parameter hash: The SHA-256 of the encrypted bytes; nil if it is unknown.
    private func object(_ image: ImageObject, hash: PhotoID? = nil) -> ImageObject {
      ImageObject(
        id: identity.name(of: image.id), size: AgeFile.size(ofPlain: image.size), hash: hash)
    }

    func query(_ direction: ImageDirection, about images: [ImageObject]) throws -> [RemoteStatus] {
      try connection.query(direction, about: images.map { object($0) })
    }

    func send(
      _ image: ImageObject, from file: FilePath, _ action: TransferAction,
      progress: (Int) -> Void
    ) throws {
      let source = try HashVerifyingReader(image, at: file)
      var encryptor = try AgeEncryptor(to: identity.recipient, source.next)
      let staged = try staging.stage { try encryptor.read() }
      defer { staging.discard(staged) }
      try connection.send(
        object(image, hash: staged.id), from: staged.path, action, progress: progress)
    }

    /// Fetches an image from its beginning: what an interrupted fetch left is not encrypted.
    func receive(
      _ image: ImageObject, into partial: any ImageSink, _ action: TransferAction
    ) throws {
      if partial.count > 0 { try partial.restart() }
      let sink = DecryptingSink(image, identity, partial)
      try connection.receive(object(image), into: sink, action)
      try sink.finish()
    }

    func erase(_ image: ImageObject) throws -> RemoteErasure {
      try connection.erase(object(image))
    }

    func has(_ image: ImageObject) throws -> Bool { try connection.has(object(image)) }
  }
}

/// A destination of encrypted bytes, which passes on the plain ones.
private final class DecryptingSink: ImageSink {
  private(set) var count = 0
  private let image: ImageObject
  private let identity: AgeIdentity
  private let sink: any ImageSink
  private var decryptor: AgeDecryptor

  init(_ image: ImageObject, _ identity: AgeIdentity, _ sink: any ImageSink) {
    (self.image, self.identity, self.sink) = (image, identity, sink)
    decryptor = AgeDecryptor(identity)
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    try reporting { try decryptor.append(bytes, to: sink.append) }
    count += bytes.count
  }

  func finish() throws { try reporting { try decryptor.finish(to: sink.append) } }

  func restart() throws {
    (count, decryptor) = (0, AgeDecryptor(identity))
    try sink.restart()
  }

  private func reporting(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch is AgeDecryptor.Failure {
      try restart()
      throw StoreError.corruptBlob(image.id, FilePath(image.id.description))
    }
  }
}
