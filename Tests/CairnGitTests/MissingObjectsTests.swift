import CairnFiles
import CairnGit
import SystemPackage
import TestSupport
import Testing

@Suite("Objects to push")
struct MissingObjectsTests {
  @Test("lists the same objects as git when no content occurs twice", arguments: UInt64(0)..<10)
  func sameAsGit(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let history = try RandomHistory(commits: 12, in: repository, using: &random)
    for _ in 0..<3 {
      let (a, b) = (
        history.commits.randomElement(using: &random)!,
        history.commits.randomElement(using: &random)!
      )
      let new = try repository.newObjects(from: a, excluding: [b])
      #expect(Set(new.ids).count == new.ids.count)
      let reachable = try sandbox.reachable(from: a)
      let needed = reachable.subtracting(try sandbox.reachable(from: b))
      #expect(needed.isSubset(of: new.ids))
      #expect(Set(new.ids).isSubset(of: reachable))
      #expect(Set(new.ids) == (try sandbox.reachable(from: a, not: b)).union(needed))
    }
  }

  @Test(
    "lists all objects that a repository with the excluded commit lacks", arguments: UInt64(0)..<10)
  func closed(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let history = try RandomHistory(
      commits: 14, in: repository, isFresh: false, using: &random)
    let (a, b) = (history.commits.last!, history.commits[Int.random(in: 0..<13, using: &random)])
    try sandbox.git("update-ref", "refs/heads/known", "\(b)")
    let other = try sandbox.newRepository("other", bare: true)
    try sandbox.git("fetch", "-q", "../repo", "refs/heads/known:refs/heads/known", in: "other")

    let new = try repository.newObjects(from: a, excluding: [b])
    try repository.copy(new, to: other)
    try sandbox.git("update-ref", "refs/heads/tip", "\(a)", in: "other")
    try sandbox.git("fsck", "--strict", "--connectivity-only", in: "other")
    #expect(try sandbox.reachable(from: a, in: "other") == sandbox.reachable(from: a))
    let needed = try sandbox.reachable(from: a).subtracting(sandbox.reachable(from: b))
    #expect(needed.isSubset(of: new.ids))
    #expect(try repository.newObjects(from: b, excluding: [a, b]).isEmpty)
  }

  @Test("lists files and symbolic links with the first path they occur at")
  func paths() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let writer = LooseObjectWriter(repository)
    let (one, two) = (
      try writer.write(.blob, Array("1".utf8)), try writer.write(.blob, Array("2".utf8))
    )
    let tree = try repository.edit(
      nil,
      [
        ("a/b", TreeNode(.file, one)), ("a/c", TreeNode(.symlink, two)),
        ("m", TreeNode(.submodule, Tree.emptyID)), ("z", TreeNode(.file, one)),
      ], writer: writer)
    let commit = try writer.write(
      Commit(tree: tree, parents: [], author: .ann, committer: .ann, message: "m"))
    let new = try repository.newObjects(from: commit, excluding: [])
    #expect(new.files.map(\.path) == ["a/b", "a/c"])
    #expect(new.files.map(\.id) == [one, two])
    #expect(new.ids.count == 5 && new.ids.last == commit)
  }

  @Test("ignores an excluded commit that does not exist")
  func unknown() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    var random = SeededGenerator(3)
    let tip = try RandomHistory(commits: 3, in: repository, using: &random).commits.last!
    let elsewhere = ObjectID(hashing: .commit, [1])
    let new = try repository.newObjects(from: tip, excluding: [elsewhere])
    #expect(Set(new.ids) == (try sandbox.reachable(from: tip)))
  }

  @Test("reads only the commits and the trees that changed")
  func cost() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    var files = Files()
    for i in 0..<50 { for j in 0..<40 { files.set("d\(i)/e\(j)", .file("\(i) \(j)")) } }
    let writer = LooseObjectWriter(repository)
    let tree = try sandbox.tree(files)
    let old = try writer.write(
      Commit(tree: tree, parents: [], author: .ann, committer: .ann, message: "old"))
    let next = try repository.edit(tree, [("d7/e7", .file("new"))], writer: writer)
    let new = try writer.write(
      Commit(tree: next, parents: [old], author: .ann, committer: .ann, message: "new"))
    let before = repository.objectsRead
    #expect(try repository.newObjects(from: new, excluding: [old]).ids.count == 4)
    // Two commits, and two trees of each.
    #expect(repository.objectsRead - before == 6)
  }
}

