public import CairnDocument
public import CairnGit
public import CairnMerge
internal import CairnStore
public import CairnSync

/// The differences in one photo and its labels, or in one document that belongs to no photo.
public struct DiffGroup: Sendable {
  /// The photo that all changes belong to; nil for classes, pins, runs and the manifest.
  public let photo: PhotoID?
  /// The title of the photo, or the name of its source file; nil when neither is known.
  public let name: String?
  /// The changes, document by document.
  public let changes: [DocumentChange]
}

/// The number of differences between two states of a dataset.
public struct DiffReport: Sendable {
  /// The commit that was compared, in hexadecimal; nil for the empty state before the first commit.
  public let from: String?
  /// Nil for the work tree.
  public let to: String?
  /// The number of documents that were added, changed and deleted, by kind.
  public fileprivate(set) var counts: [DocumentChange.Kind: [DocumentKind: Int]] = [:]
  /// The number of photos with differences.
  public fileprivate(set) var photos = 0
  /// Problems that would keep files of the work tree out of a commit; empty between two commits.
  public let problems: [WorkingProblem]
}

extension Dataset {
  /// Compares two states of the dataset, given as git revisions, document by document.
  ///
  /// The cost is proportional to the differences. They are reported as they are found: photo by
  /// photo, then classes, pins, runs and the manifest; only a few photos' differences are in memory
  /// at once.
  /// - Parameters:
  ///   - from: A commit; nil for the last one.
  ///   - to: A commit; nil for the work tree.
  ///   - photo: Limits the comparison to this photo and its labels.
  ///   - visit: Called for each group of differences; nil to only count them.
  /// - Throws: ``CairnError/Kind/notFound`` or ``CairnError/Kind/ambiguous`` when `from` or `to`
  ///   matches no commit, or several.
  public func diff(
    _ from: String? = nil, _ to: String? = nil, photo: PhotoID? = nil,
    _ visit: ((DiffGroup) throws -> Void)? = nil
  ) throws(CairnError) -> DiffReport {
    let head = try translating { try replica.repository.head() }
    let old = try from.map(commitID) ?? head
    let new = try to.map(commitID)
    return try translating {
      let working = new == nil ? try replica.workingState() : nil
      let comparison = Comparison(
        replica, try replica.repository.tree(ofCommit: old),
        try replica.repository.tree(ofCommit: new ?? head), working: working?.changes ?? [])
      let naming = DisplayNames(comparison.bytes(at:)).naming
      let problems = (working?.problems ?? []).filter { problem in
        photo.map { DocumentPath(problem.path)?.photo == $0 } ?? true
      }
      var report = DiffReport(
        from: old?.description, to: new?.description, problems: problems)
      func take(_ photo: PhotoID?, _ differences: [Comparison.Difference]) throws {
        for difference in differences {
          guard let kind = difference.path.kind else { continue }
          report.counts[difference.kind, default: [:]][kind, default: 0] += 1
        }
        if photo != nil { report.photos += 1 }
        try visit?(group(photo, differences, in: comparison, naming))
      }
      if let photo {
        let differences = try comparison.differences(of: photo)
        if !differences.isEmpty { try take(photo, differences) }
      } else {
        try comparison.forEach(take)
      }
      return report
    }
  }

  private func group(
    _ photo: PhotoID?, _ differences: [Comparison.Difference], in comparison: Comparison,
    _ naming: DocumentChange.Naming
  ) throws -> DiffGroup {
    let changes = try differences.map { difference in
      DocumentChange(
        try comparison.bytes(difference.old), try comparison.bytes(difference.new),
        at: difference.path, naming: naming)
    }
    let document = try photo.flatMap { id in
      let own = differences.first { $0.path == .photo(id) }
      return try comparison.bytes(at: .photo(id)) ?? comparison.bytes(own?.old)
    }.flatMap { try? Photo(bytes: $0) }
    return DiffGroup(
      photo: photo, name: document.map(\.name).flatMap { $0.isEmpty ? nil : $0 }, changes: changes)
  }

  /// Returns the commit that git resolves `revision` to.
  public func commitID(_ revision: String) throws(CairnError) -> ObjectID {
    do throws(GitError) {
      return try replica.repository.commit(named: revision)
    } catch {
      switch error.code {
      case .notFound where revision.contains(".."):
        throw CairnError(
          .notFound, "“\(revision)” is not a single commit.",
          hint: "Give the two commits separately: `cairn diff HEAD~1 HEAD`.")
      case .notFound:
        throw CairnError(
          .notFound, "There is no commit “\(revision)” here.",
          hint: "`cairn log` lists them; HEAD~1 is the one before the last.")
      case .ambiguous:
        throw CairnError(
          .ambiguous, "“\(revision)” matches several commits.", hint: "Give more digits.")
      default: throw CairnError(error)
      }
    }
  }
}
