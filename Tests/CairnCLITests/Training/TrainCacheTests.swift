import Foundation
import TestSupport
import Testing

@Suite("The features that cairn train keeps")
struct TrainCacheTests {
  private static let cache = "a/.git/cairn/features/fisher-1"
  /// The size of the features of one photo.
  private static let size = 32 + 4 + 4 + 2 * 6144 + 4

  @Test("gives the same bytes with and without them")
  func deleted() throws {
    let box = try Sandbox.textures()
    let first = try box.train()
    try box.remove("a/.git/cairn/features")
    try box.remove("a/.git/cairn/perceptual-hashes")
    #expect(try box.train()["digest"] == first["digest"])
  }

  @Test("computes only what is missing or damaged")
  func resumes() throws {
    let box = try Sandbox.textures()
    let first = try box.train()
    // The end of the cache is lost, as after a crash.
    let bytes = try box.read(Self.cache)
    #expect(bytes.count == 36 * Self.size)
    let kept = (bytes.count - 20_000) / Self.size * Self.size
    try box.write(Array(bytes.prefix(bytes.count - 20_000)), to: Self.cache)
    #expect(try box.train()["digest"] == first["digest"])
    let next = try box.read(Self.cache)
    #expect(next.count == bytes.count && next.prefix(kept) == bytes.prefix(kept))
    // A damaged record is computed again, and the others stay where they are.
    var damaged = Array(bytes)
    damaged[3 * Self.size + 100] ^= 1
    try box.write(damaged, to: Self.cache)
    #expect(try box.train()["digest"] == first["digest"])
    #expect(try box.read(Self.cache).count == bytes.count + Self.size)
  }

  @Test("continues after it was killed")
  func killed() throws {
    let box = try Sandbox.textures(32)
    let running = try box.command(box.cairnProgram(), ["train", "textures"], in: "a").start()
    while running.isRunning, try !box.exists(Self.cache) || box.read(Self.cache).isEmpty {
      usleep(1000)
    }
    running.kill()
    #expect(try running.wait().status == -SIGKILL)
    let kept = try box.read(Self.cache)
    #expect(kept.count < 96 * Self.size)
    let report = try box.train()
    let whole = kept.count / Self.size * Self.size
    #expect(try box.read(Self.cache).prefix(whole) == kept.prefix(whole))
    try box.remove("a/.git/cairn/features")
    #expect(try box.train()["digest"] == report["digest"])
  }

  @Test("does not mistake a file for a photo because of its name")
  func names() throws {
    let box = try Sandbox.textures()
    let first = try box.train()
    let id = try box.photoID(Textures.file("stripes", 3))
    try box.write(try box.read("known/dots-03.bmp"), to: "files/\(id).bmp")
    try box.remove("a/.git/cairn/features")
    let answer = try box.cairn(
      "labeler", "test", "textures", "../files/\(id).bmp", "--json", in: "a"
    )
    .json()
    #expect(answer["labels"].elements.first?["name"].string == "dots")
    #expect(!box.exists(Self.cache))
    #expect(try box.train()["digest"] == first["digest"])
    // With features of the photo in the cache, the file is still another image.
    let again = try box.cairn(
      "labeler", "test", "textures", "../files/\(id).bmp", "--json", in: "a"
    )
    .json()
    #expect(again["labels"] == answer["labels"])
  }

  @Test("says which photos could not be compared with others")
  func uncompared() throws {
    let box = try Sandbox.textures()
    let first = try box.train()
    #expect(first["uncomparedImages"].elements.isEmpty)
    let id = try box.photoID(Textures.file("dots", 0))
    try box.replaceBlob(of: id, with: nil)
    #expect(try box.train()["uncomparedImages"].elements.isEmpty)
    try box.remove("a/.git/cairn/perceptual-hashes")
    let report = try box.train()
    #expect(report["uncomparedImages"].elements.map(\.string) == [id])
    #expect(report["photos"].number == 36)
    let shown = try box.cairn("train", "textures", in: "a").stdout
    #expect(shown.contains("1 photo not compared with others"), "\(shown)")
  }

  @Test("keeps the hashes of photos whose features a prediction computed")
  func hashes() throws {
    let box = try Sandbox.textures()
    let first = try box.train()
    try box.remove("a/.git/cairn/features")
    try box.remove("a/.git/cairn/perceptual-hashes")
    try box.cairn("predict", in: "a")
    try box.replaceBlob(of: try box.photoID(Textures.file("dots", 0)), with: nil)
    let report = try box.train()
    #expect(report["uncomparedImages"].elements.isEmpty && report["digest"] == first["digest"])
  }

  @Test("names images that were erased")
  func erased() throws {
    let box = try Sandbox.textures()
    try box.cairn(
      "photo", "erase", Textures.file("dots", 0), "--reason", "a face", "--yes", in: "a")
    let report = try box.train()
    #expect(report["photos"].number == 35 && report["erasedImages"].elements.count == 1)
    #expect(report["missingImages"].elements.isEmpty)
    let shown = try box.cairn("train", "textures", in: "a").stdout
    #expect(shown.contains("left out: 1 photo whose image was erased"), "\(shown)")
    for number in 1..<3 {
      try box.cairn(
        "photo", "erase", Textures.file("dots", number), "--reason", "a face", "--yes", in: "a")
    }
    let output = try box.runCairn(["train", "textures"], in: "a")
    #expect(output.status == 66, "\(output.stderr)")
    #expect(output.stderr.contains("too few images: 3 images were erased, so"), "\(output.stderr)")
    #expect(output.stderr.contains("Label other photos"), "\(output.stderr)")
  }

  @Test("names images that are missing or damaged")
  func images() throws {
    let box = try Sandbox.textures()
    let ids = try (0..<4).map { try box.photoID(Textures.file("dots", $0)) }
    try box.replaceBlob(of: ids[0], with: nil)
    let bytes = try box.read("known/dots-01.bmp")
    try box.replaceBlob(of: ids[1], with: Array(bytes.prefix(60)))
    let report = try box.train()
    #expect(report["photos"].number == 34)
    #expect(report["missingImages"].elements.map(\.string) == [ids[0]])
    #expect(report["undecodableImages"].elements.map(\.string) == [ids[1]])
    let shown = try box.cairn("train", "textures", in: "a").stdout
    #expect(shown.contains("\(ids[1].prefix(12)): it is a truncated BMP"), "\(shown)")
    for id in ids[2...] {
      try box.replaceBlob(of: id, with: nil)
    }
    try box.remove("a/.git/cairn/features")
    let output = try box.runCairn(["train", "textures"], in: "a")
    #expect(output.status == 66, "\(output.stderr)")
    #expect(
      output.stderr.contains("3 images are not on this disk")
        && output.stderr.contains("cairn images fetch"), "\(output.stderr)")
  }
}
