internal import CairnDocument
internal import CairnMerge
internal import CairnStore
internal import CairnSync
public import SystemPackage

/// The commands that git runs for a dataset: the image filters, the merge driver, and the text form
/// of documents for diffs.
///
/// git runs them as commands of the program that a ``Dataset`` was opened with (`command:`):
/// `lfs clean`, `lfs smudge`, `lfs filter-process`, `merge-driver %O %A %B %P` and `textconv`.
///
/// Source: gitattributes(5), “filter”, “Defining a custom merge driver”, “Performing text diffs of
/// binary files”.
public enum GitCommands {
  /// Reads an image, stores it and writes its Git LFS pointer; a pointer passes through.
  ///
  /// - Parameter directory: The directory that git runs the command in.
  public static func clean(
    in directory: FilePath, _ input: FileDescriptor, _ output: FileDescriptor
  ) throws(CairnError) {
    try translating { try filter(in: directory).clean(input, output) }
  }

  /// Reads a Git LFS pointer and writes its image; the input passes through if it is not a pointer,
  /// or the image is not on this disk.
  ///
  /// - Parameter directory: The directory that git runs the command in.
  public static func smudge(
    in directory: FilePath, _ input: FileDescriptor, _ output: FileDescriptor
  ) throws(CairnError) {
    try translating { try filter(in: directory).smudge(input, output) }
  }

  /// Filters many images over git's filter process protocol, until git ends it.
  ///
  /// - Parameter directory: The directory that git runs the command in.
  public static func filterProcess(
    in directory: FilePath, _ input: FileDescriptor, _ output: FileDescriptor
  ) throws(CairnError) {
    try translating { try filter(in: directory).serve(input, output) }
  }

  private static func filter(in directory: FilePath) throws -> ImageFilter {
    var filter = try ImageFilter(at: directory, environment: .machine)
    filter.onErased = { id in
      let message = "cairn: \(CairnError(StoreError.erasedBlob(id)).message)\n"
      _ = try? FileDescriptor.standardError.writeAll(Array(message.utf8))
    }
    return filter
  }

  /// Transfers images for git-lfs between this copy and a remote's image store, which need not be a
  /// Git LFS server, until git-lfs ends it.
  ///
  /// Source: Git LFS, docs/custom-transfers.md.
  public static func transferAgent(
    in directory: FilePath, _ input: FileDescriptor, _ output: FileDescriptor
  ) throws(CairnError) {
    try translating {
      var agent = try TransferAgent(at: directory, environment: .machine) {
        CairnError($0).message
      }
      try agent.serve(input, output)
    }
  }

  /// Configures git-lfs in the clone that contains a directory to call ``transferAgent(in:_:_:)``.
  ///
  /// - Parameter program: The path of the `cairn` program, if it is not found by its name.
  public static func configureTransferAgent(
    in directory: FilePath, program: FilePath?
  ) throws(CairnError) {
    try translating {
      try Replica.open(directory, environment: .machine).configureTransferAgent(program)
    }
  }

  /// The result of merging two versions of a document.
  public struct Merge: Equatable, Sendable {
    /// The merged document; nil if it remains a conflict.
    public let bytes: [UInt8]?
    /// What a person should know about it, without a period; nil if both versions were merged.
    public let message: String?
  }

  /// Merges two versions of a document.
  ///
  /// - Parameters:
  ///   - base: The common ancestor; empty if there is none.
  ///   - path: The path of the document in the dataset.
  ///   - gitDirectory: In a rebase, a cherry-pick, a revert or a stash, the `.git` directory, which
  ///     shows when the other version was made; nil in a merge, whose parents show it.
  public static func merge(
    base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8], at path: String,
    replayedIn gitDirectory: FilePath?
  ) -> Merge {
    guard let document = DocumentPath(path), document.kind != nil else {
      return Merge(
        bytes: nil, message: "\(path) is not a document of a dataset; resolve it yourself")
    }
    let time = gitDirectory.map {
      GitReplay.authorTime(in: $0, environment: .machine) ?? GitReplay.now(in: .machine)
    }
    let merge = DocumentMerge(
      base: base.isEmpty ? nil : base, ours, theirs, madeAt: time, at: document)
    switch merge {
    case .merged(let bytes): return Merge(bytes: bytes, message: nil)
    case .kept where isMisplaced(ours, at: document) || isMisplaced(theirs, at: document):
      // git mistook two labels for one that was renamed. Merging them here would lose one of them.
      return Merge(
        bytes: nil, message: "\(path): git mixed up two documents; `cairn commit` separates them")
    case .kept(let bytes, let error):
      return Merge(
        bytes: bytes, message: "\(path): one side does not parse (\(error)); kept the other")
    case .broken(_, let error):
      return Merge(bytes: nil, message: "\(path): neither side parses (\(error))")
    }
  }

  private static func isMisplaced(_ bytes: [UInt8], at path: DocumentPath) -> Bool {
    (try? Document(bytes: bytes)).map { $0.path != path } ?? false
  }

  /// Returns a document as text, one fact per line; nil if the bytes are not a document.
  public static func text(ofDocument bytes: [UInt8]) -> [String]? {
    (try? DocumentSummary(bytes: bytes))?.lines
  }
}
