import Foundation
import TestSupport
import Testing

@Suite("cairn gc: packing git's objects")
struct MaintenanceCommandTests {
  @Test("packs as many objects as a dry run announced", arguments: [true, false])
  func gc(isJSON: Bool) throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    for name in ["Harbor", "Ridge", "Well"] {
      try box.cairn("pin", "add", "1", "2", "--name", name, in: "a")
      try box.cairn("commit", in: "a")
    }
    let before = try box.git("count-objects", in: "a").stdout
    let all = try box.git("cat-file", "--batch-all-objects", "--batch-check", in: "a").stdout
    if isJSON {
      let plan = try box.json("gc", "--dry-run", in: "a")
      #expect(try box.git("count-objects", in: "a").stdout == before)
      let done = try box.json("gc", in: "a")
      #expect(plan["objects"]["packed"] == done["objects"]["packed"])
      #expect(done["objects"]["after"]["loose"].number == 0)
      #expect(done["objects"]["after"]["packs"].number == 1)
      #expect(try box.json("gc", in: "a")["objects"]["packed"].number == 0)
    } else {
      let plan = try box.cairn("gc", "--dry-run", in: "a").stdout
      #expect(plan.contains("Would pack"), "\(plan)")
      #expect(try box.git("count-objects", in: "a").stdout == before)
      let done = try box.cairn("gc", in: "a").stdout
      #expect(done.contains("1 pack and 0 loose objects"), "\(done)")
      #expect(try box.cairn("gc", in: "a").stdout.contains("No repacking needed"))
    }
    #expect(try box.git("cat-file", "--batch-all-objects", "--batch-check", in: "a").stdout == all)
    try box.git("fsck", "--strict", in: "a")
  }

  @Test("a dry run counts uncommitted removals, and commits nothing")
  func dryRun() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    try box.cairn("pin", "add", "1", "2", "--name", "Harbor", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("pin", "remove", "Harbor", in: "a")
    let (commit, status) = try (
      box.git("rev-parse", "HEAD", in: "a").word, box.cairn("status", in: "a").stdout
    )
    let plan = try box.json("gc", "--days", "0", "--dry-run", in: "a")
    #expect(plan["paths"].elements.count == 1, "\(plan)")
    #expect(try box.git("rev-parse", "HEAD", in: "a").word == commit)
    #expect(try box.cairn("status", in: "a").stdout == status)
    #expect(try box.json("gc", "--days", "0", in: "a")["paths"] == plan["paths"])
  }

  @Test("packs after a commit, but not after an uncommitted edit")
  func byItself() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    for name in ["Harbor", "Ridge"] {
      try box.cairn("pin", "add", "1", "2", "--name", name, in: "a")
      try box.cairn("commit", in: "a")
    }
    let before = try box.git("count-objects", "-v", in: "a").stdout
    #expect(!before.contains("packs: 0\n") && !before.contains("packs: 1\n"), "\(before)")
    try box.git("config", "gc.autoPackLimit", "1", in: "a")
    try box.cairn("pin", "add", "1", "2", "--name", "Well", in: "a")
    #expect(try box.git("count-objects", "-v", in: "a").stdout == before)
    try box.cairn("commit", in: "a")
    let counts = try box.git("count-objects", "-v", in: "a").stdout
    #expect(counts.contains("packs: 1") && counts.hasPrefix("count: 0"), "\(counts)")
    try box.git("fsck", "--strict", in: "a")
  }
}
