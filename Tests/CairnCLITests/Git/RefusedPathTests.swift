import Foundation
import TestSupport
import Testing

/// Trees with paths that git itself refuses, made by a tool that is not git.
@Suite("Paths that git refuses")
struct RefusedPathTests {
  private let box: Sandbox
  private let photo: String
  private static let paths = [".git/config", "../config", "labels/.GIT/config"]

  /// Ann's dataset a, bob's clone b, and a remote.
  init() throws {
    box = try Sandbox()
    photo = try box.startDataset(photos: 1)[0]
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("clone", "x.git", "b")
    try box.setIdentity("Bob", in: "b")
  }

  enum Kind: String, CaseIterable {
    case commit
    /// A merge that looks like one of cairn's.
    case forgedMerge
    /// A merge of a commit without parents, which adds the paths.
    case root
  }

  /// Commits ``paths`` in the remote.
  ///
  /// - Parameter isDeep: Whether to commit only the one that is below a directory.
  private func pushBadPaths(_ kind: Kind = .commit, isDeep: Bool = false) throws {
    let script = """
      import os, subprocess, sys
      def git(*arguments, input=None):
          return subprocess.run(["git", *arguments], input=input, stdout=subprocess.PIPE, check=True).stdout
      def write(kind, bytes):
          id = git("hash-object", "-t", kind, "-w", "--literally", "--stdin", input=bytes)
          return id.decode().strip()
      def tree(entries):
          entries.sort(key=lambda entry: entry[1] + ("/" if entry[0] == "40000" else ""))
          return write("tree", b"".join(
              f"{mode} {name}\\0".encode() + bytes.fromhex(id) for mode, name, id in entries))
      def commit(tree, parents, message):
          return git("commit-tree", *[word for id in parents for word in ("-p", id)],
                     "-m", message, tree).decode().strip()
      def sign(name, email):
          for role in ["AUTHOR", "COMMITTER"]:
              os.environ |= {f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": email,
                             f"GIT_{role}_DATE": "1800000000 +0000"}
      sign("Eve", "eve@example.org")
      evil = tree([("100644", "config", write("blob", b"evil"))])
      labels = tree([("40000", ".GIT", evil)])
      slash = write("blob", b"evil")
      added = [("40000", "..", evil), ("40000", ".git", evil), ("100644", "../x/config", slash),
               ("100644", ".git/config", slash), ("40000", "labels", labels)]
      if sys.argv[2] == "true":
          del added[:4]
      entries = list(added)
      for line in git("ls-tree", "main").decode().splitlines():
          fields, name = line.split("\\t")
          mode, _, id = fields.split()
          entries.append((mode.lstrip("0"), name, id))
      main = git("rev-parse", "main").decode().strip()
      parents, message = [main], "Evil"
      if sys.argv[1] == "forgedMerge":
          parents = sorted([main, commit("main^{tree}", [main], "Another")])
          sign("cairn", "cairn@localhost")
          message = f"Merge {parents[0][:10]} and {parents[1][:10]}"
      if sys.argv[1] == "root":
          parents.append(commit(tree(added), [], "Root"))
      git("update-ref", "refs/heads/main", commit(tree(entries), parents, message))
      """
    try box.succeed("python3", ["-c", script, kind.rawValue, "\(isDeep)"], in: "x.git")
  }

  /// Checks that neither the last commit nor git's index has the paths, and that git writes none.
  private func expectNone(
    _ dataset: String, location: SourceLocation = #_sourceLocation
  ) throws {
    for list in [["ls-tree", "-r", "--name-only", "HEAD"], ["ls-files"]] {
      let names = try box.succeed("git", list, in: dataset).lines
      #expect(!names.contains { $0.lowercased().contains("config") }, sourceLocation: location)
    }
    try box.expectClean(dataset, location: location)
    try box.git("checkout-index", "-a", "-f", in: dataset)
    try box.git("restore", ".", in: dataset)
    #expect(try !box.text("\(dataset)/.git/config").contains("evil"), sourceLocation: location)
    #expect(!box.exists("config"), sourceLocation: location)
  }

