import TestSupport
import Testing

@testable import CairnGit

@Suite("Raw commits")
struct RawCommitTests {
  private let tree = ObjectID(String(repeating: "1", count: 40))!
  private let parent = ObjectID(String(repeating: "2", count: 40))!
  private let other = ObjectID(String(repeating: "3", count: 40))!

  private var signed: String {
    """
    tree \(tree)
    parent \(parent)
    author Ann <ann@example.org> 1700000000 +0100
    committer Bob <bob@example.org> 1700000001 -0230
    gpgsig -----BEGIN PGP SIGNATURE-----
     
     abc
     -----END PGP SIGNATURE-----
    encoding ISO-8859-1

    Add a photo

    tree of life

    """
  }

  private func text(_ commit: RawCommit) -> String { String(decoding: commit.bytes, as: UTF8.self) }

  @Test(
    "have the bytes that were read",
    arguments: ["", "tree 1\n", "tree 1\n\n", "tree 1\n\nx", "tree 1\n\n\nx\n\n"])
  func roundTrip(text: String) {
    #expect(RawCommit(bytes: text.utf8).bytes == Array(text.utf8))
    #expect(RawCommit(bytes: signed.utf8).bytes == Array(signed.utf8))
  }

  @Test("have other parents, and no signature, and everything else unchanged")
  func replaced() {
    var commit = RawCommit(bytes: signed.utf8)
    commit.replace(tree: other, parents: [other, parent])
    commit.removeSignatures()
    #expect(
      text(commit) == """
        tree \(other)
        parent \(other)
        parent \(parent)
        author Ann <ann@example.org> 1700000000 +0100
        committer Bob <bob@example.org> 1700000001 -0230
        encoding ISO-8859-1

        Add a photo

        tree of life

        """)
    commit.replace(tree: tree, parents: [])
    #expect(text(commit).hasPrefix("tree \(tree)\nauthor Ann"))
  }

  @Test("have another author, with the same time")
  func identities() {
    var commit = RawCommit(bytes: signed.utf8)
    commit.replaceIdentities(name: "erased") { $0 == "ann@example.org" ? "x@y" : nil }
    #expect(
      text(commit)
        == signed.replacing("Ann <ann@example.org> 17", with: "erased <x@y> 17"))
    commit.message = "Another\n"
    #expect(commit.message == "Another\n" && text(commit).hasSuffix("ISO-8859-1\n\nAnother\n"))
  }

  @Test("are tags as well")
  func tags() {
    let text = """
      object \(parent)
      type commit
      tag v1
      tagger Ann <ann@example.org> 1700000000 +0000

      First
      -----BEGIN PGP SIGNATURE-----
      abc
      -----END PGP SIGNATURE-----

      """
    var tag = RawCommit(bytes: text.utf8)
    #expect(tag.tagged?.id == parent && tag.tagged?.kind == "commit")
    tag.replace(object: other)
    tag.removeTagSignature()
    #expect(
      self.text(tag) == """
        object \(other)
        type commit
        tag v1
        tagger Ann <ann@example.org> 1700000000 +0000

        First

        """)
    #expect(RawCommit(bytes: signed.utf8).tagged == nil)
  }
}
