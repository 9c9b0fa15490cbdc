import Foundation
import TestSupport
import Testing

@Suite("cairn train --augment")
struct TrainAugmentTests {
  private static let features = "a/.git/cairn/features"
  /// The size of the features of one photo.
  private static let size = 32 + 4 + 4 + 2 * 6144 + 4

  private func card(_ report: JSONValue, _ box: Sandbox) throws -> JSONValue {
    try box.json("run", "show", report["run"].string, in: "a")["parameters"]["training"]
  }

  @Test("learns from changed copies, the same model each time, and counts only photos")
  func deterministic() throws {
    let box = try Sandbox.textures()
    let plain = try box.train()
    #expect(plain["augmentations"].elements.isEmpty)
    #expect(try card(plain, box)["augmentations"] == .null)
    let cached = try box.read("\(Self.features)/fisher-1")

    let report = try box.train("--augment", "flip")
    let model = try box.read("a/.git/cairn/models/\(report["model"].string).onnx")
    #expect(report["digest"] != plain["digest"])
    #expect(report["photos"].number == 36)
    #expect(report["classes"].elements.map { $0["photos"].number } == [12, 12, 12])
    #expect(report["crossValidation"]["photos"].number == 36)
    #expect(report["crossValidation"]["accuracy"]["value"].number > 0.85)
    #expect(report["augmentations"].elements.map(\.string) == ["flip"])
    #expect(report["uncopiedImages"].elements.isEmpty)
    let card = try card(report, box)
    #expect(card["augmentations"].elements.map(\.string) == ["flip"])
    #expect(card["photos"].number == 36 && card["uncopiedImages"].number == 0)
    // Copies have a cache of their own.
    #expect(try box.read("\(Self.features)/fisher-1") == cached)
    #expect(try box.read("\(Self.features)/fisher-1-flip-1").count == 36 * Self.size)

    try box.remove(Self.features)
    let again = try box.train("--augment", "flip")
    #expect(again["run"] == report["run"])
    #expect(try box.read("a/.git/cairn/models/\(again["model"].string).onnx") == model)
    // A run of its own makes the version the latest again, also for other devices.
    let latest = try box.train()
    #expect(latest["digest"] == plain["digest"] && latest["run"] != plain["run"])
    #expect(try box.train()["run"] == latest["run"])
    let shown = try box.cairn("train", "textures", "--augment", "flip", in: "a").stdout
    #expect(
      shown.contains("  learned from 36 photos and changed copies of them (flip)"), "\(shown)")
  }

  @Test("makes the same model whatever the order of the changes")
  func order() throws {
    let box = try Sandbox.textures()
    let all = ["crop", "rotate", "blur", "expose", "noise", "flip"]
    let report = try box.train("--augment", all.joined(separator: ","))
    #expect(report["augmentations"].elements.map(\.string) == all)
    #expect(report["crossValidation"]["accuracy"]["value"].number > 0.8)
    let reversed = try box.train("--augment", all.reversed().joined(separator: ", ") + ",flip")
    #expect(reversed["run"] == report["run"])
  }

  @Test("computes only the copies that are missing")
  func resumes() throws {
    let box = try Sandbox.textures()
    let report = try box.train("--augment", "flip,noise")
    let path = "\(Self.features)/fisher-1-noise-1"
    // The end of the cache is lost, as after a crash.
    let bytes = try box.read(path)
    try box.write(Array(bytes.prefix(20 * Self.size + 100)), to: path)
    let flipped = try box.read("\(Self.features)/fisher-1-flip-1")
    #expect(try box.train("--augment", "flip,noise")["digest"] == report["digest"])
    #expect(try box.read(path) == bytes)
    #expect(try box.read("\(Self.features)/fisher-1-flip-1") == flipped)
  }

  @Test("makes no copies of test photos")
  func split() throws {
    let box = try Sandbox.textures(20)
    let report = try box.train("--augment", "flip", "--split", "train=70,test=30")
    let (learned, tested) = (report["photos"].number, report["test"]["photos"].number)
    #expect(tested > 0)
    #expect(learned + tested + Double(report["testDuplicates"].elements.count) == 60)
    let copies = try box.read("\(Self.features)/fisher-1-flip-1").count
    #expect(copies == Int(learned) * Self.size)
  }

  @Test("learns from photos without copies if their images are gone, and says so")
  func missing() throws {
    let box = try Sandbox.textures()
    try box.train()
    let id = try box.photoID(Textures.file("dots", 3))
    try box.replaceBlob(of: id, with: nil)
    let report = try box.train("--augment", "flip")
    #expect(report["photos"].number == 36)
    #expect(report["uncopiedImages"].elements.map(\.string) == [id])
    #expect(try card(report, box)["uncopiedImages"].number == 1)
    let shown = try box.cairn("train", "textures", "--augment", "flip", in: "a").stdout
    #expect(shown.contains("1 photo learned from without changed copies"), "\(shown)")
  }

  @Test("refuses changes that it does not know, with a suggestion")
  func unknown() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    for (names, message) in [
      ("flop", "cairn: “flop” is not an augmentation.\nhint: Did you mean `flip`?\n"),
      (
        "crop,exposure", "cairn: “exposure” is not an augmentation.\nhint: Did you mean `expose`?\n"
      ),
      (
        "crop,",
        "cairn: “” is not an augmentation.\nhint: Use crop, rotate, blur, expose, noise, flip.\n"
      ),
    ] {
      let refused = try box.refuses(
        "train", "trees", "--augment", names, in: "a", with: ExitStatus.usage)
      #expect(refused == message)
    }
  }
}
