internal import CairnFiles
internal import CLibgit2
package import SystemPackage

/// The reason that a ref was not moved.
package enum ReferenceError: Error, Equatable, Sendable {
  /// The ref does not have the expected value: another process moved it.
  case moved(name: String, actual: ObjectID?)
  /// Another process holds its lock file.
  case locked(FilePath)
}

extension Repository {
  /// Returns the commit that a ref resolves to; nil when the ref does not exist.
  package func reference(_ name: String) throws(GitError) -> ObjectID? {
    var oid = git_oid()
    let status = git_reference_name_to_id(&oid, handle, name)
    if status == GIT_ENOTFOUND.rawValue { return nil }
    try check(status, "read \(name)")
    return ObjectID(oid)
  }

  /// Returns all refs by full name, with the objects that they resolve to. As in git, broken ones,
  /// such as empty files after a power cut, are left out.
  package func references() throws(GitError) -> [String: ObjectID] {
    var references: [String: ObjectID] = [:]
    for name in try referenceNames() { references[name] = (try? reference(name)) ?? nil }
    return references
  }

  func referenceNames() throws(GitError) -> [String] {
    var names = git_strarray()
    try check(git_reference_list(&names, handle), "list the refs")
    defer { git_strarray_dispose(&names) }
    return (0..<names.count).map { String(cString: names.strings[$0]!) }
  }

  /// Returns the name of the checked-out branch, such as `refs/heads/main`; nil when HEAD is
  /// detached. If the branch is a symbolic ref, it is the branch that this names: git moves that.
  package func headBranch() throws(GitError) -> String? {
    guard let branch = try symbolicTarget(of: "HEAD") else { return nil }
    return try resolvedName(of: branch)
  }

  /// Returns the ref that a symbolic ref names in the end; `name` itself if it is not symbolic.
  func resolvedName(of name: String) throws(GitError) -> String {
    var resolved = name
    // git follows at most five.
    for _ in 0..<5 {
      guard let target = try symbolicTarget(of: resolved) else { break }
      resolved = target
    }
    return resolved
  }

  /// Returns the ref that a symbolic ref names; nil if `name` does not exist or names an object.
  func symbolicTarget(of name: String) throws(GitError) -> String? {
    var reference: OpaquePointer?
    let status = git_reference_lookup(&reference, handle, name)
    // Without a commit, the branch does not exist yet.
    if status == GIT_ENOTFOUND.rawValue, name != "HEAD" { return nil }
    try check(status, "read \(name)")
    defer { git_reference_free(reference) }
    return git_reference_symbolic_target(reference).map { String(cString: $0) }
  }

  /// Returns the name, such as `main`, of the branch that was checked out before HEAD was detached;
  /// nil if HEAD's reflog does not name one that exists, and there is not exactly one.
  package func previousBranch() throws -> String? {
    let prefix = "refs/heads/"
    let branches = try referenceNames().filter { $0.hasPrefix(prefix) }
      .map { String($0.dropFirst(prefix.count)) }
    let log = try files.read(gitDirectory.appending("logs/HEAD")) ?? []
    for line in String(decoding: log, as: UTF8.self).split(separator: "\n").reversed() {
      guard let move = line.firstRange(of: "\tcheckout: moving from ") else { continue }
      let name = String(line[move.upperBound...].prefix { $0 != " " })
      if branches.contains(name) { return name }
    }
    return branches.count == 1 ? branches[0] : nil
  }

  /// Returns the objects that a ref named before, newest first, as far as its reflog goes back.
  package func earlierValues(of name: String) throws -> [ObjectID] {
    let directory = name == "HEAD" ? gitDirectory : commonDirectory
    let log = directory.appending("logs").pushing(FilePath(name))
    return try (files.read(log) ?? []).split(separator: UInt8(ascii: "\n")).reversed().compactMap {
      ObjectID(String(decoding: $0.prefix(40), as: UTF8.self))
    }
  }

