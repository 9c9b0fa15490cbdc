internal import CairnDocument
internal import CairnGit
internal import CairnIndex
internal import CairnStore
public import CairnSync
public import SystemPackage

extension Dataset {
  /// Imports documents of any kind but the manifest, one a line in JSON, as one commit.
  ///
  /// What a line leaves out is filled in where that can be; a document that stands already is joined
  /// with what comes. Nothing is imported when a line is wrong, unless the options say otherwise:
  /// the report has its number and why.
  public func importDocuments(
    _ input: FileDescriptor, options: ImportOptions = ImportOptions()
  ) throws(CairnError) -> ImportReport {
    try edit("import documents") { session in
      try importDocuments(input, options: options, session: session)
    }
  }

  func importDocuments(
    _ input: FileDescriptor, options: ImportOptions, session: EditSession
  ) throws -> ImportReport {
    var options = options
    let feed = options.isRehearsal ? nil : try indexFeed()
    options.onDocuments = feed?.take
    defer { feed?.cancel() }
    let report = try replica.importDocuments(input, options: options, session: session)
    if report.isToldWhole, let feed, let id = report.commit {
      let repository = replica.repository
      let commit = try repository.commit(id)
      // git may have moved the branch since the feed began.
      if try repository.tree(ofCommit: commit.parents.first) == feed.base {
        feed.finish(tree: commit.tree.description)
      }
    }
    return report
  }

  /// Returns a feed for the index, where it knows all that is committed.
  private func indexFeed() throws -> IndexFeed? {
    let tree = try replica.repository.tree(ofCommit: replica.repository.head())
    guard let index = unchangedIndex(),
      let (indexed, overlay) = try? index.read({ (try $0.tree(), try $0.overlay()) }),
      overlay.isEmpty, try directory.journaledPaths().isEmpty
    else { return nil }
    if let indexed { return indexed == tree?.description ? IndexFeed(index, over: tree) : nil }
    // Of a dataset that has been started just now, it knows all there is: nothing.
    let isEmpty = try !replica.repository.tree(tree).entries.contains(where: \.node.isDirectory)
    return isEmpty ? IndexFeed(index, over: tree) : nil
  }
}
