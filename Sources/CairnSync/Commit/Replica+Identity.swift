package import CairnDocument
package import CairnGit
internal import CairnStore

extension Replica {
  /// Returns the current user's signature: the author of the environment, otherwise as git would
  /// sign a commit made now, from the usual environment variables or the configuration.
  ///
  /// - Throws: ``SyncError/noIdentity`` when git has no name or no email address, and none is given
  ///   when the environment asks for them.
  package func author() throws -> Signature { try signature("GIT_AUTHOR") }

  func committer() throws -> Signature { try signature("GIT_COMMITTER") }

  private func signature(_ prefix: String) throws -> Signature {
    let now = environment.now() / 1000
    let offset = localOffset(at: now)
    if let author = environment.author {
      return Signature(name: author.name, email: author.email, time: now, offset: offset)
    }
    guard
      let name = try environmentVariable(prefix + "_NAME") ?? repository.configuration("user.name"),
      let email = try environmentVariable(prefix + "_EMAIL") ?? repository.configuration(
        "user.email")
        ?? environmentVariable("EMAIL")
    else {
      guard let author = environment.onMissingIdentity() else { throw SyncError.noIdentity }
      return Signature(name: author.name, email: author.email, time: now, offset: offset)
    }
    return Signature(name: name, email: email, time: now, offset: offset)
  }

  /// Returns the current user as an annotator.
  package func person() throws -> Annotator {
    guard let annotator = Annotator(email: try author().email) else { throw SyncError.noIdentity }
    return annotator
  }
}
