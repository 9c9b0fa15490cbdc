internal import SystemPackage
internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnIndex
internal import CairnPhotos
internal import CairnSources
internal import CairnStore
internal import CairnSync
internal import CairnTransport

/// An error for people: a message, a hint, and a kind that determines the exit code.
public struct CairnError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A kind of error. Kinds are stable; programs may rely on them and on their exit codes.
  public enum Kind: String, Sendable, CaseIterable {
    /// The path is not in a dataset.
    case notADataset = "not-a-dataset"
    /// The dataset needs a later version of cairn.
    case newerFormat = "newer-format"
    /// A repository that cairn cannot use, such as one that uses SHA-256.
    case unsupported
    /// A document of the dataset is invalid.
    case invalidDocument = "invalid-document"
    /// A value, query or file that was read but cannot be used, such as a number out of range or a
    /// malformed name.
    case invalidInput = "invalid-input"
    /// A file is not an image that cairn supports, or is damaged.
    case invalidImage = "invalid-image"
    /// A name, id, path or query that matches nothing: there is no such photo, pin, class, run,
    /// labeler, remote, source, split, commit or file.
    case notFound = "not-found"
    /// A name or an id that matches several things.
    case ambiguous
    /// Something with this name already exists.
    case exists
    /// git's configuration has no name or no email address.
    case noIdentity = "no-identity"
    /// A command line that cannot be run: an unknown command or option, a missing argument, options
    /// that exclude or require each other, or a word that an option does not know.
    case usage
    /// An edit requires confirmation.
    case unconfirmed
    /// Another process is writing to the dataset or to its repository.
    case locked
    /// A git operation, such as a rebase, must be finished first.
    case unfinished
    /// A file cannot be read or written.
    case fileSystem = "file-system"
    /// A disk is full.
    case noSpace = "no-space"
    /// The permissions of a file do not allow it.
    case permission
    /// An error of git for which there is no other kind.
    case git
    /// The dataset has no remote.
    case noRemote = "no-remote"
    /// A remote or service cannot be reached, or does not respond as expected.
    case unreachable
    /// `sync` has committed, and cannot reach the remote.
    case offline
    /// A server does not accept the credentials.
    case authentication
    /// A server's certificate or host key cannot be trusted.
    case untrusted
    /// A remote refuses a push, or forbids access.
    case refused
    /// A branch was moved in the meantime.
    case notFastForward = "not-fast-forward"
    /// Two histories have no common commit.
    case unrelated
    /// Data does not match its hash, or the git repository is damaged.
    case corrupt
    /// An image is not on this disk.
    case missingImage = "missing-image"
    /// An image, or a fact about a photo, was erased for good.
    case erased
    /// The operation was canceled.
    case cancelled
    /// A bug in cairn.
    case internalError = "internal"

    /// The exit code of the command, after sysexits.h.
    public var exitCode: Int32 {
      switch self {
      case .usage, .unconfirmed: 64
      case .invalidDocument, .invalidInput, .invalidImage, .corrupt: 65
      case .notFound, .ambiguous, .missingImage, .erased, .noRemote: 66
      case .offline: 68
      case .unreachable: 69
      case .internalError, .git: 70
      case .exists, .noSpace: 73
      case .fileSystem: 74
      case .locked, .notFastForward, .unfinished, .cancelled: 75
      case .newerFormat, .unsupported, .unrelated: 76
      case .permission, .authentication, .untrusted, .refused: 77
      case .notADataset, .noIdentity: 78
      }
    }
  }

  /// The kind, which does not change between versions.
  public let kind: Kind
  /// One sentence that names the thing and the cause.
  public let message: String
  /// A suggestion for the next step, if there is one.
  public let hint: String?
  /// The line of input with the position of the error, if there is one.
  public let excerpt: Excerpt?

  /// A line of input with the position of an error.
  public struct Excerpt: Equatable, Sendable {
    /// The line, without a line break.
    public let line: String
    /// The offset in characters, from 0; one past the last character if something is missing at the
    /// end.
    public let column: Int
  }

  /// Creates an error, such as for a program's own commands on a dataset.
  public init(_ kind: Kind, _ message: String, hint: String? = nil, excerpt: Excerpt? = nil) {
    (self.kind, self.message, self.hint, self.excerpt) = (kind, message, hint, excerpt)
  }

  public var description: String { message }
}

extension CairnError {
  /// Translates an error of a lower layer. Lower layers throw errors of their own, which only this
  /// initializer translates.
  public init(_ error: any Error) {
    switch error {
    case let error as CairnError: self = error
    case let error as StoreError: self.init(store: error)
    case let error as SyncError: self.init(sync: error)
    case let error as TransportError: self.init(transport: error)
    case let error as SourceError: self.init(source: error)
    case let error as FileError: self.init(file: error)
    case let error as GitError: self.init(git: error)
    case let error as DocumentError:
      self.init(.invalidDocument, "A document is invalid: \(error).")
    case let error as ReferenceError: self.init(reference: error)
    case is IndexBusy:
      self.init(
        .locked, "Another process is updating the index of this dataset.",
        hint: "Try again when that process has finished.")
    case is CancellationError: self.init(.cancelled, "The operation was stopped.")
    case let error as Errno: self.init(file: FileError("write", "a file", error))
    default: self.init(.internalError, "Unexpected error: \(error).")
    }
  }

