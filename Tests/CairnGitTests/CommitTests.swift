import CairnFiles
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnGit

@Suite("Commits")
struct CommitTests {
  private let sandbox: Sandbox
  private let repository: Repository

  init() throws {
    sandbox = try Sandbox()
    repository = try sandbox.newRepository()
  }

  private func write(_ commit: Commit) throws -> ObjectID {
    let writer = LooseObjectWriter(repository)
    _ = try writer.write(.tree, [])
    return try writer.write(commit)
  }

  /// Stores text as a commit object without checking it.
  private func literal(_ text: String) throws -> ObjectID {
    let output = try sandbox.git(
      "hash-object", "-w", "--literally", "-t", "commit", "--stdin", stdin: Data(text.utf8))
    return try #require(ObjectID(output.lines[0]))
  }

  @Test("writes the same bytes as git")
  func sameBytes() throws {
    let author = Signature(name: "Ann", email: "ann@example.org", time: 1_700_000_000)
    let committer = Signature(name: "Carl", email: "carl@example.org", time: 1_700_000_000)
    let root = try write(
      Commit(tree: Tree.emptyID, parents: [], author: author, committer: committer, message: "one"))
    let id = try write(
      Commit(
        tree: Tree.emptyID, parents: [root], author: author, committer: committer,
        message: "Två\n\nbody\n"))
    let same = try sandbox.git(
      "commit-tree", "\(Tree.emptyID)", "-p", "\(root)", stdin: Data("Två\n\nbody\n".utf8))
    #expect(same.lines == ["\(id)"])
    let written = try sandbox.git("cat-file", "-p", "\(id)").bytes
    #expect(try Array(written) == repository.commit(id).bytes)
    try sandbox.git("fsck", "--strict")
  }

