internal import CLibgit2

extension Repository {
  /// Returns the commit that `revision` resolves to in git: `HEAD~2`, `main`, `origin/main`, a tag,
  /// the first digits of an id.
  ///
  /// Source: gitrevisions(7), “Specifying revisions”.
  /// - Throws: ``GitError`` with `.notFound` when it resolves to no commit, with `.ambiguous` when
  ///   it is a prefix of several ids.
  package func commit(named revision: String) throws(GitError) -> ObjectID {
    guard !revision.isEmpty, !revision.utf8.contains(0) else {
      throw GitError(.notFound, "“\(revision)” is not a revision")
    }
    var object: OpaquePointer?
    let parse = { git_revparse_single(&object, self.handle, revision) }
    try find(try mayNeedHistory(revision) ? completing(parse) : parse(), revision)
    defer { git_object_free(object) }
    var commit: OpaquePointer?
    try find(git_object_peel(&commit, object, GIT_OBJECT_COMMIT), revision)
    defer { git_object_free(commit) }
    return ObjectID(git_object_id(commit).pointee)
  }

  /// Returns whether a revision may refer to a commit that a shallow clone lacks: by an id or as an
  /// ancestor of another. The refs of branches and tags are always present.
  private func mayNeedHistory(_ revision: String) -> Bool {
    revision.contains { "~^:@".contains($0) }
      || (revision.utf8.count >= 4 && revision.allSatisfy(\.isHexDigit))
  }

  /// Maps invalid revision syntax, reflogs that do not go back far enough, and objects that do not
  /// peel to a commit to `.notFound`.
  private func find(_ status: CInt, _ revision: String) throws(GitError) {
    let code = git_error_code(status)
    let isOfReference =
      code == GIT_ERROR && git_error_last()?.pointee.klass == Int32(GIT_ERROR_REFERENCE.rawValue)
    if isOfReference || code == GIT_EINVALIDSPEC || code == GIT_EPEEL {
      throw GitError(.notFound, "“\(revision)” is not a commit")
    }
    try check(status, "find the commit “\(revision)”")
  }
}
