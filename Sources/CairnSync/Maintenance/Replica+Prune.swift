public import CairnDocument
public import CairnGit
internal import CairnMerge
package import CairnStore

/// The result of pruning documents from the current dataset; the history keeps them.
public struct PruneReport: Equatable, Sendable {
  /// The paths that were removed, sorted.
  public internal(set) var paths: [String] = []
  /// The number of documents of each kind.
  public internal(set) var counts: [DocumentKind: Int] = [:]
  /// The commit that removed them; nil when there was nothing to do, or in a dry run.
  public internal(set) var commit: ObjectID?
}

extension Replica {
  /// Removes photos (with their labels) and pins that were removed long ago, and labels that were
  /// withdrawn long ago, from the dataset.
  ///
  /// A device that was away and still refers to one of them restores it when it merges, with the
  /// removal that was pruned (``MergeReport/restored``): no edit is lost, and no removal undone.
  /// - Parameter cutoff: Only documents removed before this time are pruned, in milliseconds since
  ///   1970.
  /// - Parameter isDryRun: Whether to only report what would be pruned.
  package func prune(
    before cutoff: Int64, isDryRun: Bool = false, session: EditSession
  ) throws -> PruneReport {
    // Uncommitted labels and edits count, too.
    if !isDryRun {
      try commit(session: session)
      try leaveOutRefusedPaths(session)
    }
    guard let head = try repository.head() else { return PruneReport() }
    let tree = try isDryRun ? treeWithChanges(since: head) : repository.commit(head).tree
    var report = PruneReport()
    var usedPins = Set<PinID>()
    try forEachDocument(in: tree, below: "photos") { path, document in
      guard case .photo(let photo) = document else { return }
      let gone = try prunableFiles(of: photo, in: tree, before: cutoff)
      if gone.isEmpty, let pin = photo.pin.value { usedPins.insert(pin) }
      report.paths += gone
    }
    let ofPhotos = Set(report.paths)
    var earliest: [PhotoID: Stamp] = [:]
    var withdrawn: [(path: String, label: Label)] = []
    try forEachDocument(in: tree, below: "labels") { path, document in
      guard case .label(let label) = document, !ofPhotos.contains(path) else { return }
      if label.verdict != .withdrawn {
        earliest[label.photo] = min(earliest[label.photo] ?? label.stamp, label.stamp)
      } else if label.stamp.milliseconds < cutoff, !label.stamp.isTimeless {
        withdrawn.append((path, label))
      }
    }
    // A withdrawal may override an earlier label, under another key or email address.
    report.paths += withdrawn.filter { _, label in
      earliest[label.photo].map { $0 > label.stamp } ?? true
    }.map(\.path)
    try forEachDocument(in: tree, below: "pins") { path, document in
      if case .pin(let pin) = document, pin.removed.value,
        pin.removed.stamp.milliseconds < cutoff, !usedPins.contains(pin.id)
      {
        report.paths.append(path)
      }
    }
    report.paths.sort()
    for path in report.paths {
      if let kind = DocumentPath(path)?.kind { report.counts[kind, default: 0] += 1 }
    }
    if report.paths.isEmpty || isDryRun { return report }

    let writer = AdaptiveObjectWriter(repository)
    let pruned = try repository.edit(tree, report.paths.map { ($0, nil) }, writer: writer)
    let commit = try writer.write(
      Commit(
        tree: pruned, parents: [head], author: try author(), committer: try committer(),
        message: "Prune documents removed long ago"))
    try writer.finish()
    _ = try checkOut(commit, from: head, reason: "gc: prune", session: session)
    // The commit's author may be erased.
    rewriteHistoryIfPossible(session)
    report.commit = rewritten(commit)
    return report
  }

  /// Returns a tree with the uncommitted documents, to which no commit refers.
  private func treeWithChanges(since head: ObjectID) throws -> ObjectID {
    let writer = AdaptiveObjectWriter(repository)
    let nodes = try pendingState().changes.map { change -> Repository.TreeChange in
      let id = try change.blob.map { try writer.write(.blob, $0) }
      return (change.path.description, id.map { TreeNode(.file, $0) })
    }
    let tree = try repository.edit(repository.commit(head).tree, nodes, writer: writer)
    try writer.finish()
    return tree
  }

  /// Returns the files of a photo that has not been visible since before `cutoff`; none otherwise.
  private func prunableFiles(of photo: Photo, in tree: ObjectID, before cutoff: Int64) throws
    -> [String]
  {
    guard photo.removed.value, photo.removed.stamp.milliseconds < cutoff else { return [] }
    let directory = DocumentPath.labels(of: photo.id)
    var labels: [Label] = []
    var paths = [DocumentPath.photo(photo.id).description]
    // Whatever stayed in their directory would count as a label of the photo in a merge.
    try repository.forEachFile(in: tree, below: directory) { path, _ in paths.append(path) }
    let image = DocumentPath.image(photo.id, photo.image.format).description
    if try repository.node(at: image, in: tree) != nil { paths.append(image) }
    try forEachDocument(in: tree, below: directory) { path, document in
      if case .label(let label) = document { labels.append(label) }
    }
    let isQuiet = labels.allSatisfy { $0.stamp.milliseconds < cutoff }
    return isQuiet && !Visibility(of: photo, labels: labels).isVisible ? paths : []
  }

  /// Calls `visit` for each document below a path that parses.
  private func forEachDocument(
    in tree: ObjectID, below path: String, _ visit: (String, Document) throws -> Void
  ) throws {
    try repository.forEachFile(in: tree, below: path) { path, node in
      guard let document = DocumentPath(path), document.kind != nil,
        let read = try self.document(of: node, at: document)
      else { return }
      try visit(path, read)
    }
  }
}
