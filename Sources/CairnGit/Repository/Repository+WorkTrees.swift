internal import CairnFiles
package import SystemPackage

// A repository can have several work trees (`git worktree add`), each with its own HEAD.

extension Repository {
  /// Returns the work trees in which a branch is checked out, or is being rebased or bisected: if
  /// it moved, the next commit there would undo what was committed elsewhere.
  ///
  /// Source: git-worktree(1), “DETAILS”; git's worktree.c, `find_shared_symref`.
  package func workTrees(on branch: String) throws -> [FilePath] {
    let branch = try resolvedName(of: branch)
    return try allWorkTrees().filter { try isBranch(branch, inUseBy: $0.gitDirectory) }.map(\.root)
  }

  /// Returns the work trees of this repository, except the one at `root`, as far as they exist, with the
  /// git directory of each.
  package func workTrees(
    except root: FilePath
  ) throws -> [(gitDirectory: FilePath, root: FilePath)] {
    let own = files.resolve(root)
    return try allWorkTrees().filter {
      files.directoryExists($0.root) && files.resolve($0.root) != own
    }
  }

  /// Returns the git directory and the top of each work tree, the main one last.
  private func allWorkTrees() throws -> [(gitDirectory: FilePath, root: FilePath)] {
    let linked = commonDirectory.appending("worktrees")
    var found = try (files.list(linked) ?? []).sorted().map { name in
      let directory = linked.appending(name)
      guard let link = try line(of: directory.appending("gitdir")) else {
        return (directory, directory)
      }
      let root = directory.pushing(FilePath(link)).lexicallyNormalized().removingLastComponent()
      return (directory, root)
    }
    let main =
      gitDirectory == commonDirectory ? self : try Repository.open(commonDirectory, files: files)
    if !main.isBare { found.append((commonDirectory, main.workTree ?? commonDirectory)) }
    return found
  }

  /// - Parameters:
  ///   - branch: A branch that is not a symbolic ref.
  ///   - directory: The git directory of a work tree.
  private func isBranch(_ branch: String, inUseBy directory: FilePath) throws -> Bool {
    let head = try line(of: directory.appending("HEAD")) ?? ""
    if head.hasPrefix("ref: ") {
      let name = String(head.dropFirst("ref: ".count))
      // A broken ref is not symbolic.
      return ((try? resolvedName(of: name)) ?? name) == branch
    }
    for name in ["rebase-merge/head-name", "rebase-apply/head-name"] {
      if try line(of: directory.pushing(FilePath(name))) == branch { return true }
    }
    let start = try line(of: directory.appending("BISECT_START"))
    return start.map { "refs/heads/\($0)" == branch } ?? false
  }

  /// Returns the first line of a file; nil if there is no such file.
  private func line(of path: FilePath) throws -> String? {
    try files.read(path).map {
      String(String(decoding: $0, as: UTF8.self).prefix { !$0.isNewline })
    }
  }
}
