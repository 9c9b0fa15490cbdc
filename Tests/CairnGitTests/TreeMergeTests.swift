import CairnFiles
import CairnGit
import SystemPackage
import TestSupport
import Testing

@Suite("Merging trees")
struct TreeMergeTests {
  @Test("merges random trees as a merge of each path would", arguments: UInt64(0)..<32)
  func randomTriples(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let base = Files.random(25, using: &random)
    var (ours, theirs) = (base, base)
    _ = ours.change(Int.random(in: 0...12, using: &random), using: &random)
    _ = theirs.change(Int.random(in: 0...12, using: &random), using: &random)
    let hasBase = seed % 5 != 0
    let expected = NaiveMerge(base: hasBase ? base : Files(), ours: ours, theirs: theirs)

    let baseTree = hasBase ? try sandbox.tree(base) : nil
    let (ourTree, theirTree) = (try sandbox.tree(ours), try sandbox.tree(theirs))
    let writer = AdaptiveObjectWriter(repository)
    var asked: [String: ConflictEntry] = [:]
    let merged = try repository.merge(
      base: baseTree, ours: ourTree, theirs: theirTree, writer: writer
    ) { candidate in
      #expect(asked.updateValue(candidate, forKey: candidate.path) == nil, "asked twice")
      return NaiveMerge.resolve(candidate.ours, candidate.theirs)
    }
    try writer.finish()
    #expect(merged == (try sandbox.tree(expected.files)))
    #expect(Set(asked.keys) == Set(expected.candidates))
    for candidate in asked.values {
      #expect(candidate.base == (hasBase ? base[candidate.path] : nil))
      #expect(candidate.ours == ours[candidate.path])
      #expect(candidate.theirs == theirs[candidate.path])
    }

    let mirrored = try repository.merge(
      base: baseTree, ours: theirTree, theirs: ourTree, writer: AdaptiveObjectWriter(repository)
    ) { NaiveMerge.resolve($0.ours, $0.theirs) }
    #expect(mirrored == merged)
  }

  @Test("merges canonically equivalent names as different names")
  func canonicallyEquivalentNames() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let writer = LooseObjectWriter(repository)
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let base = try repository.edit(nil, [(composed, .file("1"))], writer: writer)
    // Our side renames the file, their side changes its content.
    let ours = try repository.edit(
      base, [(composed, nil), (decomposed, .file("1"))], writer: writer)
    let theirs = try repository.edit(base, [(composed, .file("2"))], writer: writer)
    #expect(
      try repository.tree(ours).entries.map { Array($0.name.utf8) } == [Array(decomposed.utf8)])
    for (x, y) in [(ours, theirs), (theirs, ours)] {
      var asked: [String] = []
      let merged = try repository.merge(base: base, ours: x, theirs: y, writer: writer) {
        asked.append($0.path)
        return nil
      }
      #expect(asked.map { Array($0.utf8) } == [Array(composed.utf8)])
      #expect(merged == ours)
    }
  }

  @Test("lets `resolve` decide when one side removes a file and the other changes it")
  func removedAndChanged() throws {
    let merge = try SmallMerge(base: ["a": "1", "b": "1"], ours: ["b": "2"], theirs: ["a": "2"])
    for (a, b) in [("a", "b"), ("a", nil), (nil, "b"), (nil, nil)] as [(String?, String?)] {
      let kept = Set([a, b].compactMap { $0 })
      let result = try merge.run { candidate in
        kept.contains(candidate.path) ? candidate.ours ?? candidate.theirs : nil
      }
      #expect(result.asked == ["a", "b"])
      #expect(Set(result.files.paths) == kept)
    }
  }

  @Test("keeps a file when the directory that would replace it becomes empty")
  func vanishedDirectory() throws {
    // Our side replaces the directory by a file, their side changes a file in the directory.
    let merge = try SmallMerge(base: ["a/x": "1"], ours: ["a": "2"], theirs: ["a/x": "3"])
    let dropped = try merge.run { _ in nil }
    #expect(dropped.asked == ["a/x"])
    #expect(dropped.files.paths == ["a"])
    #expect(try merge.run { $0.theirs }.files.paths == ["a/x"])
  }

  @Test("matches a file and a directory of one name when others sort between them")
  func apart() throws {
    // “a.b” sorts between the file “a” and the directory “a/”.
    let merge = try SmallMerge(
      base: ["a/x": "1", "a.b": "1"], ours: ["a": "2", "a.b": "2"],
      theirs: ["a/x": "1", "a.b": "3"])
    let result = try merge.run { $0.ours }
    #expect(result.asked == ["a.b"])
    #expect(result.files.paths == ["a", "a.b"])
  }

  @Test("does not read what both sides left unchanged", arguments: [true, false])
  func cost(inOneDirectory: Bool) throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    var base = Files()
    for i in 0..<50 { for j in 0..<40 { base.set("d\(i)/e\(j)", .file("\(i) \(j)")) } }
    var (ours, theirs) = (base, base)
    ours.set("d7/e7", .file("ours"))
    theirs.set(inOneDirectory ? "d7/e8" : "d8/e8", .file("theirs"))
    let trees = try [base, ours, theirs].map { try sandbox.tree($0) }
    let writer = AdaptiveObjectWriter(repository)
    let before = repository.objectsRead
    _ = try repository.merge(base: trees[0], ours: trees[1], theirs: trees[2], writer: writer) {
      _ in
      Issue.record("nothing was changed on both sides")
      return nil
    }
    #expect(repository.objectsRead - before == (inOneDirectory ? 6 : 3))
    #expect(writer.count == (inOneDirectory ? 2 : 1))
  }

  @Test("writes nothing when the result equals one side")
  func nothingNew() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    var random = SeededGenerator(1)
    let base = Files.random(20, using: &random)
    var ours = base
    _ = ours.change(10, using: &random)
    let (baseTree, ourTree) = (try sandbox.tree(base), try sandbox.tree(ours))
    let writer = AdaptiveObjectWriter(repository)
    for (b, x, y) in [
      (baseTree, ourTree, baseTree), (baseTree, baseTree, ourTree), (baseTree, ourTree, ourTree),
    ] {
      let merged = try repository.merge(base: b, ours: x, theirs: y, writer: writer) { _ in nil }
      #expect(merged == ourTree)
    }
    #expect(writer.count == 0)
  }
}

