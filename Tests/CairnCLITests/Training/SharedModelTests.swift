import Foundation
import TestSupport
import Testing

@Suite("Trained models in the dataset")
struct SharedModelTests {
  private let box: Sandbox
  /// The first training.
  private let report: JSONValue

  /// A dataset `a` with a model and six photos that nobody labeled, pushed to `x.git`.
  init() throws {
    box = try Sandbox.textures(labeled: 10)
    report = try box.train()
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
  }

  private var digest: String { report["digest"].string }

  /// The path of the pointer in a dataset.
  private static func path(_ digest: String) -> String {
    "images/\(digest.prefix(2))/\(digest.dropFirst(2).prefix(2))/\(digest).onnx"
  }

  /// The path of the blob in a git directory.
  private static func blob(_ digest: String) -> String {
    "lfs/objects/\(digest.prefix(2))/\(digest.dropFirst(2).prefix(2))/\(digest)"
  }

  /// Returns what the model answers for a picture.
  private func answer(in dataset: String) throws -> JSONValue {
    try box.json("labeler", "test", "textures", Textures.file("dots", 11), in: dataset)
  }

  @Test("a clone predicts what the device predicts that trained the model")
  func teammate() throws {
    let size = try box.read("a/\(Self.path(digest))").count
    #expect(
      try box.git("cat-file", "-p", "HEAD:\(Self.path(digest))", in: "a").stdout
        == "version https://git-lfs.github.com/spec/v1\noid sha256:\(digest)\nsize \(size)\n")
    #expect(try box.json("images", "status", in: "a")["here"].number == 37)
    try box.cairn("clone", "x.git", "b")
    #expect(try box.read("b/\(Self.path(digest))") == box.read("a/\(Self.path(digest))"))
    for dataset in ["a", "b"] {
      try box.expectClean(dataset)
      try box.expectSound(dataset)
    }
    let (own, other) = (try answer(in: "a"), try answer(in: "b"))
    #expect(own["model"] == report["model"] && other["model"] == report["model"])
    #expect(!own["labels"].elements.isEmpty && other["labels"] == own["labels"])

