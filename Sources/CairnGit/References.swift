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

  /// Returns the name of the branch that is checked out, such as `refs/heads/main`; nil when HEAD
  /// names a commit directly.
  public func headBranch() throws(GitError) -> String? {
    var head: OpaquePointer?
    try check(git_reference_lookup(&head, handle, "HEAD"), "read HEAD")
    defer { git_reference_free(head) }
    return git_reference_symbolic_target(head).map { String(cString: $0) }
  }

  /// Returns the commit that is checked out; nil in a repository without commits.
  public func head() throws(GitError) -> ObjectID? { try reference("HEAD") }

  /// Moves a ref from `old` (nil: it must not exist) to `new` under its lock, as git itself does.
  ///
  /// - Parameter log: Who moves it and why, for the reflog.
  /// - Throws: ``ReferenceError`` when the ref is not where it was expected, or stays locked.
  public func moveReference(
    _ name: String, from old: ObjectID?, to new: ObjectID, log: (by: Signature, message: String)
  ) throws {
    let path = commonDirectory.appending(name.split(separator: "/").map { FilePath.Component(String($0))! })
    let lock = FilePath(path.string + ".lock")
    try files.createDirectory(path.removingLastComponent())
    try createLockFile(lock, Array("\(new)\n".utf8))
    do {
      let actual = try reference(name)
      guard actual == old else { throw ReferenceError.moved(name: name, actual: actual) }
      try files.rename(lock, to: path)
    } catch {
      try? files.remove(lock)
      throw error
    }
    try appendReflog(name, from: old, to: new, log)
  }

  /// Makes a lock file, waiting up to ten seconds for another process to remove its own.
  func createLockFile(_ lock: FilePath, _ bytes: [UInt8]) throws {
    for attempt in 0... {
      do {
        return try files.create(lock, bytes, durable: true, exclusive: true)
      } catch {
        guard error.code == .fileExists else { throw error }
        if attempt == 100 { throw ReferenceError.locked(lock) }
        sleepMilliseconds(100)
      }
    }
  }

  private func appendReflog(
    _ name: String, from old: ObjectID?, to new: ObjectID, _ log: (by: Signature, message: String)
  ) throws {
    if isBare { return }
    let line = "\(old ?? .zero) \(new) \(log.by.text)\t\(log.message)\n"
    var logs = [commonDirectory.appending("logs").pushing(FilePath(name))]
    if try headBranch() == name { logs.append(gitDirectory.appending("logs/HEAD")) }
    for log in logs {
      try files.createDirectory(log.removingLastComponent())
      try files.append(Array(line.utf8), to: log)
    }
  }
}
