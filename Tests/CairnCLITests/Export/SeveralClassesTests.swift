import Foundation
import TestSupport
import Testing

@Suite("Photos of several classes in formats with one class per photo")
struct SeveralClassesTests {
  static let formats = ["imagefolder", "createml", "yolo-classify"]

  /// The files of an export by class, as torchvision's `ImageFolder` finds them: the directories
  /// below the root, sorted, are the classes, and each must hold an image.
  ///
  /// Source: torchvision, `find_classes` and `make_dataset` of `datasets/folder.py`.
  private func folders(_ box: Sandbox, _ root: String) throws -> [String: Set<String>] {
    let manager = FileManager.default
    var folders: [String: Set<String>] = [:]
    for name in try manager.contentsOfDirectory(atPath: box.url(root).path).sorted() {
      let files = try manager.contentsOfDirectory(atPath: box.url("\(root)/\(name)").path)
      #expect(files.allSatisfy { $0.hasSuffix(".png") })
      #expect(!files.isEmpty, "ImageFolder refuses a class without an image")
      folders[name] = Set(files.map { String($0.prefix(64)) })
    }
    return folders
  }

  @Test("refuses the export, with the number of photos and an example", arguments: formats)
  func refused(format: String) throws {
    let scene = try FormatScene()
    let output = try scene.box.run("cairn", ["export", format, "../out"], in: "a")
    #expect(output.status == ExitStatus.badData)
    #expect(
      output.stderr.contains(
        "1 photo has several classes (such as \(scene.photos[0].prefix(12))…: dog, oak), but "
          + "\(format) holds one per photo."), "\(output.stderr)")
    #expect(output.stderr.contains("--several"))
    #expect(!scene.box.exists("out"))
    // Rejected classes, and classes that are not exported, are no second class.
    try scene.box.cairn("label", scene.photos[0], "oak", "--absent", in: "a")
    try scene.box.cairn("export", format, "../out", "--states", "confirmed,rejected", in: "a")
  }

  @Test("writes the photo once, once for each class, or not at all")
  func chosen() throws {
    let scene = try FormatScene()
    let box = scene.box
    let photo = scene.photos[0]
    let first = try scene.export("imagefolder", to: "first", "--several", "first")
    #expect(first["leftOut"]["class"].number == 1)
    let once = try folders(box, "first")
    #expect(Set(once.keys) == ["cairn-terrier", "dog"])
    #expect(once["dog"]?.contains(photo) == true)

    let copy = try scene.export("imagefolder", to: "copy", "--several", "copy")
    #expect(copy["leftOut"]["class"] == .null)
    #expect(copy["photos"].number == 4 && copy["images"].number == 5)
    let all = try folders(box, "copy")
    #expect(Set(all.keys) == ["cairn-terrier", "dog", "oak"])
    #expect(all["dog"]?.contains(photo) == true && all["oak"] == [photo])

    let skip = try scene.export("imagefolder", to: "skip", "--several", "skip")
    #expect(skip["leftOut"]["several-classes"].number == 1)
    #expect(skip["photos"].number == 3)
    #expect(try folders(box, "skip").values.allSatisfy { !$0.contains(photo) })
    #expect(
      skip["leftOutSentences"].elements.map(\.string)
        .contains("1 photo with several classes: imagefolder holds one per photo"))
    let unknown = try box.run(
      "cairn", ["export", "imagefolder", "../x", "--several", "best"], in: "a")
    #expect(unknown.status == ExitStatus.usage && unknown.stderr.contains("refuse, first, copy"))
  }

  @Test("prefers the class with the higher confidence to the first by name")
  func confident() throws {
    let scene = try FormatScene()
    let box = scene.box
    for (name, confidence) in [("ash", "0.6"), ("yew", "0.9")] {
      try box.cairn(
        "label", scene.photos[5], name, "--as", "net@1", "--confidence", confidence, in: "a")
    }
    _ = try scene.export("imagefolder", to: "out", "--several", "first")
    let found = try folders(box, "out")
    #expect(found["yew"] == [scene.photos[5]] && found["ash"] == nil)
  }

  @Test("exports other formats as before, with all classes")
  func others() throws {
    let scene = try FormatScene()
    let report = try scene.export("coco")
    #expect(report["labels"].number == 6)
  }
}
