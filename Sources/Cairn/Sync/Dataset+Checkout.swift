public import CairnDocument
internal import CairnGit
internal import CairnStore
public import CairnSync

/// The documents to check out as files in the work tree. All others can still be read, labeled,
/// merged and committed.
public enum SparseSelection: Equatable, Sendable {
  /// All documents.
  case all
  /// Only the files at the top.
  case none
  /// These photos, with their labels and images, and all other photos in the same directories.
  case photos([PhotoID])
  /// Directories of the dataset, and photos by id prefix (2 digits or more).
  case paths([String])
}

extension Dataset {
  /// The directories that are checked out, sorted; nil when all are.
  public var checkedOutDirectories: [String]? { replica.sparseCone?.directories.sorted() }

  /// Sets the sparse checkout of the dataset, as `git sparse-checkout` does.
  ///
  /// - Parameter isAdded: Whether to keep the current checkout and add to it.
  @discardableResult
  public func checkOut(
    _ selection: SparseSelection, isAdded: Bool = false
  ) throws(CairnError) -> SparseReport {
    try edit("checkout") { session in
      let repository = replica.repository
      var cone = try selection.cone(
        in: repository.tree(ofCommit: repository.head()), of: repository)
      if isAdded, let added = cone?.directories {
        cone = replica.sparseCone.map { SparseCone(directories: $0.directories.union(added)) }
      }
      return try replica.checkOutSparse(cone, session: session)
    }
  }
}

extension SparseSelection {
  /// Returns the selection as git's sparse-checkout cone; nil for all.
  func cone(in tree: ObjectID?, of repository: Repository) throws -> SparseCone? {
    func exists(_ directory: String) throws -> Bool {
      try repository.node(at: directory, in: tree)?.isDirectory ?? false
    }
    switch self {
    case .all: return nil
    case .none: return SparseCone(directories: [])
    case .photos(let ids):
      return SparseCone(
        directories: ids.flatMap { SparseSelection.directories(of: $0.description) })
    case .paths(let names):
      return SparseCone(
        directories: try names.flatMap { text -> [String] in
          let name = text.split(separator: "/").joined(separator: "/")
          if try !name.isEmpty && exists(name) { return [name] }
          let isPrefix = 2...64 ~= name.utf8.count && name.allSatisfy(\.isHexDigit)
          let directories = isPrefix ? SparseSelection.directories(of: name.lowercased()) : []
          guard try directories.contains(where: exists) else {
            throw CairnError(
              .notFound,
              "There is no directory “\(text)” in this dataset, and no photo id starts with it.",
              hint: "`git ls-tree --name-only HEAD` shows the directories at the top.")
          }
          return directories
        })
    }
  }

  /// Returns the directories of the photos whose ids begin with `prefix`.
  private static func directories(of prefix: String) -> [String] {
    let shard = prefix.prefix(2) + (prefix.count < 4 ? "" : "/" + prefix.dropFirst(2).prefix(2))
    return ["photos", "images", "labels"].map { top in
      top == "labels" && prefix.count == 64 ? "\(top)/\(shard)/\(prefix)" : "\(top)/\(shard)"
    }
  }
}
