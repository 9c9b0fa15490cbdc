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
  /// - Parameter patience: How long to wait for another process to remove its lock, in milliseconds.
  /// - Throws: ``ReferenceError`` when the ref is not where it was expected, or stays locked.
  public func moveReference(
    _ name: String, from old: ObjectID?, to new: ObjectID, log: (by: Signature, message: String),
    patience: Int = lockPatience
  ) throws {
    try checkName(name)
    let path = commonDirectory.appending(name.split(separator: "/").map { FilePath.Component(String($0))! })
    let lock = FilePath(path.string + ".lock")
    try files.createDirectory(path.removingLastComponent())
    try createLockFile(lock, Array("\(new)\n".utf8), patience: patience)
    do {
      let actual = try reference(name)
      guard actual == old else { throw ReferenceError.moved(name: name, actual: actual) }
      // As git does: under the lock, so that lines stand in the order of the moves.
      try appendReflog(name, from: old, to: new, log)
      try files.rename(lock, to: path)
    } catch {
      try? files.remove(lock)
      throw error
    }
  }

  /// Refuses names that would lie outside the refs, or that git could not read back.
  private func checkName(_ name: String) throws(GitError) {
    var isValid: CInt = 0
    try check(git_reference_name_is_valid(&isValid, name), "check the name \(name)")
    guard isValid == 1, !name.utf8.contains(0) else {
      throw GitError(.other, "“\(name)” is not a name that a ref can have")
    }
  }

  /// How long a lock file of another process is waited for, in milliseconds.
  public static var lockPatience: Int { 10_000 }

  /// Makes a lock file, waiting for another process to remove its own.
  func createLockFile(
    _ lock: FilePath, _ bytes: [UInt8], patience: Int = lockPatience
  ) throws {
    let pause = 100
    var waited = 0
    while true {
      do {
        return try files.create(lock, bytes, durable: true, exclusive: true)
      } catch {
        guard error.code == .fileExists else { throw error }
        if waited >= patience { throw ReferenceError.locked(lock) }
        sleepMilliseconds(UInt32(pause))
        waited += pause
      }
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