  private init(store error: StoreError) {
    switch error {
    case .notADataset(let path):
      self.init(
        .notADataset, "\(path) is not in a cairn dataset.",
        hint: "Create one with `cairn init`, or name its directory with `-C DIR`.")
    case .locked(let path, let holder):
      self.init(
        .locked, "Another process is writing to this dataset: \(holder ?? "unknown").",
        hint: "Try again when that process has finished (lock file: \(path)).")
    case .invalidDocument(let path, let error) where error.kind == .newerFormat:
      self.init(
        .newerFormat, "This dataset needs a later version of cairn (\(path): \(error.message)).",
        hint: "Install the latest cairn.")
    case .invalidDocument(let path, let error):
      self.init(
        .invalidDocument, "\(path) is invalid: \(error).",
        hint: "Fix it in an editor, or restore it with `git checkout -- ':/\(path)'`.")
    case .symbolicLink(let path):
      self.init(
        .invalidInput, "\(path) is a symbolic link; cairn does not follow links in a dataset.",
        hint: "Replace it with a directory.")
    case .unsafePath(let path):
      self.init(.invalidInput, "“\(path)” is not a valid path in a dataset.")
    case .corruptBlob(let id, let path):
      self.init(
        .corrupt,
        "The image \(id.short)… at \(path) is damaged: its SHA-256 does not match its id.",
        hint: "Remove the file, then run `cairn images fetch`.")
    case .missingBlob(let id):
      self.init(
        .missingImage, "The image \(id.short)… is not on this disk.",
        hint: "`cairn images fetch` fetches it.")
    case .erasedBlob(let id):
      self.init(
        .erased, "The image \(id.short)… was erased, so cairn does not store it again.",
        hint: "`cairn photo show \(id.short)` shows who erased it, when and why.")
    }
  }

  private init(file error: FileError) {
    switch error.code {
    case .noSpace:
      self.init(
        .noSpace, "The disk is full: \(error).", hint: "Free some space, then try again.")
    case .readOnlyFileSystem:
      self.init(
        .permission, "The disk is read-only: \(error).",
        hint: "Mount it as writable, or unlock its write-protect switch.")
    case .permissionDenied, .notPermitted:
      self.init(
        .permission, "No permission: \(error).",
        hint: "Check who owns it: `ls -ld \(shellArgument(error.path.string))`.")
    case .noSuchFileOrDirectory:
      self.init(.notFound, "There is no file \(error.path).")
    default: self.init(.fileSystem, "File system error: \(error).")
    }
  }

  private init(git error: GitError) {
    switch error.code {
    case .ownership:
      self.init(
        .permission, "\(error.message).",
        hint: error.remedy.map { "If you trust it, run `\($0)`." })
    case .unsupported:
      self.init(
        .unsupported, "\(error.message.prefix(1).uppercased() + error.message.dropFirst()).",
        hint: error.remedy.map { "To change this, run `\($0)`." })
    case .incomplete:
      self.init(
        .unreachable, "\(error.message.prefix(1).uppercased() + error.message.dropFirst()).",
        hint: error.remedy.map { "When the remote can be reached, run `\($0)`." })
    case .cancelled: self.init(CancellationError())
    case .noSpace:
      self.init(
        .noSpace, "The disk is full: \(error.message).", hint: "Free some space, then try again."
      )
    case .permission where error.message.lowercased().contains("read-only"):
      self.init(
        .permission, "The disk is read-only: \(error.message).",
        hint: "Mount it as writable, or unlock its write-protect switch.")
    case .permission:
      self.init(
        .permission, "No permission: \(error.message).", hint: "Check who owns it: `ls -ld .git`.")
    case .corrupt:
      self.init(
        .corrupt, "The git repository is damaged: \(error.message).",
        hint: error.remedy.map { "To write it again from the last commit, run `\($0)`." }
          ?? "Run `git fsck`.")
    case .tooDeep:
      self.init(
        .invalidInput, "\(error.message), which is too deep.",
        hint: "The person who committed it can remove it with `git rm -r`.")
    case .locked:
      self.init(
        .locked, "Another git process is running: \(error.message).", hint: "Try again.")
    default: self.init(.git, "git: \(error.message).")
    }
  }

  private init(reference error: ReferenceError) {
    switch error {
    case .moved(let name, _):
      self.init(
        .notFastForward, "Another process moved \(name) in the meantime.", hint: "Try again.")
    case .locked(let path):
      self.init(
        .locked, "Another git process holds the lock \(path).",
        hint: "If no git process is running, remove it: `rm \(shellArgument(path.string))`.")
    }
  }
}
