package import CairnDocument
package import SystemPackage

/// An error of a fetch, merge, push or other operation on a dataset's repository.
package enum SyncError: Error, Equatable, Sendable {
  /// git has no name or email address for the current user.
  case noIdentity
  /// HEAD does not name a branch; with the one that was checked out before, if that is known.
  case detachedHead(previous: String?)
  /// Another branch was checked out while the remote's commits were fetched.
  case branchSwitched(from: String, to: String)
  /// git is in the middle of an operation; the `resolved` documents were in conflict and are
  /// merged.
  case unfinished(InterruptedGitOperation, resolved: [String])
  case noRemote(String?)
  /// There are several remotes, and none of them is the branch's own or called `origin`.
  case ambiguousRemote([String], branch: String)
  /// The remote no longer has the branch that was exchanged with it before; with its default branch,
  /// and whether a local branch is called so.
  case branchGone(remote: String, branch: String, default: String?, exists: Bool)
  case remoteExists(String)
  case invalidRemoteName(String)
  /// An address of an unsupported kind.
  case unsupportedAddress(String, reason: String)
  /// An image URL of an unsupported kind.
  case unsupportedImageURL(String, reason: String)
  /// The address contains a password, which everyone could read in git's configuration.
  case passwordInAddress(String)
  /// The image URL contains a password, which everyone who has the dataset could read.
  case passwordInImageURL(String)
  /// The image store given as a remote's is this copy's own.
  case ownImageStore(String)
  /// The images at this URL are encrypted to a public key whose private key is not here.
  case noImageKey(String, key: String, reason: String)
  /// This copy encrypts the images of a remote, and the dataset names another key or a store without
  /// encryption; nil for the remote's own store.
  case encryptionChanged(String, url: String?)
  /// This copy encrypts the images of a remote, and the address of no remote would get them as they are.
  case unencryptedAddress(String, remote: String)
  /// The value of a setting is not a rate of transfers.
  case invalidRate(key: String, String)
  /// The images of a remote are not encrypted.
  case notEncrypted(String)
  /// A file of keys for encrypted images cannot be used.
  case invalidKeyFile(String, reason: String)
  /// The dataset's `.lfsconfig` does not parse.
  case invalidImageURLs(line: Int)
  /// A repository can only be created in a directory.
  case notCreatable(String)
  case unreachable(String, reason: String)
  /// The directory of an image store is missing.
  case imageStoreUnreachable(String, reason: String)
  /// Nobody has pushed there yet.
  case emptyRemote(String)
  /// The remote's HEAD names none of its several branches.
  case noDefaultBranch(String, branches: [String])
  /// The dataset here has no commit yet.
  case nothingCommitted
  /// The remote is a repository, but its branch holds no dataset.
  case remoteNotADataset(String)
  /// The manifest at the remote does not parse, and neither does any earlier version.
  case invalidRemoteManifest(String, DocumentError)
  /// The remote has commits that are not here.
  case notFastForward(remote: String)
  /// The remote rejected these commits, by a hook or a protected branch; with its messages.
  case refused(remote: String, reason: String, messages: [String])
  /// The remote rejected a commit with a path that git refuses; with its messages.
  case refusedPath(RefusedPath, remote: String, messages: [String])
  /// The remote has a commit with a path that git refuses, and git's settings ask for a check.
  case refusedPathAtRemote(RefusedPath, remote: String)
  /// The remote could not move its branch at the moment; with its messages.
  case busy(remote: String, reason: String, messages: [String])
  /// The two histories have no common ancestor.
  case unrelated(remote: String)
  /// An image of the commits to push is neither in this copy nor at the remote.
  case missingImage(PhotoID)
  case destinationExists(FilePath)
  /// These files have staged changes that are not committed.
  case staged([String])
  /// The branch is checked out in a work tree that cairn cannot update; with the command that frees
  /// it, if there is one.
  case checkedOutElsewhere(FilePath, remedy: String?)
  /// Every attempt to push lost to another push.
  case raced(remote: String, attempts: Int)
}
