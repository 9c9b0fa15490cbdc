package import CairnDocument
package import CairnGit
internal import CairnMerge
internal import CairnStore

extension Replica {
  /// Returns the current user's signature: the author of the environment, otherwise as git would
  /// sign a commit made now, from the usual environment variables or the configuration.
  ///
  /// - Throws: ``SyncError/noIdentity`` when git has no name or no email address, and none is given
  ///   when the environment asks for them.
  package func author() throws -> Signature { try signature("author") }

  func committer() throws -> Signature { try signature("committer") }

  /// Returns the signature for entries of reflogs, which stay in this copy: the committer's, or,
  /// as with git, that of the user of this machine while git knows no name and no email address. An
  /// erased person stays unnamed.
  func logSignature() throws -> Signature {
    let login = loginName()
    let user =
      try knownSignature("committer")
      ?? signature(Author(name: login, email: "\(login)@\(hostName())"))
    guard let address = FactEraser(try erasedFacts()).replacement(ofAddress: user.email) else {
      return user
    }
    return Signature(
      name: HistoryRewrite.erasedName, email: address, time: user.time, offset: user.offset)
  }

  private func signature(_ role: String) throws -> Signature {
    if let known = try knownSignature(role) { return known }
    guard let author = environment.onMissingIdentity() else { throw SyncError.noIdentity }
    return signature(author)
  }

  /// Returns a signature without asking for it; nil if the name or the email address is unknown.
  private func knownSignature(_ role: String) throws -> Signature? {
    if let author = environment.author { return signature(author) }
    let settings = try repository.settings(git: environment.git)
    func value(_ key: String) -> String? {
      environmentVariable("GIT_\(role)_\(key)".uppercased()) ?? settings["\(role).\(key)"]
        ?? settings["user.\(key)"]
    }
    guard let name = value("name"), let email = value("email") ?? environmentVariable("EMAIL")
    else { return nil }
    return signature(Author(name: name, email: email))
  }

  private func signature(_ author: Author) -> Signature {
    let now = environment.now() / 1000
    return Signature(
      name: author.name, email: author.email, time: now, offset: localOffset(at: now))
  }

  /// Returns the current user as an annotator.
  package func person() throws -> Annotator {
    guard let annotator = Annotator(email: try author().email) else { throw SyncError.noIdentity }
    return annotator
  }

  /// Asks for the current user, unless git knows them, before the write lock keeps others waiting.
  package func askForPerson() { if knownPerson() == nil { _ = try? author() } }

  /// Asks for the current user, unless git knows them or there is nothing to commit.
  package func askForPersonToCommit() {
    guard knownPerson() == nil, let state = try? workingState(), !state.changes.isEmpty else {
      return
    }
    askForPerson()
  }

  /// Returns the current user as an annotator, without asking; nil if git does not know the user.
  package func knownPerson() -> Annotator? {
    (try? knownSignature("author")).flatMap { Annotator(email: $0.email) }
  }
}
