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
    let listed = try box.json("labeler", "list", in: "b")
    #expect(listed.strings("name") == ["textures"])
    #expect(listed.strings("file") == [Self.path(digest)])
    #expect(try box.json("labeler", "show", "textures", in: "b")["model"] == report["model"])
    let photo = try box.photoID(Textures.file("dots", 3))
    try box.cairn("find", "similar:\(photo),model=textures", in: "b")
    func waiting() throws -> JSONValue {
      try box.json("predict", "--find=-state:confirmed", "--dry-run", in: "b")
    }
    #expect(try waiting()["photos"].number == 6)
    let output = try box.runCairn(["predict", "--find=-state:confirmed", "--json"], in: "b")
    try #require(output.status == 0, "\(output.all)")
    let notice = "using the model \(report["model"].string) of the dataset, trained by "
    #expect(output.stderr.contains(notice), "\(output.stderr)")
    #expect(!output.stderr.contains("it is fetched first"), "\(output.stderr)")
    let predicted = try output.json()
    #expect(predicted["photos"].number == 6 && predicted["model"] == report["model"])
    let rest = try waiting()
    #expect(rest["photos"].number == 0 && rest["skipped"].number == 6)
    let why = try box.cairn("why", Textures.file("dots", 11), "dots", in: "b").stdout
    #expect(why.contains(report["model"].string), "\(why)")
    try box.cairn("sync", in: "b")
    try box.cairn("sync", in: "a")
    try box.expectEqual("a", "b")
    #expect(try box.json("predict", "--find=-state:confirmed", in: "a")["photos"].number == 0)
  }

  @Test("fetches a model that is not on this disk, without the images")
  func missing() throws {
    try box.cairn("clone", "--no-images", "x.git", "b")
    let predicted = try box.runCairn(["predict", "--json"], in: "b")
    // There are no images to predict.
    #expect(predicted.status == 66, "\(predicted.all)")
    #expect(predicted.stderr.contains("it is fetched first"), "\(predicted.stderr)")
    #expect(try box.json("images", "status", in: "b")["here"].number == 1)
    let fetched = try answer(in: "b")
    #expect(fetched["model"] == report["model"])
    try box.cairn("images", "fetch", in: "b")
    // A query selects photos and their images only.
    try box.cairn("images", "drop", "--find", "label:dots", in: "b")
    #expect(box.exists("b/.git/\(Self.blob(digest))"))
    try box.cairn("images", "drop", "--all", in: "b")
    #expect(!box.exists("b/.git/\(Self.blob(digest))"))
    #expect(try box.text("b/\(Self.path(digest))").contains("oid sha256:\(digest)"))
    #expect(try answer(in: "b")["labels"] == fetched["labels"])
    #expect(try box.read("b/\(Self.path(digest))") == box.read("a/\(Self.path(digest))"))
    try box.expectClean("b")

    // The labeler of the device that trained it keeps the file.
    try box.cairn("images", "drop", "--all", in: "a")
    #expect(!box.exists("a/.git/\(Self.blob(digest))"))
    #expect(try answer(in: "a")["labels"] == fetched["labels"])

    try box.cairn("images", "drop", "--all", in: "b")
    try box.remove("x.git/\(Self.blob(digest))")
    try expectMissing(in: "b")
  }

  @Test("names the model that is missing when there is no remote")
  func unreachable() throws {
    try box.cairn("clone", "--no-images", "x.git", "b")
    try box.git("remote", "remove", "origin", in: "b")
    try expectMissing(in: "b")
  }

  @Test("a damaged model predicts nothing until it is fetched again")
  func damaged() throws {
    try box.cairn("clone", "x.git", "b")
    let blob = "b/.git/\(Self.blob(digest))"
    // Another file, because the work tree has the same one.
    var bytes = Array(try box.read(blob))
    bytes[bytes.count / 2] ^= 1
    try box.remove(blob)
    try box.write(bytes, to: blob)
    let refused = try test(in: "b")
    #expect(refused.status == 65, "\(refused.all)")
    #expect(
      refused.stderr.contains("is damaged")
        && refused.stderr.contains("Remove the file, then run `cairn images fetch`."),
      "\(refused.stderr)")
    try box.remove(blob)
    try box.cairn("images", "fetch", in: "b")
    #expect(try answer(in: "b")["model"] == report["model"])
  }

  @Test("runs no other file, and none with an embedding model, that a run names")
  func untrusted() throws {
    let bytes = Array(try box.read("a/\(Self.path(digest))"))
    let id = report["run"].string
    let run = try box.text("a/runs/\(id.prefix(2))/\(id).json")
    try box.cairn("labeler", "remove", "textures", in: "a")
    try box.cairn("run", "withdraw", id, in: "a")
    // The metadata of ONNX: field 14, with a name and a text.
    let name = Array("cairn.embedding".utf8)
    let embedding: [UInt8] =
      [0x72, 21, 0x0A, UInt8(name.count)] + name + [0x12, 2] + Array("{}".utf8)
    let first = try store(bytes + embedding, like: run)
    let refused = try test(in: "a")
    #expect(refused.status == 65, "\(refused.all)")
    #expect(
      refused.stderr.contains("its file in the dataset contains an embedding model")
        && refused.stderr.contains("`cairn labeler add textures --onnx FILE`"),
      "\(refused.stderr)")
    try box.cairn("run", "withdraw", first, in: "a")

    var renamed = Data(bytes)
    // The name follows the key.
    let key = try #require(renamed.range(of: Data("cairn.name".utf8)))
    let range = try #require(
      renamed.range(of: Data("textures".utf8), in: key.upperBound..<renamed.endIndex))
    renamed.replaceSubrange(range, with: Data("textured".utf8))
    let second = try store(Array(renamed), like: run)
    let other = try test(in: "a")
    #expect(other.status == 65, "\(other.all)")
    #expect(other.stderr.contains("is that of the model “textured”"), "\(other.stderr)")
    try box.cairn("run", "withdraw", second, in: "a")

    // The version of the run is not that of the file.
    try store(bytes + [0x72, 0], like: run, version: "0123456789ab")
    let unknown = try test(in: "a")
    #expect(
      unknown.stderr.contains("There is no labeler or trained model “textures”."),
      "\(unknown.stderr)")
  }

  /// Expects that the model can be had nowhere.
  private func expectMissing(in dataset: String) throws {
    let lacking = try test(in: dataset)
    #expect(lacking.status == 66, "\(lacking.all)")
    #expect(
      lacking.stderr.contains(
        "The model \(report["model"].string) is neither on this disk nor on the remote."),
      "\(lacking.stderr)")
  }

  /// Returns what testing the model prints.
  private func test(in dataset: String) throws -> ProgramOutput {
    try box.runCairn(["labeler", "test", "textures", Textures.file("dots", 11)], in: dataset)
  }

  /// Commits a file as a model of the dataset `a`, as a teammate could, and returns the id of its run.
  ///
  /// - Parameters:
  ///   - run: The document of the first training, which becomes that of the file.
  ///   - version: Nil for the beginning of the digest.
  @discardableResult
  private func store(
    _ bytes: [UInt8], like run: String, version: String? = nil
  ) throws -> String {
    try box.write(bytes, to: "model")
    let pointer = try box.git("lfs", "pointer", "--file", "../model", in: "a").stdout
    let id = String(try #require(pointer.components(separatedBy: "sha256:").last).prefix(64))
    try box.cairn("commit", in: "a")
    let old = report["run"].string
    let new = String(old.dropLast(12)) + id.prefix(12)
    let text =
      run
      .replacingOccurrences(of: "@\(digest.prefix(12))", with: "@\(version ?? "\(id.prefix(12))")")
      .replacingOccurrences(of: digest, with: id).replacingOccurrences(of: old, with: new)
    try box.write(text, to: "a/runs/\(new.prefix(2))/\(new).json")
    try box.write(bytes, to: "a/\(Self.path(id))")
    try box.git("add", "images", "runs", in: "a")
    try box.git("commit", "--quiet", "-m", "another model", in: "a")
    return new
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

  @Test("an earlier version that is trained again is the latest for everyone")
  func trainedAgain() throws {
    let next = try box.train("--augment", "flip")
    try #require(next["digest"] != report["digest"])
    let again = try box.train()
    #expect(again["digest"] == report["digest"] && again["run"] != report["run"])
    try box.cairn("commit", in: "a")
    try box.cairn("push", in: "a")
    try box.cairn("clone", "x.git", "b")
    #expect(try answer(in: "b")["model"] == report["model"])
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
