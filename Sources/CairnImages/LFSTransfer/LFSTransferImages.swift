package import CairnStore
package import CairnTransport
internal import SystemPackage

/// An image store on a machine with `git-lfs-transfer`, which transfers images over ssh without a web
/// server, as git-lfs 3 does.
///
/// Source: git-lfs, docs/proposals/ssh_adapter.md.
package struct LFSTransferImages: ImageRemote {
  private let server: LFSTransferServer

  /// Starts the program at an address; nil if the machine does not have it.
  ///
  /// - Parameters:
  ///   - branch: The pushed or fetched branch, which a server may have rules for.
  ///   - isRequired: Whether to throw instead of returning nil.
  /// - Throws: ``TransportError``.
  package init?(
    _ address: SSHAddress, _ direction: ImageDirection, branch: String? = nil,
    isRequired: Bool = false, _ context: TransportContext, environment: Environment
  ) throws {
    server = LFSTransferServer(address, branch: branch, context, environment)
    do {
      try server.sessions(direction).withSession { _ in }
    } catch let error as TransferError {
      let cause = error.cause
      guard [.noProgram, .serverError, .protocolViolation].contains(cause.kind) else { throw cause }
      guard isRequired else { return nil }
      throw TransportError(
        .noImageStore, cause.address, "it has no git-lfs-transfer: \(cause.reason)")
    }
  }

  package var address: String { server.address.text }
  package var batchSize: Int { 100 }
  /// One ssh connection each, as ``SFTPImages/connections``.
  package var connections: Int { 4 }

  package func connect() throws -> any ImageConnection { LFSTransferConnection(server) }
}

/// A machine with `git-lfs-transfer`, and the sessions with it.
private final class LFSTransferServer: Sendable {
  let address: SSHAddress
  let branch: String?
  let environment: Environment
  /// The program is started for one direction.
  private let uploads, downloads: SSHSessionPool<LFSTransferSession>

  init(
    _ address: SSHAddress, branch: String?, _ context: TransportContext, _ environment: Environment
  ) {
    (self.address, self.branch, self.environment) = (address, branch, environment)
    func sessions(_ direction: ImageDirection) -> SSHSessionPool<LFSTransferSession> {
      SSHSessionPool(address, isCancelled: context.isCancelled) { isFirst in
        try LFSTransferSession(address, direction, context, mayPrompt: isFirst)
      }
    }
    (uploads, downloads) = (sessions(.upload), sessions(.download))
  }

  func sessions(_ direction: ImageDirection) -> SSHSessionPool<LFSTransferSession> {
    direction == .upload ? uploads : downloads
  }
}

/// A connection to images on such a machine; it takes a session from the pool for each operation.
private final class LFSTransferConnection: ImageConnection {
  private let server: LFSTransferServer

  init(_ server: LFSTransferServer) { self.server = server }

  private var address: String { server.address.text }

  func query(_ direction: ImageDirection, about images: [ImageObject]) throws -> [RemoteStatus] {
    var batch = LFSTransferBatch(now: server.environment.now())
    let branch = server.branch.map { ["refname=\($0)"] } ?? []
    do {
      let arguments = try server.sessions(direction).withSession { session in
        try session.exchange(
          "batch", ["transfer=ssh", "hash-algo=sha256"] + branch,
          lines: images.map { "\($0.id) \($0.size)" }
        ) { try batch.take(LFSTransferSession.text($1)) }
      }
      if let algorithm = arguments["hash-algo"], !["", "sha256"].contains(algorithm) {
        throw LFSTransferBatch.Malformed(
          reason: "it identifies objects by a hash other than SHA-256")
      }
    } catch let malformed as LFSTransferBatch.Malformed {
      throw TransferError(
        TransportError(.protocolViolation, address, malformed.reason), scope: .remote)
    }
    return images.map { batch.status(of: $0, direction, at: address) }
  }

  func send(
    _ image: ImageObject, from file: FilePath, _ action: TransferAction, progress: (Int) -> Void
  ) throws {
    guard let action = action.ssh else { throw TransferError.irreplaceable(image, address) }
    let source = try HashVerifyingReader(image, at: file)
    try server.sessions(.upload).withSession { session in
      try session.send("put-object \(image.id)", action.arguments(for: image)) {
        let piece = try source.next()
        progress(piece?.count ?? 0)
        return piece
      }
      _ = try session.exchange("verify-object \(image.id)", action.arguments(for: image))
    }
  }

  /// The protocol has no way to request a part of an image.
  func receive(_ image: ImageObject, into partial: any ImageSink, _ action: TransferAction) throws {
    guard let action = action.ssh else { return }
    if partial.count > 0 { try partial.restart() }
    _ = try server.sessions(.download).withSession { session in
      try session.exchange(
        "get-object \(image.id)", action.arguments(for: image), expecting: image.size
      ) { try $1.withUnsafeBytes(partial.append) }
    }
  }

  func erase(_ image: ImageObject) throws -> RemoteErasure {
    try has(image) ? .kept : .erased
  }

  func has(_ image: ImageObject) throws -> Bool { try needsNoUpload(of: image) }
}
