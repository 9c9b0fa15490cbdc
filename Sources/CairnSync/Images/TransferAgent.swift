internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnImages
package import CairnStore
internal import CairnTransport
package import SystemPackage

/// A transfer agent for git-lfs: it transfers images between a clone made by git and the image store
/// of a remote, which need not be a Git LFS server.
///
/// git-lfs starts it and sends one JSON object on a line for each image. Source: Git LFS,
/// docs/custom-transfers.md, “Standalone transfer agents”.
package struct TransferAgent {
  private let replica: Replica
  /// Returns a message for people.
  private let text: (any Error) -> String
  private var remote: Remote?
  private var transfer: ImageTransfer?
  private var direction = ImageDirection.download

  /// Creates the agent of the dataset that contains `path`.
  package init(
    at path: FilePath, environment: Environment, text: @escaping (any Error) -> String
  ) throws {
    (replica, self.text) = (try Replica.open(path, environment: environment), text)
  }

  /// The maximum size of a line of input, in bytes.
  private static let lineLimit = 1 << 20

  /// Responds to git-lfs's requests until it ends the exchange.
  package mutating func serve(_ input: FileDescriptor, _ output: FileDescriptor) throws {
    var lines = InputLines(input, limit: TransferAgent.lineLimit)
    while let line = try lines.next() {
      guard let request = try? JSON(bytes: line) else { continue }
      let response: JSONObject
      switch request["event"]?.string {
      case "init": response = open(request)
      case "upload", "download": response = move(request)
      case "terminate": return
      default: continue
      }
      try output.writeAll(Array(JSON.object(response).line.utf8))
    }
  }

  private func failure(_ error: any Error) -> JSON {
    ["code": 1, "message": .string(text(error))]
  }

  /// Opens the image store of the remote that a request names.
  private mutating func open(_ request: JSON) -> JSONObject {
    do {
      direction = request["operation"]?.string == "upload" ? .upload : .download
      let (opened, settings) = try replica.openImageRemote(
        request["remote"]?.string ?? "origin", direction)
      let branch = try replica.repository.headBranch() ?? "refs/heads/main"
      let store = try opened.images(direction, settings, branch: branch)
      transfer = try replica.transfer(with: store)
      remote = opened
      return [:]
    } catch {
      return ["error": failure(error)]
    }
  }

  /// Transfers an image, and returns the response.
  private func move(_ request: JSON) -> JSONObject {
    let text = request["oid"]?.string ?? ""
    var response: JSONObject = ["event": "complete", "oid": .string(text)]
    do {
      guard let transfer, let id = PhotoID(text), let size = request["size"]?.int, size >= 0 else {
        throw TransportError(.protocolViolation, "git-lfs", "its request is invalid")
      }
      let image = Pointer(id: id, size: size)
      let isUpload = direction == .upload
      if try replica.isErased(id) {
        // A push goes on without an image that nobody is to have.
        if isUpload { return response }
        throw StoreError.erasedBlob(id)
      }
      let report = try isUpload ? transfer.send([image]) : transfer.receive([image])
      if let cause = report.cause { throw cause }
      if !report.missing.isEmpty { throw SyncError.missingImage(id) }
      if !isUpload { response["path"] = .string(try copy(of: id).string) }
    } catch {
      response["error"] = failure(error)
    }
    return response
  }

  /// Returns a file with an image, which git-lfs moves to where it keeps it.
  private func copy(of id: PhotoID) throws -> FilePath {
    let files = replica.environment.files
    let directory = replica.directory.blobs.directory.appending("tmp")
    try files.createDirectory(directory)
    let copy = directory.appending("\(id)-\(TemporaryName.make("agent"))")
    try files.share(replica.directory.blobs.path(of: id), at: copy)
    return copy
  }
}

extension Replica {
  /// Configures git-lfs in this clone to transfer images with a program.
  package func configureTransferAgent(_ program: FilePath?) throws {
    let isFound = environment.findProgram("cairn") != nil
    let path = isFound ? "cairn" : program?.string ?? "cairn"
    try repository.setConfiguration([
      ("lfs.standalonetransferagent", "cairn"), ("lfs.customtransfer.cairn.path", path),
      ("lfs.customtransfer.cairn.args", "lfs-agent"),
    ])
  }

  /// Opens a remote by its name or its address, for its images.
  fileprivate func openImageRemote(
    _ name: String, _ direction: ImageDirection
  ) throws -> (remote: Remote, settings: GitSettings) {
    let settings = try imageSettings(at: repository.head())
    let transport: GitSettings.Direction = direction == .upload ? .pushing : .fetching
    let address = try repository.remoteURL(name, for: transport)
    let opened = address ?? settings.rewritten(name, for: transport)
    let known = address == nil ? settings.remoteName(of: opened, for: transport) : name
    let remote = try Remote(
      opened, named: known,
      settings: repository.settings(), in: repository, relativeTo: directory.root,
      credentials: credentials, environment: environment)
    return (remote, settings)
  }
}

extension GitSettings {
  /// Returns the remote with a URL, or with the same repository under another one; its settings apply
  /// to the URL.
  fileprivate func remoteName(of url: String, for direction: Direction) -> String? {
    let addresses = remoteNames.map { ($0, address(ofRemote: $0, for: direction) ?? "") }
    let shared = (try? RemoteAddress(url))?.sharedName
    let same =
      addresses.first { $0.1 == url }
      ?? addresses.first { shared != nil && (try? RemoteAddress($0.1))?.sharedName == shared }
    return same?.0
  }
}

/// The lines of a stream, read as they arrive.
private struct InputLines {
  private let input: FileDescriptor
  private let limit: Int
  private var pending: [UInt8] = []

  init(_ input: FileDescriptor, limit: Int) { (self.input, self.limit) = (input, limit) }

  /// Returns the next line without its newline; nil at the end, or when a line is too long.
  mutating func next() throws -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        defer { pending.removeFirst(end + 1) }
        return Array(pending[..<end])
      }
      guard pending.count < limit else { return nil }
      let count = try buffer.withUnsafeMutableBytes { try input.read(into: $0) }
      if count == 0 { return nil }
      pending += buffer[..<count]
    }
  }
}