  /// Makes `branch` the checked-out branch without changing a work tree.
  package func setHeadBranch(_ branch: String) throws {
    try setSymbolicReference("HEAD", to: branch)
  }

  func setSymbolicReference(_ name: String, to target: String) throws {
    for name in [name, target] { try checkName(name) }
    let path = (name == "HEAD" ? gitDirectory : commonDirectory).pushing(FilePath(name))
    try files.createDirectory(above: path)
    try withLock(path) {
      try files.write(
        Array("ref: \(target)\n".utf8), to: path, temporary: temporaryFile("head"), durable: true)
    }
  }

  /// Returns the commit that HEAD resolves to; nil in a repository without commits.
  package func head() throws(GitError) -> ObjectID? { try reference("HEAD") }

  /// Moves a ref from `old` (nil: it must not exist) to `new` under its lock, as git does; moves
  /// the ref that a symbolic one names.
  ///
  /// - Parameter log: The author and the reason of the move, for the reflog.
  /// - Parameter timeout: The time to wait for another process to release the lock, in
  ///   milliseconds.
  /// - Throws: ``ReferenceError`` when the ref does not have the expected value or stays locked.
  package func moveReference(
    _ name: String, from old: ObjectID?, to new: ObjectID, log: (by: Signature, message: String),
    timeout: Int = lockTimeout
  ) throws {
    try checkName(name)
    let target = try resolvedName(of: name)
    if target != name {
      // Throws if symbolic refs name each other.
      _ = try reference(name)
      return try moveReference(target, from: old, to: new, log: log, timeout: timeout)
    }
    let path = commonDirectory.pushing(FilePath(name))
    try files.createDirectory(above: path)
    try withLock(path, timeout: timeout) {
      let actual = try reference(name)
      guard actual == old else { throw ReferenceError.moved(name: name, actual: actual) }
      // As in git, written under the lock so that the lines are in the order of the moves.
      try appendReflog(name, from: old, to: new, log)
      // Removed branches such as `main/x` may have left empty directories.
      try files.removeEmptyTree(path)
      try files.write(
        Array("\(new)\n".utf8), to: path, temporary: temporaryFile("ref"), durable: true)
    }
  }

  /// Removes refs and their reflogs, first from `packed-refs`, so that no ref reappears with an
  /// older value.
  package func removeReferences(_ names: [String]) throws {
    if names.isEmpty { return }
    for name in names { try checkName(name) }
    let packed = commonDirectory.appending("packed-refs")
    try withLock(packed) {
      if let bytes = try files.read(packed) {
        let rest = Repository.packedReferences(bytes, without: Set(names))
        if rest.count < bytes.count {
          try files.write(rest, to: packed, temporary: temporaryFile("refs"), durable: true)
        }
      }
      for name in names {
        let path = commonDirectory.pushing(FilePath(name))
        let log = commonDirectory.appending("logs").pushing(FilePath(name))
        try files.createDirectory(above: path)
        try withLock(path) {
          try files.remove(path)
          try files.remove(log)
        }
        files.removeEmptyDirectories(above: path, upTo: commonDirectory.appending("refs"))
        files.removeEmptyDirectories(above: log, upTo: commonDirectory.pushing("logs/refs"))
      }
    }
  }

  /// Returns the text of `packed-refs` without the given refs and the lines that belong to them:
  /// `^` and the commit of a tag.
  private static func packedReferences(_ bytes: [UInt8], without names: Set<String>) -> [UInt8] {
    var isRemoved = false
    return Array(
      bytes.split(separator: UInt8(ascii: "\n")).filter { line in
        if line.first != UInt8(ascii: "^") {
          let name = line.split(separator: UInt8(ascii: " "), maxSplits: 1).last
          isRemoved = names.contains(String(decoding: name ?? [], as: UTF8.self))
        }
        return !isRemoved
      }.map { $0 + [UInt8(ascii: "\n")] }.joined())
  }

  /// Throws for names that would lie outside the refs, or that git could not read back.
  private func checkName(_ name: String) throws(GitError) {
    guard Repository.isReferenceName(name) else {
      throw GitError(.other, "“\(name)” is not a valid ref name")
    }
  }