/// The expected merge: each path by itself, then directories win over files.
private struct NaiveMerge {
  var files = Files()
  var candidates: [String] = []

  init(base: Files, ours: Files, theirs: Files) {
    var result: [String: TreeNode] = [:]
    var asked: [String] = []
    for path in Set(base.paths + ours.paths + theirs.paths) {
      let (b, o, t) = (base[path], ours[path], theirs[path])
      if o == t || b == t {
        result[path] = o
      } else if b == o {
        result[path] = t
      } else {
        asked.append(path)
        result[path] = NaiveMerge.resolve(o, t)
      }
    }
    func isDirectory(_ path: String) -> Bool { result.keys.contains { $0.hasPrefix(path + "/") } }
    for (path, node) in result where !isDirectory(path) { files.set(path, node) }
    candidates = asked.filter { !isDirectory($0) }
  }

  /// A rule that treats both sides alike and sometimes removes the file; any such rule would do.
  static func resolve(_ a: TreeNode?, _ b: TreeNode?) -> TreeNode? {
    guard let a, let b else {
      let only = a ?? b
      return only.flatMap { $0.id.bytes[0] % 2 == 0 ? $0 : nil }
    }
    return (a.id, a.mode.rawValue) < (b.id, b.mode.rawValue) ? b : a
  }
}

/// A merge of a few files with given contents.
private final class SmallMerge {
  private let sandbox: Sandbox
  private let repository: Repository
  private let trees: [ObjectID]

  init(base: [String: String], ours: [String: String], theirs: [String: String]) throws {
    let sandbox = try Sandbox()
    self.sandbox = sandbox
    repository = try sandbox.newRepository()
    trees = try [base, ours, theirs].map { contents in
      var files = Files()
      for (path, text) in contents { files.set(path, .file(text)) }
      return try sandbox.tree(files)
    }
  }

  func run(
    _ resolve: (ConflictEntry) -> TreeNode?
  ) throws -> (files: Files, asked: [String]) {
    var asked: [String] = []
    let merged = try repository.merge(
      base: trees[0], ours: trees[1], theirs: trees[2], writer: LooseObjectWriter(repository)
    ) {
      asked.append($0.path)
      return resolve($0)
    }
    return (try sandbox.files(of: merged), asked.sorted())
  }
}
