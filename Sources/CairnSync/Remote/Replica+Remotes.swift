package import CairnGit
internal import CairnTransport
package import SystemPackage

extension Replica {
  /// Adds a remote; a path is stored as an absolute path.
  package func addRemote(
    _ name: String, _ address: String, creating: Bool, relativeTo base: FilePath
  ) throws {
    try checkNewName(name)
    let stored = try checkedAddress(address, relativeTo: base)
    if creating {
      guard RemoteAddress.isDirectory(address) else { throw SyncError.notCreatable(stored) }
      try Replica.createBare(FilePath(stored), environment: environment)
    }
    try repository.addRemote(name, url: stored)
  }

  /// Renames a remote of this copy.
  package func renameRemote(_ name: String, to other: String) throws {
    guard try repository.remoteURL(name) != nil else { throw SyncError.noRemote(name) }
    try checkNewName(other)
    try repository.renameRemote(name, to: other)
    forgetExchange(with: name)
  }

  /// Changes the address of a remote; a path is stored as an absolute path.
  package func setAddress(
    ofRemote name: String, _ address: String, relativeTo base: FilePath
  ) throws {
    guard try repository.remoteURL(name) != nil else { throw SyncError.noRemote(name) }
    let stored = try checkedAddress(address, relativeTo: base)
    let key = "remote.\(name).url"
    try repository.setConfiguration([(key, nil), (key, stored)])
  }

  private func checkNewName(_ name: String) throws {
    guard !name.hasPrefix("-"), try repository.isRemoteName(name) else {
      throw SyncError.invalidRemoteName(name)
    }
    if try repository.remoteURL(name) != nil { throw SyncError.remoteExists(name) }
  }

  /// Returns an address as it is stored.
  private func checkedAddress(_ address: String, relativeTo base: FilePath) throws -> String {
    if case .web(let web) = try Remote.parsed(address), web.password != nil {
      throw SyncError.passwordInAddress(web.text)
    }
    return try Remote.stored(address, relativeTo: base)
  }

  /// Returns the trees of the last commits here and on the remote's branch, without moving refs.
  package func trees(with remote: String) throws -> (here: ObjectID?, there: ObjectID?) {
    let (name, remote) = try openRemote(remote)
    defer { remote.git.close() }
    let here = try repository.tree(ofCommit: repository.head())
    let references = try remote.git.references(for: .fetching)
    guard let theirs = references[try branch()] else {
      return (here, try repository.tree(ofCommit: nil))
    }
    try fetchObjects(
      theirs, from: remote, named: name, endingAt: references.historyEnds,
      tracking: tracking(name, try branch()))
    return (here, try repository.tree(ofCommit: theirs))
  }

  /// Returns how far this copy and its remote had diverged at the last exchange; nil when there was
  /// none, or when no branch is checked out.
  package func exchangeState() throws -> (remote: String, ahead: Int, behind: Int)? {
    guard let branch = try repository.headBranch()?.dropFirst("refs/heads/".count) else {
      return nil
    }
    let names = try repository.remoteNames()
    let remote =
      try repository.configuration("branch.\(branch).remote")
      ?? (names.count == 1 ? names[0] : "origin")
    return try exchangeState(with: remote)
  }

  /// Returns how far this copy and a remote had diverged at the last exchange; nil when there was
  /// none, or when no branch is checked out.
  package func exchangeState(
    with remote: String
  ) throws -> (remote: String, ahead: Int, behind: Int)? {
    guard let branch = try repository.headBranch()?.dropFirst("refs/heads/".count) else {
      return nil
    }
    guard let head = try repository.head(),
      let theirs = try repository.reference("refs/remotes/\(remote)/\(branch)")
    else { return nil }
    do {
      let (ahead, behind) = try repository.aheadBehind(head, theirs)
      return (remote, ahead, behind)
    } catch let error as GitError where error.code == .incomplete {
      // A shallow clone that is offline cannot count commits.
      return nil
    }
  }
}