    // It is the only labeler.
    #expect(try box.json("labeler", "list", in: "b").elements.isEmpty)
    let predicted = try box.json("predict", "--find=-state:confirmed", in: "b")
    #expect(predicted["photos"].number == 6 && predicted["model"] == report["model"])
    let why = try box.cairn("why", Textures.file("dots", 11), "dots", in: "b").stdout
    #expect(why.contains(report["model"].string), "\(why)")
    try box.cairn("sync", in: "b")
    try box.cairn("sync", in: "a")
    try box.expectEqual("a", "b")
    #expect(try box.json("predict", "--find=-state:confirmed", in: "a")["photos"].number == 0)
  }

  @Test("names the command that fetches a model that is not on this disk")
  func missing() throws {
    try box.cairn("clone", "--no-images", "x.git", "b")
    func expectMissing() throws {
      let output = try box.runCairn(["predict", "--labeler", "textures"], in: "b")
      #expect(output.status == 66, "\(output.all)")
      #expect(
        output.stderr.contains("The model \(report["model"].string) is not on this disk.")
          && output.stderr.contains("`cairn images fetch`"), "\(output.stderr)")
    }
    try expectMissing()
    try box.cairn("images", "fetch", in: "b")
    let fetched = try answer(in: "b")
    #expect(fetched["model"] == report["model"])
    // A query selects photos and their images only.
    try box.cairn("images", "drop", "--find", "label:dots", in: "b")
    #expect(try answer(in: "b")["labels"] == fetched["labels"])
    try box.cairn("images", "drop", "--all", in: "b")
    #expect(!box.exists("b/.git/\(Self.blob(digest))"))
    #expect(try box.text("b/\(Self.path(digest))").contains("oid sha256:\(digest)"))
    try expectMissing()
    try box.cairn("images", "fetch", in: "b")
    #expect(try answer(in: "b")["labels"] == fetched["labels"])

    // The labeler of the device that trained it keeps the file.
    try box.cairn("images", "drop", "--all", in: "a")
    #expect(!box.exists("a/.git/\(Self.blob(digest))"))
    #expect(try answer(in: "a")["labels"] == fetched["labels"])
  }

  @Test("finds a damaged model and one that the remote lacks, and repairs both")
  func verified() throws {
    // Another file, because the work tree has the same one.
    let blob = "a/.git/\(Self.blob(digest))"
    var bytes = Array(try box.read(blob))
    bytes[bytes.count / 2] ^= 1
    try box.remove(blob)
    try box.write(bytes, to: blob)
    let damaged = try box.runCairn(["verify"], in: "a")
    #expect(damaged.status == 1, "\(damaged.all)")
    #expect(
      damaged.stdout.contains("\(Self.path(digest)): the stored model is damaged"),
      "\(damaged.all)")
    #expect(try box.train()["digest"] == report["digest"])
    try box.cairn("verify", in: "a")

    try box.remove("x.git/\(Self.blob(digest))")
    let lacking = try box.runCairn(
      ["verify", "--with", "origin", "--with-images", "--json"], in: "a")
    #expect(lacking.status == 1, "\(lacking.all)")
    #expect(try lacking.json()["images"]["missing"].elements.map(\.string) == [digest])
    #expect(try box.json("images", "push", in: "a")["images"].number == 1)
    try box.cairn("verify", "--with", "origin", "--with-images", in: "a")
  }

  @Test("keeps every version, and uses the latest that is not withdrawn")
  func versions() throws {
    for kind in Textures.kinds {
      try box.cairn("label", Textures.file(kind, 10), kind, in: "a")
    }
    let next = try box.train()
    try #require(next["digest"] != report["digest"])
    try box.cairn("commit", in: "a")
    try box.cairn("gc", in: "a")
    try box.cairn("push", in: "a")
    try box.cairn("clone", "x.git", "b")
    for digest in [digest, next["digest"].string] {
      #expect(box.exists("b/.git/\(Self.blob(digest))"))
      #expect(try box.read("b/\(Self.path(digest))") == box.read("a/\(Self.path(digest))"))
    }
    #expect(try answer(in: "b")["model"] == next["model"])
    try box.cairn("run", "withdraw", next["run"].string, in: "b")
    #expect(try answer(in: "b")["model"] == report["model"])
    // A device keeps its own version until it removes the labeler.
    try box.cairn("sync", in: "b")
    try box.cairn("sync", in: "a")
    #expect(try answer(in: "a")["model"] == next["model"])
    try box.cairn("labeler", "remove", "textures", in: "a")
    #expect(try answer(in: "a")["model"] == report["model"])
  }

  @Test("leaves out a model with other bytes, and restores one that git changed")
  func changed() throws {
    try box.cairn("clone", "x.git", "b")
    let other = String(repeating: "ab", count: 32)
    try box.write("no model", to: "b/\(Self.path(other))")
    let problems = try box.json("status", in: "b")["problems"]
    #expect(problems.strings("path") == [Self.path(other)], "\(problems)")
    try box.remove("b/\(Self.path(other))")

    let path = "b/\(Self.path(digest))"
    let bytes = try box.read(path)
    try box.remove(path)
    try box.write([UInt8](repeating: 7, count: 4096), to: path)
    try box.git("commit", "--quiet", "-am", "other bytes", in: "b")
    let findings = try box.runCairn(["verify", "--json"], in: "b").json()["findings"]
    #expect(
      findings.strings("message").contains { $0.contains("git has no pointer to this model here") },
      "\(findings)")
    try box.cairn("commit", "--all", in: "b")
    try box.expectSound("b")
    #expect(try box.read(path) == bytes)
  }
}
