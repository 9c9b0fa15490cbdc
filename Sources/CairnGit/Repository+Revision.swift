internal import CLibgit2

extension Repository {
  /// Returns the commit that `revision` means to git: `HEAD~2`, `main`, `origin/main`, a tag, the
  /// first digits of an id.
  ///
  /// Source: gitrevisions(7), “Specifying revisions”.
  /// - Throws: ``GitError`` with `.notFound` when it means no commit, with `.ambiguous` when it is
  ///   the beginning of several ids.
  public func commit(named revision: String) throws(GitError) -> ObjectID {
    guard !revision.isEmpty, !revision.utf8.contains(0) else {
      throw GitError(.notFound, "“\(revision)” is not a revision")
    }
    var object: OpaquePointer?
    try find(git_revparse_single(&object, handle, revision), revision)
    defer { git_object_free(object) }
    var commit: OpaquePointer?
    try find(git_object_peel(&commit, object, GIT_OBJECT_COMMIT), revision)
    defer { git_object_free(commit) }
    return ObjectID(git_object_id(commit).pointee)
  }

  /// Turns what does not follow git's grammar, reflogs that do not go back so far, and objects that
  /// no commit belongs to, into what was not found.
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
