internal import CairnBase
internal import CairnDocument
internal import CairnGit
internal import CairnIndex
internal import CairnStore
public import CairnSync
public import SystemPackage

extension Dataset {
  /// Imports documents of any kind except the manifest, as one commit, from JSON with one document
  /// per line.
  ///
  /// Missing members are filled in where possible; a document that already exists is merged with
  /// the imported one. An invalid line stops the import unless the options say to skip it; the
  /// report has its line number and the reason.
  @discardableResult
  public func importDocuments(
    _ input: FileDescriptor, options: ImportOptions = ImportOptions()
  ) throws(CairnError) -> ImportReport {
    try edit("import documents", needsPerson: true) { session in
      try importDocuments(input, options: options, session: session)
    }
  }

  func importDocuments(
    _ input: FileDescriptor, options: ImportOptions, session: EditSession
  ) throws -> ImportReport {
    returnLargeBlocks()
    Repository.keepLittleInMemory()
    let loader = options.isDryRun ? nil : try indexLoader()
    defer { loader?.cancel() }
    let report = try replica.importDocuments(
      input, options: options, session: session, onDocuments: loader?.take)
    if report.reportedAllDocuments, let loader, let id = report.commit {
      let repository = replica.repository
      let commit = try repository.commit(id)
      // git may have moved the branch since the load began.
      if try repository.tree(ofCommit: commit.parents.first) == loader.base {
        loader.finish(tree: commit.tree.description)
      }
    }
    return report
  }

  /// Returns a loader for the index; nil unless the index is up to date with the last commit.
  private func indexLoader() throws -> IndexLoader? {
    let tree = try replica.repository.tree(ofCommit: replica.repository.head())
    guard let index = unchangedIndex(),
      let (indexed, overlay) = try? index.read({ (try $0.tree(), try $0.overlay()) }),
      overlay.isEmpty, try directory.journaledPaths().isEmpty
    else { return nil }
    if let indexed { return indexed == tree?.description ? IndexLoader(index, over: tree) : nil }
    // A newly created dataset has no documents, so an empty index is complete.
    let isEmpty = try !replica.repository.tree(tree).entries.contains(where: \.node.isDirectory)
    return isEmpty ? IndexLoader(index, over: tree) : nil
  }
}
