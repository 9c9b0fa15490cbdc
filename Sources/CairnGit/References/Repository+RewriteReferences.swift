internal import CairnFiles
package import SystemPackage

// After its history was rewritten, a repository names the new commits wherever it named the old ones.

extension Repository {
  /// All objects that refs, heads of work trees and reflogs name, as far as they exist.
  package func namedObjects() throws -> Set<ObjectID> {
    var found = Set(try references().values)
    for path in try headFiles() {
      if let id = try files.read(path, limit: 256).flatMap(Repository.id) { found.insert(id) }
    }
    for path in try reflogFiles() {
      for line in try (files.read(path) ?? []).split(separator: UInt8(ascii: "\n")) {
        for id in [Repository.id(line), Repository.id(line.dropFirst(41))] {
          if let id { found.insert(id) }
        }
      }
    }
    return found.filter { contains($0) }
  }

  /// Moves each ref and each detached head to what `map` returns for its object, under its lock. A ref
  /// that another process moves meanwhile stays.
  package func moveReferences(_ map: [ObjectID: ObjectID]) throws {
    for name in try referenceNames() where try resolvedName(of: name) == name {
      guard let old = (try? reference(name)) ?? nil, let new = map[old], new != old else {
        continue
      }
      let path = commonDirectory.pushing(FilePath(name))
      try files.createDirectory(above: path)
      try withLock(path) {
        if try reference(name) != old { return }
        try files.write(
          Array("\(new)\n".utf8), to: path, temporary: temporaryFile("ref"), durable: true)
      }
    }
    for path in try headFiles() {
      guard let old = try files.read(path, limit: 256).flatMap(Repository.id), let new = map[old],
        new != old
      else { continue }
      try withLock(path) {
        try files.write(
          Array("\(new)\n".utf8), to: path, temporary: temporaryFile("head"), durable: true)
      }
    }
  }

  /// Replaces the ids in all reflogs.
  ///
  /// - Parameter edited: Returns a line of a reflog after its ids, with the identity and the message.
  package func rewriteReflogs(
    _ map: [ObjectID: ObjectID], _ edited: (String) -> String
  ) throws {
    for path in try reflogFiles() {
      guard let log = try files.read(path) else { continue }
      var lines: [UInt8] = []
      for line in log.split(separator: UInt8(ascii: "\n")) {
        guard let old = Repository.id(line), let new = Repository.id(line.dropFirst(41)) else {
          continue
        }
        let rest = edited(String(decoding: line.dropFirst(81), as: UTF8.self))
        lines += Array("\(map[old] ?? old) \(map[new] ?? new)\(rest)\n".utf8)
      }
      if lines == log { continue }
      try files.write(lines, to: path, temporary: temporaryFile("log"), durable: true)
    }
  }

  /// Replaces the texts of messages that git has kept in files, such as that of the last commit.
  package func rewriteMessages(_ edited: (String) -> String) throws {
    for (path, text) in try messages() {
      let new = edited(text)
      if new == text { continue }
      try files.write(
        Array(new.utf8), to: path, temporary: temporaryFile("message"), durable: true)
    }
  }

  /// Returns the texts of messages that git has kept in files.
  package func messages() throws -> [(path: FilePath, text: String)] {
    let names = ["COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG", "TAG_EDITMSG", "NOTES_EDITMSG"]
    return try texts(
      of: gitDirectories().flatMap { folder in names.map { folder.appending($0) } })
  }

  /// Returns the texts that git has kept for a rebase, a cherry-pick or a revert that is not finished.
  package func unfinishedMessages() throws -> [(path: FilePath, text: String)] {
    let names = ["rebase-apply", "rebase-merge", "sequencer"]
    let folders = try gitDirectories().flatMap { folder in names.map { folder.appending($0) } }
    return try texts(
      of: folders.flatMap { folder in
        try (files.list(folder) ?? []).sorted().map { folder.appending($0) }
      })
  }

  /// Returns the texts of files, as far as they exist.
  private func texts(of paths: [FilePath]) throws -> [(path: FilePath, text: String)] {
    try paths.compactMap { path in
      guard try files.status(path)?.kind == .regular else { return nil }
      return try files.read(path).map { (path, String(decoding: $0, as: UTF8.self)) }
    }
  }

  /// Removes the names of commits that git's last commands have left: `ORIG_HEAD` and others.
  package func removeTemporaryHeads() throws {
    for name in ["AUTO_MERGE", "FETCH_HEAD", "ORIG_HEAD"] {
      for directory in Set([gitDirectory, commonDirectory]) {
        try files.remove(directory.appending(name))
      }
    }
  }

  /// Returns the text of each reflog.
  package func reflogs() throws -> [(path: FilePath, text: String)] {
    try reflogFiles().map { ($0, String(decoding: try files.read($0) ?? [], as: UTF8.self)) }
  }

  private static func id(_ bytes: some Collection<UInt8>) -> ObjectID? {
    ObjectID(String(decoding: bytes.prefix(40), as: UTF8.self))
  }

  /// The `HEAD` of each work tree.
  private func headFiles() throws -> [FilePath] {
    try gitDirectories().map { $0.appending("HEAD") }.filter { try files.exists($0) }
  }

  /// The common directory, and that of each linked work tree.
  private func gitDirectories() throws -> [FilePath] {
    let linked = commonDirectory.appending("worktrees")
    return [commonDirectory] + (try files.list(linked) ?? []).sorted().map { linked.appending($0) }
  }

  private func reflogFiles() throws -> [FilePath] {
    var open = try gitDirectories().map { $0.appending("logs") }
    var found: [FilePath] = []
    while let directory = open.popLast() {
      for name in try files.list(directory) ?? [] {
        let path = directory.appending(name)
        switch try files.status(path)?.kind {
        case .directory: open.append(path)
        case .regular: found.append(path)
        default: break
        }
      }
    }
    return found
  }
}
