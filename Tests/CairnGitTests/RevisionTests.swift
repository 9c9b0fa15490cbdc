import CairnFiles
import CairnGit
import TestSupport
import Testing

@Suite("Revisions")
struct RevisionTests {
  @Test(
    "resolves a revision to the same commit as git",
    arguments: [
      "HEAD", "HEAD~2", "@", "main", "topic", "refs/heads/topic", "v1", "v1^{}", "main^",
      "HEAD@{1}",
    ])
  func resolves(revision: String) throws {
    let sandbox = try Sandbox()
    let repository = try history(sandbox)
    let expected = try sandbox.git("rev-parse", "\(revision)^{commit}").lines[0]
    #expect(try repository.commit(named: revision).description == expected)
    #expect(try repository.commit(named: String(expected.prefix(12))).description == expected)
  }

  @Test(
    "finds nothing for a revision that is not a commit",
    arguments: [
      "", "nothing", "HEAD~9", "origin/main", "main..topic", "HEAD^{tree}", "HEAD:file", "a b",
      "main\0", "ffffffffffffffffffffffffffffffffffffffff", "~", "^", "@{-1}",
    ])
  func notFound(revision: String) throws {
    let repository = try history(try Sandbox())
    do {
      let commit = try repository.commit(named: revision)
      Issue.record("“\(revision)” is \(commit)")
    } catch {
      #expect(error.code == .notFound, "\(error)")
    }
  }

  @Test("rejects an id prefix that several objects share")
  func ambiguous() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let writer = PackWriter(repository)
    var seen = Set<String>()
    var shared: String?
    for number in 0... {
      let blob = try writer.write(.blob, Array("\(number)".utf8))
      let start = String(blob.description.prefix(4))
      if !seen.insert(start).inserted {
        shared = start
        break
      }
    }
    try writer.finish()
    try repository.refreshObjects()
    do {
      _ = try repository.commit(named: try #require(shared))
      Issue.record("the prefix was resolved")
    } catch let error as GitError {
      #expect(error.code == .ambiguous)
    }
  }

  private func history(_ sandbox: Sandbox) throws -> Repository {
    let repository = try sandbox.newRepository()
    for name in ["first", "second", "third"] {
      try sandbox.write(name, to: "repo/file")
      try sandbox.git("add", "file")
      try sandbox.git("commit", "-q", "-m", name)
    }
    try sandbox.git("branch", "topic", "HEAD~1")
    try sandbox.git("tag", "-a", "-m", "tagged", "v1", "HEAD~1")
    return repository
  }
}
