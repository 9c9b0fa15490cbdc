internal import CairnFiles
internal import CLibgit2
public import SystemPackage

/// Why a ref was not moved.
public enum ReferenceError: Error, Equatable, Sendable {
  /// It has another value than was expected: somebody else moved it.
  case moved(name: String, actual: ObjectID?)
  /// Another process holds its lock file.
  case locked(FilePath)
}

extension Repository {
  /// Returns the commit that a ref names, at the end of symbolic refs; nil when there is none.
  public func reference(_ name: String) throws(GitError) -> ObjectID? {
    var oid = git_oid()
    let status = git_reference_name_to_id(&oid, handle, name)
    if status == GIT_ENOTFOUND.rawValue { return nil }
    try check(status, "read \(name)")
    return ObjectID(oid)
  }

  /// Returns all refs, by their full names, with what they name at the end of symbolic refs.
  public func references() throws(GitError) -> [String: ObjectID] {
    var names = git_strarray()
    try check(git_reference_list(&names, handle), "list the refs")
    defer { git_strarray_dispose(&names) }
    var references: [String: ObjectID] = [:]
    for index in 0..<names.count {
      let name = String(cString: names.strings[index]!)
      references[name] = try reference(name)
    }
    return references
  }

  /// Returns the name of the branch that is checked out, such as `refs/heads/main`; nil when HEAD
  /// names a commit directly.
  public func headBranch() throws(GitError) -> String? {
    var head: OpaquePointer?
    try check(git_reference_lookup(&head, handle, "HEAD"), "read HEAD")
    defer { git_reference_free(head) }
    return git_reference_symbolic_target(head).map { String(cString: $0) }
  }

  /// Makes `branch` the one that is checked out, without touching a work tree.
  public func setHeadBranch(_ branch: String) throws(GitError) {
    try check(git_repository_set_head(handle, branch), "set HEAD to \(branch)")
  }

  /// Returns the commit that is checked out; nil in a repository without commits.
  public func head() throws(GitError) -> ObjectID? { try reference("HEAD") }

  /// Moves a ref from `old` (nil: it must not exist) to `new` under its lock, as git itself does.
  ///
  /// - Parameter log: Who moves it and why, for the reflog.
  /// - Parameter patience: How long to wait for another process to remove its lock, in milliseconds.
  /// - Throws: ``ReferenceError`` when the ref is not where it was expected, or stays locked.
  public func moveReference(
    _ name: String, from old: ObjectID?, to new: ObjectID, log: (by: Signature, message: String),
    patience: Int = lockPatience
  ) throws {
    try checkName(name)
    let path = commonDirectory.appending(
      name.split(separator: "/").map { FilePath.Component(String($0))! })
    let lock = FilePath(path.string + ".lock")
    try files.createDirectory(path.removingLastComponent())
    let held = try takeLock(lock, patience: patience)
    try withExtendedLifetime(held) {
      let actual = try reference(name)
      guard actual == old else { throw ReferenceError.moved(name: name, actual: actual) }
      // As git does: under the lock, so that lines stand in the order of the moves.
      try appendReflog(name, from: old, to: new, log)
      try files.write(
        Array("\(new)\n".utf8), to: path, temporary: temporaryFile("ref"), durable: true)
    }
  }

  /// Refuses names that would lie outside the refs, or that git could not read back.
  private func checkName(_ name: String) throws(GitError) {
    guard Repository.isReferenceName(name) else {
      throw GitError(.other, "“\(name)” is not a name that a ref can have")
    }
  }

  /// True when git would take `name` for the full name of a ref, such as `refs/heads/main`.
  public static func isReferenceName(_ name: String) -> Bool {
    _ = LibGit2.isStarted
    var isValid: CInt = 0
    return git_reference_name_is_valid(&isValid, name) == 0 && isValid == 1
      && !name.utf8.contains(0)
  }

  /// How long a lock file of another process is waited for, in milliseconds.
  public static var lockPatience: Int { 10_000 }

  /// Takes a lock as git does, waiting for another process to release it.
  func takeLock(_ path: FilePath, patience: Int = lockPatience) throws -> LockFile {
    let pause = 20
    var waited = 0
    while true {
      if let lock = try LockFile.take(path, files: files) { return lock }
      if waited >= patience { throw ReferenceError.locked(path) }
      sleepMilliseconds(UInt32(pause))
      waited += pause
    }
  }

  /// A name for a file on its way to another one, at the top of the git directory, where git looks
  /// for nothing.
  func temporaryFile(_ what: String) -> FilePath {
    commonDirectory.appending(TemporaryName.make(what))
  }

  /// Removes what a crash left of files on their way.
  public func removeTemporaryFiles() throws {
    for name in try files.list(commonDirectory) ?? [] where TemporaryName.isAbandoned(name) {
      try files.removeTree(commonDirectory.appending(name))
    }
  }

  private func appendReflog(
    _ name: String, from old: ObjectID?, to new: ObjectID, _ log: (by: Signature, message: String)
  ) throws {
    if isBare { return }
    let message = log.message.split(whereSeparator: \.isNewline).joined(separator: " ")
    let line = "\(old ?? .zero) \(new) \(log.by.text)\t\(message)\n"
    var logs = [commonDirectory.appending("logs").pushing(FilePath(name))]
    if try headBranch() == name { logs.append(gitDirectory.appending("logs/HEAD")) }
    for log in logs {
      try files.createDirectory(log.removingLastComponent())
      try files.append(Array(line.utf8), to: log)
    }
  }
}
