public import CairnDocument
public import SystemPackage

/// Why histories could not be brought together.
public enum SyncError: Error, Equatable, Sendable {
  /// git knows no name or address for whoever is at work.
  case noIdentity
  /// HEAD names no branch.
  case detachedHead
  /// git is in the middle of something, “rebase”; these documents that it had left in conflict are
  /// joined.
  case unfinished(String, resolved: [String])
  case noRemote(String?)
  case remoteExists(String)
  case invalidRemoteName(String)
  /// An address of a kind that is not spoken.
  case unsupportedAddress(String, reason: String)
  /// A password would lie in git's configuration for everybody to read.
  case passwordInAddress(String)
  /// What was said to be a remote's is where this copy has its images.
  case imagesAreHere(String)
  /// The dataset's `.lfsconfig` does not read.
  case invalidImagePlaces(line: Int)
  /// Only in a directory a repository can be made.
  case notCreatable(String)
  case unreachable(String, reason: String)
  /// Nobody has pushed there yet.
  case emptyRemote(String)
  /// There is a repository, but its branch holds no dataset.
  case remoteNotADataset(String)
  /// The remote has commits that are not here.
  case notFastForward(remote: String)
  /// The remote does not want these commits: a hook or a protected branch, in its own words.
  case refused(remote: String, reason: String, words: [String])
  /// The remote could not move its branch at the moment; in its own words.
  case busy(remote: String, reason: String, words: [String])
  /// The two histories have nothing in common.
  case unrelated(remote: String)
  /// An image of the commits to be pushed is neither here nor there.
  case imageNowhere(PhotoID)
  case destinationExists(FilePath)
  /// git was told to add, change or remove these files, and that is not committed.
  case staged([String])
  /// The branch is checked out in a work tree that is not a dataset's.
  case checkedOutElsewhere(String)
  /// Others kept pushing first.
  case raced(remote: String, attempts: Int)
}