  @Test("reads the tree of a commit, wherever the line is")
  func tree() throws {
    let line = "tree \(Tree.emptyID)\n"
    let rest = "author Ann <ann@example.org> 1 +0000\n"
    for text in [line + rest + "\nx\n", rest + line + "\nx\n", line + "\n"] {
      #expect(try repository.tree(ofCommit: literal(text)) == Tree.emptyID)
    }
    #expect(try repository.tree(ofCommit: nil) == nil)
    let none = try literal(rest + "\ntree \(Tree.emptyID)\n")
    #expect(throws: GitError(.corrupt, "a commit object is damaged")) {
      try repository.tree(ofCommit: none)
    }
  }

  @Test(
    "reads a commit back unchanged, with any time zone",
    arguments: [-720, -330, -1, 0, 1, 60, 345, 840])
  func roundTrip(offset: Int) throws {
    let parents = [ObjectID(hashing: .blob, [1]), ObjectID(hashing: .blob, [2])]
    let signature = Signature(name: "Ann Ä.", email: "a@b", time: 1_234_567_890, offset: offset)
    let commit = Commit(
      tree: Tree.emptyID, parents: parents, author: signature, committer: .ann,
      message: "s\n\nb\n\nc\n")
    #expect(try commit.bytes.withUnsafeBytes { try Commit(bytes: $0) } == commit)
    let id = try write(
      Commit(tree: Tree.emptyID, parents: [], author: signature, committer: .ann, message: "m"))
    let zone = try sandbox.git("log", "-1", "--format=%ad", "--date=format:%z", "\(id)").lines[0]
    let hours = (offset.magnitude / 60) * 100 + offset.magnitude % 60
    #expect(Int(zone.dropFirst()) == Int(hours) && zone.hasPrefix(offset < 0 ? "-" : "+"))
  }

  @Test(
    "removes characters that end a field from names and addresses",
    arguments: [
      ("<Ann>", "ann"), ("An\nn", "a>b<c"), ("Ann\0", "a\nparent 0000"), ("  Ann ", " a@b "),
      ("Ann > 5 +0000", "\r\n"), ("", ""), ("Ann\r\n", "x"),
    ])
  func cleaned(name: String, email: String) throws {
    let signature = Signature(name: name, email: email, time: 7, offset: 60)
    let id = try write(
      Commit(tree: Tree.emptyID, parents: [], author: signature, committer: signature, message: "m")
    )
    let read = try repository.commit(id)
    #expect(read.parents.isEmpty && read.message == "m\n")
    #expect(read.author.time == 7 && read.author.offset == 60)
    for text in [read.author.name, read.author.email] {
      #expect(!text.unicodeScalars.contains { "<>\n\r\0".unicodeScalars.contains($0) })
    }
    try sandbox.git("fsck", "--strict")
  }

  @Test("limits a time zone that is out of range", arguments: [Int.min, 6000, .max])
  func impossibleZone(offset: Int) throws {
    let signature = Signature(name: "A", email: "a", time: 1, offset: offset)
    _ = try write(
      Commit(tree: Tree.emptyID, parents: [], author: signature, committer: signature, message: "m")
    )
    try sandbox.git("fsck", "--strict")
  }

  @Test(
    "limits a time that no calendar has",
    arguments: [
      ("-1", 0), ("-9223372036854775808", 0), ("9223372036854775807", 253_402_300_799),
      ("99999999999999999999", 253_402_300_799), ("-99999999999999999999", 0), ("soon", 0),
    ])
  func impossibleTime(text: String, seconds: Int64) throws {
    let id = try literal(
      "tree \(Tree.emptyID)\nauthor A <a@b> \(text) +0000\ncommitter C <c@d> \(text) -0000\n\nm\n")
    let commit = try repository.commit(id)
    #expect(commit.author.time == seconds && commit.committer.time == seconds)
    #expect(commit.author.milliseconds == seconds * 1000)
  }

  @Test("skips signatures, merge tags and unknown headers")
  func signed() throws {
    let id = try literal(
      """
      tree \(Tree.emptyID)
      parent 1111111111111111111111111111111111111111
      author A U Thor <a@example.org> 1112911993 -0700
      committer C O Mitter <c@example.org> 1112911994 +0545
      encoding ISO-8859-1
      mergetag object 2222222222222222222222222222222222222222
       type commit
       tag v1
       tagger T <t@example.org> 1 +0000
       
       parent 3333333333333333333333333333333333333333
       -----BEGIN PGP SIGNATURE-----\r
       -----END PGP SIGNATURE-----\r
      gpgsig -----BEGIN PGP SIGNATURE-----
       
       tree 4444444444444444444444444444444444444444
       -----END PGP SIGNATURE-----
      x-unknown

      Subject

      author Nobody <n> 1 +0000
      """)
    let commit = try repository.commit(id)
    #expect(commit.tree == Tree.emptyID)
    #expect(commit.parents.map(\.description) == [String(repeating: "1", count: 40)])
    #expect(
      commit.author
        == Signature(name: "A U Thor", email: "a@example.org", time: 1_112_911_993, offset: -420))
    #expect(commit.committer.offset == 345)
    #expect(commit.summary == "Subject")
    #expect(commit.message == "Subject\n\nauthor Nobody <n> 1 +0000")
  }

  @Test("reads incomplete commits, but rejects one without a tree")
  func odd() throws {
    let tree = "tree \(Tree.emptyID)\n"
    let noPeople = try repository.commit(literal(tree))
    #expect(noPeople.message == "" && noPeople.summary == "" && noPeople.author.name == "")
    let noTime = try repository.commit(literal(tree + "author A <a@b>\ncommitter <<x> y> z z\n\nm"))
    #expect(noTime.author == Signature(name: "A", email: "a@b", time: 0))
    #expect(noTime.committer.time == 0)
    let windows = try repository.commit(literal(tree + "\nSubject\r\n\r\nBody\r\n"))
    #expect(windows.summary == "Subject")
    #expect(windows.message == "Subject\r\n\r\nBody\r\n")
    let damaged = try literal("author A <a@b> 1 +0000\n\nm")
    #expect(throws: GitError.self) { try repository.commit(damaged) }
    #expect(throws: GitError.self) { try repository.commit(Tree.emptyID) }
  }

  @Test("rejects or reads damaged commits without crashing", arguments: UInt64(0)..<32)
  func damage(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let whole = Commit(
      tree: Tree.emptyID, parents: [Tree.emptyID], author: .ann, committer: .ann, message: "m\n"
    ).bytes
    for _ in 0..<200 {
      var bytes = Array(whole.prefix(Int.random(in: 0...whole.count, using: &random)))
      for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = random.bytes(1)[0]
      }
      bytes.withUnsafeBytes { bytes in
        // Any commit that was read can be written.
        if let commit = try? Commit(bytes: bytes) {
          #expect(commit.bytes.starts(with: "tree ".utf8))
        }
      }
    }
  }
}
