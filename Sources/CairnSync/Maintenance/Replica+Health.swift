internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import CairnTransport
package import SystemPackage

// What `cairn doctor` asks of a copy. Nothing here writes.

extension Replica {
  /// Returns the lock files of git in this repository, and when they were made, in milliseconds since
  /// 1970. Those that cairn left on this computer are not among them: the next command removes them.
  package func lockFiles() throws -> [(path: FilePath, created: Int64)] {
    let (own, common) = (repository.gitDirectory, repository.commonDirectory)
    let top = Set([own, common].map { $0.lexicallyNormalized() })
    let objects = common.appending("objects")
    return try (top.sorted { $0.string < $1.string } + [objects]).flatMap { try lockFiles(in: $0) }
      + lockFiles(in: common.appending("refs"), isDeep: true)
  }

  private func lockFiles(
    in directory: FilePath, isDeep: Bool = false
  ) throws -> [(path: FilePath, created: Int64)] {
    var found: [(path: FilePath, created: Int64)] = []
    for name in try environment.files.list(directory) ?? [] {
      let path = directory.appending(name)
      guard let status = try environment.files.status(path) else { continue }
      if name.hasSuffix(".lock"), status.kind == .regular, !GitLockFile.isOwn(path) {
        found.append((path, status.modified / 1_000_000))
      } else if isDeep, status.kind == .directory {
        found += try lockFiles(in: path, isDeep: true)
      }
    }
    return found
  }

  /// Returns how many images of the last commit are not on this disk, without those that were dropped
  /// on purpose or erased; nil if `isOver` returns true before they are counted.
  package func missingImages(isOver: () -> Bool) throws -> (missing: Int, total: Int)? {
    struct Over: Error {}
    let left = try droppedImages().union(erasedImages())
    var (missing, total) = (0, 0)
    do {
      try repository.forEachFile(in: headTree(), below: "images") { _, node in
        total += 1
        if total % 256 == 0, isOver() { throw Over() }
        guard node.mode != .submodule, try repository.size(of: node.id) < Pointer.sizeLimit,
          let pointer = Pointer(bytes: try repository.blob(node.id)), !left.contains(pointer.id),
          try directory.blobs.size(of: pointer.id) != pointer.size
        else { return }
        missing += 1
      }
    } catch is Over {
      return nil
    }
    return (missing, total)
  }

  /// Whether pulls fetch images to this copy.
  package var fetchesImages: Bool { wantsImages(TransferOptions()) }

  /// Asks a remote for its branches, without a question to the user.
  ///
  /// - Parameter isOver: Polled while the remote does not answer; true to stop waiting.
  /// - Returns: Whether the remote has the branch that is checked out here, if one is.
  /// - Throws: Why the remote cannot be used; ``TransportError`` with `.cancelled` when it was not
  ///   waited for.
  package func contact(
    _ name: String, isOver: @escaping @Sendable () -> Bool
  ) throws -> Bool {
    var environment = environment
    let isCancelled = environment.isCancelled
    environment.isCancelled = { isOver() || isCancelled() }
    let settings = try repository.settings()
    guard let address = settings.address(ofRemote: name, for: .fetching) else {
      throw SyncError.noRemote(name)
    }
    let remote = try Remote(
      address, named: name, settings: settings, in: repository, relativeTo: directory.root,
      credentials: credentials, mayPrompt: false, environment: environment)
    defer { remote.git.close() }
    let references = try remote.git.references(for: .fetching)
    return try repository.headBranch().map { references[$0] != nil } ?? true
  }
}