@Suite("Commit history")
struct HistoryTests {
  @Test(
    "finds the same merge bases, ancestors, distances and commits as git, also in a shallow clone",
    arguments: UInt64(0)..<6, [false, true])
  func sameAsGit(seed: UInt64, isShallow: Bool) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let commits = try RandomHistory(commits: 16, in: repository, using: &random).commits
    if isShallow {
      let ends = Set((0..<3).map { _ in commits[..<10].randomElement(using: &random)! })
      try FileSystem().create(
        repository.gitDirectory.appending("shallow"),
        Array(ends.map { "\($0)\n" }.joined().utf8))
      repository.keepsHistoryEnds = true
      #expect(repository.historyEnds == ends)
    }
    for _ in 0..<4 {
      let (a, b) = (
        commits.randomElement(using: &random)!, commits.randomElement(using: &random)!
      )
      let bases = try sandbox.run("git", ["merge-base", "--all", "\(a)", "\(b)"]).lines.sorted()
      #expect(try repository.mergeBases(a, b).map(\.description) == bases)
      let isAncestor =
        try sandbox.run("git", ["merge-base", "--is-ancestor", "\(a)", "\(b)"]).status == 0
      #expect(try repository.isAncestor(a, of: b) == isAncestor)
      let counts = try sandbox.git("rev-list", "--left-right", "--count", "\(a)...\(b)").lines[0]
      let (ahead, behind) = try repository.aheadBehind(a, b)
      #expect("\(ahead)\t\(behind)" == counts)
      var walked: [String] = []
      try repository.walk(from: [a], excluding: [b]) {
        walked.append($0.description)
        return true
      }
      #expect(walked.sorted() == (try sandbox.git("rev-list", "\(a)", "^\(b)").lines.sorted()))
      var backwards: [String] = []
      try repository.walk(from: [a], excluding: [b], oldestFirst: true) {
        backwards.append($0.description)
        return true
      }
      #expect(backwards == walked.reversed())
    }
  }
}

extension Sandbox {
  /// Returns the objects that git reaches from `tip` and not from `known`.
  fileprivate func reachable(
    from tip: ObjectID, not known: ObjectID? = nil, in directory: String = "repo"
  ) throws -> Set<ObjectID> {
    let output =
      if let known {
        try git("rev-list", "--objects", "\(tip)", "--not", "\(known)", in: directory)
      } else {
        try git("rev-list", "--objects", "\(tip)", in: directory)
      }
    return Set(output.lines.compactMap { ObjectID($0.prefix(40)) })
  }

  @Test("ends a history only where a parent is missing, whatever a remote says")
  func ends() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    var random = SeededGenerator(1)
    let commits = try RandomHistory(commits: 9, in: repository, using: &random).commits
    try repository.endHistory(of: [commits.last!], at: Set(commits))
    #expect(repository.historyEnds.isEmpty && !repository.isShallow)
    let elsewhere = ObjectID(hashing: .commit, [1])
    let end = try LooseObjectWriter(repository).write(
      Commit(
        tree: repository.commit(commits[0]).tree, parents: [elsewhere, commits[0]], author: .ann,
        committer: .ann, message: "end"))
    try repository.endHistory(of: [end], at: Set(commits + [end]))
    #expect(repository.historyEnds == [end])
    #expect(try repository.commit(end).parents.isEmpty)
    #expect(try sandbox.git("rev-list", "\(end)").lines == ["\(end)"])
  }
}
