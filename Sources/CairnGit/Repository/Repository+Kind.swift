internal import CairnBase
internal import CairnFiles
internal import LibC
internal import SystemPackage

// Repositories that git itself would open but cairn does not support or this user may not use.

extension Repository {
  /// Returns an error that explains why libgit2 cannot open the repository at `path`; nil when it
  /// is not of an unsupported kind.
  static func unsupported(_ path: FilePath, files: FileSystem) -> GitError? {
    let resolved = files.resolve(path) ?? path
    for directory in [resolved.appending(".git"), resolved] {
      guard let bytes = try? files.read(directory.appending("config")),
        let entries = try? ConfigParser.entries(of: String(decoding: bytes, as: UTF8.self))
      else { continue }
      func value(_ key: String) -> String? { entries.last { $0.key == "extensions." + key }?.value }
      if let format = value("objectformat"), format != "sha1" {
        return GitError(
          .unsupported,
          "the repository at \(resolved) uses the object format \(format); "
            + "cairn supports only sha1",
          remedy: conversion(of: resolved, isBare: directory == resolved, files: files))
      }
      if let storage = value("refstorage"), storage != "files" {
        return GitError(
          .unsupported,
          "the repository at \(resolved) uses the ref storage \(storage); "
            + "cairn supports only files",
          remedy: "git -C \(shellQuoted(resolved.string)) refs migrate --ref-format=files")
      }
    }
    return nil
  }

  /// Returns a command that converts a repository to a SHA-1 copy beside it.
  private static func conversion(of path: FilePath, isBare: Bool, files: FileSystem) -> String {
    let (old, new) = (shellQuoted(path.string), shellQuoted(path.string + "-sha1"))
    let convert = "git -C \(old) fast-export --all | git -C \(new) fast-import --quiet"
    if isBare { return "git init -q --bare --object-format=sha1 \(new) && \(convert)" }
    let head = (try? files.read(path.pushing(".git/HEAD"))) ?? nil
    let text = String(decoding: head ?? [], as: UTF8.self)
    let prefix = "ref: refs/heads/"
    let branch = text.hasPrefix(prefix) ? text.dropFirst(prefix.count).dropLast() : "main"
    return "git init -q --object-format=sha1 \(new) && \(convert) "
      + "&& git -C \(new) checkout -q -f -B \(shellQuoted(String(branch)))"
  }

  /// Throws when the repository belongs to another user and is not listed as a safe directory.
  ///
  /// Source: git's setup.c, `ensure_valid_ownership`; git-config(1), “safe.directory”.
  func checkOwner() throws(GitError) {
    let paths = [workTree, workTree?.appending(".git"), gitDirectory].compactMap { $0 }
    let owners = paths.compactMap { try? files.status($0)?.user }
    guard let owner = owners.first(where: { !Repository.isOwn($0) }) else { return }
    let path = (workTree ?? gitDirectory).lexicallyNormalized()
    let safe = try GitSettings.user().all("safe.directory")
    if safe.contains(where: { isSafe(path, by: $0) }) { return }
    throw GitError(
      .ownership, "\(path) belongs to another user (\(userName(owner)))",
      remedy: "git config --global --add safe.directory \(shellQuoted(path.string))")
  }

  private static func isOwn(_ user: UInt32) -> Bool {
    if user == geteuid() { return true }
    // Under sudo, root also trusts the user who called it.
    return geteuid() == 0 && environmentVariable("SUDO_UID").flatMap { UInt32($0) } == user
  }

  private func isSafe(_ path: FilePath, by value: String) -> Bool {
    var value = value
    if value.hasPrefix("~/"), let home = environmentVariable("HOME") {
      value = home + value.dropFirst()
    }
    if value == "*" { return true }
    if value.hasSuffix("/*") { return path.string.hasPrefix(value.dropLast()) }
    let safePath = FilePath(value).lexicallyNormalized()
    return safePath == path || files.resolve(safePath) == path
  }
}