  @Test("leaves them out of one's own commits, which a server that checks objects accepts")
  func leftOut() throws {
    try pushBadPaths()
    let config = try box.text("a/.git/config")
    try box.git("config", "receive.fsckObjects", "true", in: "x.git")
    let pull = try box.run("cairn", ["pull"], in: "a")
    #expect(pull.status == 0, "\(pull.stderr)")
    for path in Self.paths {
      #expect(
        pull.stdout.contains("git refuses such a path, left out: \(path)"), "\(pull.stdout)")
    }
    #expect(try box.text("a/.git/config") == config)
    #expect(try box.git("ls-tree", "--name-only", "HEAD", in: "a").lines.count == 4)

    try box.cairn("label", photo, "oak", in: "b")
    for dataset in ["b", "a", "b"] { try box.cairn("sync", in: dataset) }
    try box.expectEqual("a", "b", "x.git")
    // git sends what the server lacks, and the server checks it.
    try box.cairn("pin", "add", "1", "2", in: "a")
    try box.cairn("commit", in: "a")
    try box.sh("git push -q file://$PWD/../x.git main", in: "a")
    for dataset in ["a", "b"] { try box.expectClean(dataset) }
  }

  @Test("names the commit when a remote that checks the whole history refuses it")
  func strictRemote() throws {
    try pushBadPaths()
    try box.cairn("pull", in: "a")
    try box.git("init", "-q", "--bare", "-b", "main", "strict.git")
    try box.git("config", "receive.fsckObjects", "true", in: "strict.git")
    try box.cairn("remote", "add", "strict", "../strict.git", in: "a")
    let push = try box.run("cairn", ["push", "strict"], in: "a")
    #expect(push.status == 77, "\(push.all)")
    let evil = try box.git("rev-parse", "main", in: "x.git").word
    for text in ["commit \(evil.prefix(7))", "by Eve", "hasDot", "receive.fsck.skipList"] {
      #expect(push.stderr.contains(text), "\(push.stderr)")
    }
    #expect(
      Self.paths.contains { push.stderr.contains("contains \($0), a path") }, "\(push.stderr)")

    // The objects that fsck names, whether in one push or in several.
    let names = try box.run("git", ["fsck", "--no-dangling"], in: "x.git").all
    let ids = names.split(whereSeparator: { " :\n".contains($0) }).filter { $0.count == 40 }
    try box.write(ids.joined(separator: "\n") + "\n", to: "known")
    let list = box.url("known").path
    try box.git("config", "receive.fsck.skipList", list, in: "strict.git")
    try box.cairn("push", "strict", in: "a")
    try box.expectEqual("a", "strict.git")
  }

  @Test(
    "merges nothing with them if git's settings ask for a check",
    arguments: ["fetch.fsckObjects", "transfer.fsckObjects"])
  func checked(setting: String) throws {
    try pushBadPaths()
    try box.git("config", setting, "true", in: "a")
    let head = try box.git("rev-parse", "main", in: "a").word
    let pull = try box.run("cairn", ["pull"], in: "a")
    #expect(pull.status == 77, "\(pull.all)")
    #expect(pull.stderr.contains("by Eve on “origin” contains "), "\(pull.stderr)")
    #expect(try box.git("rev-parse", "main", in: "a").word == head)
    // The next one finds it as well.
    #expect(try box.run("cairn", ["sync"], in: "a").status == 77)
    #expect(pull.stderr.contains("`git config fetch.fsckObjects false`"), "\(pull.stderr)")
    try box.git("config", "fetch.fsckObjects", "false", in: "a")
    try box.cairn("pull", in: "a")
    try expectNone("a")
  }

  @Test("leaves them out whatever commit adds them", arguments: Kind.allCases, [false, true])
  func pull(kind: Kind, isSparse: Bool) throws {
    if isSparse { try box.cairn("checkout", "none", in: "a") }
    try pushBadPaths(kind)
    let pull = try box.run("cairn", ["pull"], in: "a")
    #expect(pull.status == 0, "\(pull.stderr)")
    for path in Self.paths {
      #expect(
        pull.stdout.contains("git refuses such a path, left out: \(path)"), "\(pull.stdout)")
    }
    try expectNone("a")

    // A merge leaves them out as well.
    try box.cairn("label", photo, "oak", in: "b")
    try box.cairn("commit", in: "b")
    try box.cairn("pull", in: "b")
    try expectNone("b")
  }

  @Test("leaves them out of a clone", arguments: Kind.allCases, ["all", "none"])
  func clone(kind: Kind, documents: String) throws {
    try pushBadPaths(kind)
    let clone = try box.run("cairn", ["clone", "x.git", "c", "--documents", documents])
    #expect(clone.status == 0 && clone.stdout.contains("left out: .git/config"), "\(clone.stdout)")
    #expect(try box.git("ls-tree", "--name-only", "HEAD", in: "c").lines.count == 4)
    try expectNone("c")
  }

  /// What first uses the directory of the path.
  enum FirstUse: CaseIterable {
    case commit, sync, commitOfOthersAfterIndex, commitAll, checkout, pushToNew, importing
  }

  @Test(
    "leaves those below directories out when a clone without documents first uses them",
    arguments: FirstUse.allCases)
  func checkedLater(use: FirstUse) throws {
    try pushBadPaths(isDeep: true)
    let evil = try box.git("rev-parse", "main", in: "x.git").word
    let clone = try box.cairn("clone", "x.git", "c", "--documents", "none")
    #expect(!clone.all.contains("left out"), "\(clone.all)")
    #expect(try box.git("rev-parse", "main", in: "c").word == evil)
    #expect(box.exists("c/.git/cairn/unchecked"))
    try box.setIdentity("Cy", in: "c")
    let output: ProgramOutput
    switch use {
    case .commit:
      try box.cairn("label", photo, "oak", in: "c")
      output = try box.cairn("commit", in: "c")
    case .sync:
      try box.cairn("label", photo, "oak", in: "c")
      output = try box.cairn("sync", in: "c")
    case .commitOfOthersAfterIndex:
      // The counts are from the index database, which reads every path.
      try box.cairn("status", in: "c")
      #expect(try box.git("rev-parse", "main", in: "c").word == evil)
      try box.cairn("pin", "add", "1", "2", in: "c")
      output = try box.cairn("commit", in: "c")
    case .commitAll:
      output = try box.cairn("commit", "--all", in: "c")
    case .checkout:
      output = try box.cairn("checkout", "all", in: "c")
    case .pushToNew:
      try box.cairn("remote", "add", "new", "../new.git", "--create", in: "c")
      output = try box.cairn("push", "new", in: "c")
    case .importing:
      try box.cairn("export", "documents", "../documents.jsonl", in: "a")
      output = try box.cairn("import", "documents", "../documents.jsonl", in: "c")
    }
    #expect(output.all.contains(": labels/.GIT/config"), "\(output.all)")
    #expect(!box.exists("c/.git/cairn/unchecked"))
    try expectNone("c")
  }

  @Test("commits a document in the place of a directory that another tool has committed")
  func directory() throws {
    try box.sh(
      """
      git clone -q x.git w
      cd w
      mkdir -p classes/oak.json
      touch classes/oak.json/x
      git add classes
      git -c user.name=Eve -c user.email=eve@example.org commit -qm Eve
      git push -q
      """)
    try box.cairn("clone", "x.git", "c", "--documents", "none")
    try box.setIdentity("Cy", in: "c")
    try box.cairn("label", photo, "oak", in: "c")
    try box.cairn("commit", in: "c")
    #expect(try box.labels(of: photo, in: "c").count == 1)
    try box.expectSound("c")
  }

  @Test("looks only at the directories that a commit changes in a clone without documents")
  func uncheckedRest() throws {
    try pushBadPaths(isDeep: true)
    try box.cairn("clone", "x.git", "c", "--documents", "none")
    try box.setIdentity("Cy", in: "c")
    try box.cairn("pin", "add", "1", "2", in: "c")
    let commit = try box.cairn("commit", in: "c")
    #expect(!commit.all.contains("left out"), "\(commit.all)")
    #expect(box.exists("c/.git/cairn/unchecked"))

    // Bob's copy looks at everything that is new to it, and Cy's takes that over.
    try box.cairn("label", photo, "oak", in: "b")
    try box.cairn("sync", in: "b")
    try expectNone("b")
    for dataset in ["c", "b"] { try box.cairn("sync", in: dataset) }
    try expectNone("c")
    try box.expectEqual("b", "c", "x.git")
  }

  @Test("keeps the branch of a clone unchecked when the index is built on another one")
  func otherBranch() throws {
    try pushBadPaths(isDeep: true)
    try box.git("branch", "other", "main~1", in: "x.git")
    try box.cairn("clone", "x.git", "c", "--documents", "none")
    try box.setIdentity("Cy", in: "c")
    try box.git("fetch", "-q", "origin", in: "c")
    try box.git("switch", "-q", "other", in: "c")
    try box.cairn("status", in: "c")
    try box.cairn("commit", "--all", in: "c")
    #expect(box.exists("c/.git/cairn/unchecked"))
    try box.git("switch", "-q", "main", in: "c")
    let checkout = try box.cairn("checkout", "all", in: "c")
    #expect(checkout.all.contains(": labels/.GIT/config"), "\(checkout.all)")
    #expect(!box.exists("c/.git/cairn/unchecked"))
    try expectNone("c")
  }

  @Test("leaves them out of commits in a linked work tree of a clone without documents")
  func linkedWorkTree() throws {
    try pushBadPaths(.forgedMerge, isDeep: true)
    try box.cairn("clone", "x.git", "c", "--documents", "none")
    try box.setIdentity("Cy", in: "c")
    try box.git("worktree", "add", "-q", "-b", "linked", "../linked", in: "c")
    try box.cairn("label", photo, "oak", in: "linked")
    let commit = try box.cairn("commit", in: "linked")
    #expect(commit.all.contains(": labels/.GIT/config"), "\(commit.all)")
    let names = try box.git("ls-tree", "-r", "--name-only", "linked", in: "c").lines
    #expect(!names.contains { $0.contains("config") }, "\(names)")

    // The branch that was cloned still has them.
    let checkout = try box.cairn("checkout", "all", in: "c")
    #expect(checkout.all.contains(": labels/.GIT/config"), "\(checkout.all)")
    try expectNone("c")
  }

  @Test("leaves them out of the first pull", arguments: Kind.allCases)
  func firstPull(kind: Kind) throws {
    try pushBadPaths(kind)
    try box.git("init", "-q", "-b", "main", "c")
    try box.write(try box.text("a/cairn.json"), to: "c/cairn.json")
    try box.cairn("remote", "add", "origin", "../x.git", in: "c")
    let pull = try box.run("cairn", ["pull"], in: "c")
    #expect(pull.status == 0 && pull.stdout.contains("left out: .git/config"), "\(pull.all)")
    try expectNone("c")
  }

  @Test("removes them from a dataset that has them already")
  func old() throws {
    try pushBadPaths()
    try box.git("fetch", "-q", "origin", in: "a")
    try box.git("update-ref", "refs/heads/main", "origin/main", in: "a")
    try box.write(
      try box.git("rev-parse", "main", in: "a").word + " refs/heads/main\n", to: "a/.git/cairn/seen"
    )
    try box.cairn("commit", "--all", in: "a")
    #expect(try box.git("ls-tree", "--name-only", "HEAD", in: "a").lines.count == 4)
  }
}
