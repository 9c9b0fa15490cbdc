import Foundation
import TestSupport
import Testing

@Suite("Unusual files of git")
struct UnusualFileTests {
  private let box: Sandbox
  private static let names = [#""labels/\377""#, #""notes/caf\351.txt""#, #""\351/x""#]

  init() throws { box = try Sandbox() }

  /// Ann's dataset a, its remote, and a clone by plain git in which somebody commits such files.
  private func shared(_ documents: String) throws -> String {
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("checkout", documents, in: "a")
    try box.git("clone", "--quiet", "x.git", "plain")
    try box.setIdentity("Gil", in: "plain")
    let script = #"""
      mkdir notes labels "$(printf '\351')"
      echo x > "$(printf '\351')/x"
      echo notes > "notes/caf$(printf '\351').txt"
      echo label > "labels/$(printf '\377')"
      git add . && git commit -qm Notes && git push -q
      """#
    try box.sh(script, in: "plain")
    return photo
  }

  private func expectNames(
    _ dataset: String, location: SourceLocation = #_sourceLocation
  ) throws {
    let files = try files(of: dataset)
    #expect(Self.names.allSatisfy(files.contains), "\(files)", sourceLocation: location)
  }

  private func files(of dataset: String) throws -> [String] {
    try box.git("ls-tree", "-r", "--name-only", "HEAD", in: dataset).lines
  }

  @Test("keeps names that are not UTF-8 in pulls, merges and clones", arguments: ["all", "none"])
  func kept(documents: String) throws {
    let photo = try shared(documents)
    try box.cairn("label", photo, "oak", in: "a")
    let sync = try box.run("cairn", ["sync"], in: "a")
    #expect(sync.status == 0, "\(sync.all)")
    try expectNames("a")
    try box.expectClean("a")
    #expect(try box.run("cairn", ["verify"], in: "a").status == 0)

    // Both sides change, and git changes and removes such files.
    try box.git("pull", "-q", in: "plain")
    try box.sh(
      #"echo more >> "notes/caf$(printf '\351').txt"; git commit -qam More; git push -q"#,
      in: "plain")
    try box.cairn("label", photo, "elm", in: "a")
    try box.cairn("sync", in: "a")
    try expectNames("a")
    try box.expectClean("a")
    try box.cairn("clone", "x.git", "c", "--documents", documents)
    try expectNames("c")
    try box.expectClean("c")
    try box.expectEqual("a", "c", "x.git")

    // A cairn in the clone of git keeps them in the work tree.
    try box.git("pull", "-q", in: "plain")
    try box.cairn("label", photo, "ash", in: "plain")
    try box.cairn("sync", in: "plain")
    try expectNames("plain")
    try box.expectClean("plain")
    try box.sh(
      #"git rm -q "labels/$(printf '\377')"; git commit -qm Remove; git push -q"#, in: "plain")
    try box.cairn("sync", in: "a")
    #expect(try !files(of: "a").contains(Self.names[0]))
    try box.expectClean("a")
    try box.expectEqual("a", "x.git")
  }

  @Test("hides no file from git that git has checked out")
  func visible() throws {
    _ = try shared("all")
    try box.git("clone", "--quiet", "x.git", "other")
    try box.setIdentity("Eve", in: "other")
    try box.sh(
      #"echo more >> "notes/caf$(printf '\351').txt"; git commit -qam More; git push -q"#,
      in: "other")
    try box.cairn("sync", in: "plain")
    #expect(
      try box.git("status", "--porcelain", in: "plain").stdout == #" M "notes/caf\351.txt"\#n"#)
    try box.git("checkout", "-q", "notes", in: "plain")
    try box.expectClean("plain")
  }

  @Test("says that a pulled file stays in git only")
  func said() throws {
    _ = try shared("all")
    let pull = try box.run("cairn", ["pull"], in: "a")
    #expect(pull.status == 0 && pull.all.contains("in git only"), "\(pull.all)")
  }

  @Test("keeps a deeply nested directory")
  func deep() throws {
    let photo = try shared("all")
    let script =
      "d=$(printf 'd/%.0s' $(seq 300)); mkdir -p $d; echo x > $d/f; git add . && git commit -qm Deep"
    try box.sh(script, in: "plain")
    try box.git("push", "-q", in: "plain")
    for word in ["oak", "elm"] {
      try box.cairn("label", photo, word, in: "a")
      let sync = try box.run("cairn", ["sync"], in: "a")
      #expect(sync.status == 0, "\(sync.all)")
      try box.expectClean("a")
      try box.expectEqual("a", "x.git")
      try box.sh(
        "cd d/d/d; echo y >> f; git add f; git commit -qm More; git pull -q --no-rebase --no-edit; git push -q",
        in: "plain")
    }
    #expect(try box.git("show", "HEAD:d/d/d/f", in: "a").stdout == "y\n")
  }
}
