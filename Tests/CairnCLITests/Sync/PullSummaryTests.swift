import TestSupport
import Testing

@Suite("cairn pull: summary", .enabled(if: Programs.hasLFS, "git-lfs is not installed"))
struct PullSummaryTests {
  private let box: Sandbox
  private let ids: [String]

  /// Makes A with two photos, and B, Bob's clone of it.
  init() throws {
    box = try Sandbox()
    ids = try box.startDataset(photos: 2)
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.setIdentity("Bob", in: "b")
  }

  private func sync() throws -> (text: String, json: JSONValue) {
    try box.cairn("commit", in: "a")
    try box.cairn("commit", in: "b")
    try box.sh("cp -a b c", in: ".")
    let json = try box.json("pull", in: "c")
    return (try box.cairn("pull", in: "b").stdout, json)
  }

  @Test("reports once who disagrees about which photo")
  func disagreement() throws {
    try box.cairn("label", ids[0], "Scots pine", in: "a")
    try box.cairn("label", ids[0], "Scots pine", "--absent", in: "b")
    let (text, json) = try sync()
    let short = String(ids[0].prefix(12))
    #expect(
      text.contains(
        "disputed Scots pine on \(short) (photo-0.png): ann@example.org and bob@example.org disagree"
      ), "\(text)")
    let disagreements = json["disagreements"].elements
    #expect(disagreements.map { $0["photo"].string } == [ids[0]])
    #expect(disagreements.map { $0["class"].string } == ["scots-pine"])
    // The next pull does not report it again.
    try box.cairn("label", ids[0], "elm", in: "a")
    try box.cairn("commit", in: "a")
    #expect(try box.json("pull", in: "b")["disagreements"].elements.isEmpty)
  }

  @Test(
    "reports a photo that one side removed and the other labeled, and whether it is visible",
    arguments: [true, false])
  func crossing(isLabelLater: Bool) throws {
    // The devices share this machine's clock, which orders the two edits.
    if !isLabelLater { try box.cairn("label", ids[1], "oak", in: "a") }
    try box.cairn("photo", "remove", ids[1], in: "b")
    if isLabelLater { try box.cairn("label", ids[1], "oak", in: "a") }
    let (text, json) = try sync()
    let crossing = try #require(json["removedAndLabeled"].elements.first)
    #expect(crossing["photo"].string == ids[1])
    #expect(crossing["removed"].string == "here")
    #expect(crossing["visible"].isTrue == isLabelLater)
    let end = isLabelLater ? "it is visible again" : "restores it"
    #expect(text.contains("was removed here and labeled there by ann@example.org"), "\(text)")
    #expect(text.contains(end), "\(text)")
    #expect(try box.listed(in: "b").contains(ids[1]) == isLabelLater)
  }

  @Test("compares with the last commit, even if uncommitted edits undo it")
  func uncommitted() throws {
    try box.cairn("photo", "remove", ids[1], in: "b")
    try box.cairn("label", ids[0], "elm", in: "b")
    try box.cairn("commit", in: "b")
    try box.cairn("photo", "restore", ids[1], in: "b")
    try box.cairn("unlabel", ids[0], "elm", in: "b")
    try box.cairn("label", ids[1], "oak", in: "a")
    try box.cairn("label", ids[0], "elm", "--absent", in: "a")
    try box.cairn("commit", in: "a")
    let summary = try box.json("pull", in: "b")
    #expect(summary["removedAndLabeled"].elements.map { $0["photo"].string } == [ids[1]])
    #expect(summary["disagreements"].elements.map { $0["photo"].string } == [ids[0]])
  }

  @Test("reports the disagreements and overridden values of a merge that git started")
  func finishedMerge() throws {
    try box.cairn("label", ids[0], "oak", in: "a")
    try box.cairn("photo", "edit", ids[1], "--title", "By Ann", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("label", ids[0], "oak", "--absent", in: "b")
    try box.cairn("photo", "edit", ids[1], "--title", "By Bob", in: "b")
    try box.cairn("commit", in: "b")
    try box.git("config", "--remove-section", "merge.cairn", in: "b")
    #expect(try box.run("git", ["pull", "--no-rebase", "--quiet"], in: "b").status != 0)
    let text = try box.cairn("pull", in: "b").stdout
    #expect(text.contains("disputed oak on"), "\(text)")
    #expect(text.contains("title “By Ann” → “By Bob” (ours is later)"), "\(text)")
  }

  @Test("reports merged fields, and which of two values of one field was overridden")
  func overridden() throws {
    try box.cairn("photo", "edit", ids[0], "--title", "By Ann", "--caption", "Mist", in: "a")
    try box.cairn("photo", "edit", ids[0], "--title", "By Bob", in: "b")
    let (text, json) = try sync()
    #expect(
      text.contains("caption “Mist” (theirs is later); title “By Ann” → “By Bob” (ours is later)"),
      "\(text)")
    #expect(json["overridden"].elements.map { $0["field"].string } == ["title"])
    #expect(json["overridden"].elements.map { $0["old"].string } == ["By Ann"])
  }
}