  /// Returns whether git accepts `name` as the full name of a ref, such as `refs/heads/main`.
  package static func isReferenceName(_ name: String) -> Bool {
    _ = LibGit2.isStarted
    var isValid: CInt = 0
    return git_reference_name_is_valid(&isValid, name) == 0 && isValid == 1
      && !name.utf8.contains(0)
  }

  /// The default time to wait for another process's lock file, in milliseconds.
  package static var lockTimeout: Int { 10_000 }

  /// Runs `body` under the lock that git takes to replace the file at `path`: `path.lock`.
  func withLock<Value>(
    _ path: FilePath, timeout: Int = lockTimeout, _ body: () throws -> Value
  ) throws -> Value {
    let lock = try acquireLock(FilePath(path.string + ".lock"), timeout: timeout)
    return try withExtendedLifetime(lock) { try body() }
  }

  /// Takes a lock as git does, waiting for another process to release it.
  func acquireLock(_ path: FilePath, timeout: Int = lockTimeout) throws -> GitLockFile {
    try Repository.acquireLock(
      path, unnamed: temporaryFile("lock"), files: files, timeout: timeout)
  }

  /// - Parameter unnamed: A temporary path on the same disk.
  static func acquireLock(
    _ path: FilePath, unnamed: FilePath, files: FileSystem, timeout: Int = lockTimeout
  ) throws -> GitLockFile {
    let pause = 20
    var waited = 0
    while true {
      if let lock = try GitLockFile.acquire(path, unnamed: unnamed, files: files) { return lock }
      if waited >= timeout { throw ReferenceError.locked(path) }
      sleepMilliseconds(UInt32(pause))
      waited += pause
    }
  }

  /// Takes a lock as git does; returns nil when another process holds it.
  func tryLock(_ path: FilePath) throws(FileError) -> GitLockFile? {
    try GitLockFile.acquire(path, unnamed: temporaryFile("lock"), files: files)
  }

  /// Returns a temporary path at the top of the git directory, which git ignores.
  func temporaryFile(_ what: String) -> FilePath {
    commonDirectory.appending(TemporaryName.make(what))
  }

  /// Removes leftovers of processes of cairn that were killed on this machine: temporary files, and
  /// locks that would block git.
  package func removeTemporaryFiles() throws {
    for name in try files.list(commonDirectory) ?? [] where TemporaryName.isAbandoned(name) {
      try files.removeTree(commonDirectory.appending(name))
    }
    for directory in Set([commonDirectory, gitDirectory]) + [objectsDirectory] {
      try removeDeadLocks(in: directory)
    }
    try removeDeadLocks(in: commonDirectory.appending("refs"), isDeep: true)
  }

  private func removeDeadLocks(in directory: FilePath, isDeep: Bool = false) throws {
    for name in try files.list(directory) ?? [] {
      let path = directory.appending(name)
      if name.hasSuffix(".lock") {
        GitLockFile.removeIfDead(path)
      } else if isDeep, try files.status(path)?.kind == .directory {
        try removeDeadLocks(in: path, isDeep: true)
      }
    }
  }

  private func appendReflog(
    _ name: String, from old: ObjectID?, to new: ObjectID, _ log: (by: Signature, message: String)
  ) throws {
    let setting = try configuration("core.logAllRefUpdates")
    guard try setting.map({ try $0 == "always" || isTrue($0) }) ?? !isBare else { return }
    let message = log.message.split(whereSeparator: \.isNewline).joined(separator: " ")
    let line = "\(old ?? .zero) \(new) \(log.by.text)\t\(message)\n"
    var logs = [commonDirectory.appending("logs").pushing(FilePath(name))]
    if try headBranch() == name {
      logs.append(gitDirectory.pushing("logs/HEAD"))
    }
    for log in logs {
      try files.createDirectory(above: log)
      try files.removeEmptyTree(log)
      try files.append(Array(line.utf8), to: log)
    }
  }
}
