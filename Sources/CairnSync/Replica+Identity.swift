public import CairnDocument
public import CairnGit
internal import CairnStore

extension Replica {
  /// Returns who is at work, as git would sign a commit made now: the usual variables, then the
  /// configuration.
  ///
  /// - Throws: ``SyncError/noIdentity`` when git knows no name or no address.
  public func author() throws -> Signature { try signature("GIT_AUTHOR") }

  func committer() throws -> Signature { try signature("GIT_COMMITTER") }

  private func signature(_ prefix: String) throws -> Signature {
    guard
      let name = try environment(prefix + "_NAME") ?? repository.configuration("user.name"),
      let email = try environment(prefix + "_EMAIL") ?? repository.configuration("user.email")
        ?? environment("EMAIL")
    else { throw SyncError.noIdentity }
    let now = world.now() / 1000
    return Signature(name: name, email: email, time: now, offset: localOffset(at: now))
  }

  /// Returns the person at work as an annotator.
  public func person() throws -> Annotator {
    guard let annotator = Annotator(email: try author().email) else { throw SyncError.noIdentity }
    return annotator
  }
}
