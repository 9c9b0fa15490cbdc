public import CairnGit
public import SystemPackage

extension Replica {
  /// Adds a remote; a path is kept absolute.
  public func addRemote(
    _ name: String, _ address: String, creating: Bool, relativeTo base: FilePath
  ) throws {
    guard !name.hasPrefix("-"), try repository.isRemoteName(name) else {
      throw SyncError.invalidRemoteName(name)
    }
    if try repository.remoteURL(name) != nil { throw SyncError.remoteExists(name) }
    guard DirectoryRemote.isDirectory(address) else {
      guard address.hasPrefix("file://") else { throw SyncError.unsupportedAddress(address) }
      return try repository.addRemote(name, url: address)
    }
    let path = base.pushing(FilePath(address)).lexicallyNormalized()
    if creating { try Replica.createBare(path, world: world) }
    try repository.addRemote(name, url: path.string)
  }

  /// Returns the trees of the last commits here and on the remote's branch, without moving anything.
  public func trees(with remote: String) throws -> (here: ObjectID?, there: ObjectID?) {
    let (_, remote) = try openRemote(remote)
    return (
      try repository.tree(ofCommit: repository.head()),
      try remote.repository.tree(ofCommit: remote.repository.reference(try branch()))
    )
  }

  /// Returns how far this copy and its remote were apart when they last met; nil when they never
  /// did.
  public func exchangeState() throws -> (remote: String, ahead: Int, behind: Int)? {
    let branch = try branch().dropFirst("refs/heads/".count)
    let names = try repository.remoteNames()
    let remote =
      try repository.configuration("branch.\(branch).remote")
      ?? (names.count == 1 ? names[0] : "origin")
    guard let head = try repository.head(),
      let theirs = try repository.reference("refs/remotes/\(remote)/\(branch)")
    else { return nil }
    let (ahead, behind) = try repository.aheadBehind(head, theirs)
    return (remote, ahead, behind)
  }
}
