import CairnDocument
import Foundation
import SystemPackage
import TestSupport
import Testing

/// A dataset with photos, to which labelers can be added.
final class Scene {
  let box: Sandbox
  let services: Services
  let photos: [String]

  init(photos count: Int = 12) throws {
    (box, services) = (try Sandbox(user: "Ann"), try Services())
    try box.cairn("init", "a")
    try box.write("", to: "in/.keep")
    for seed in 0..<count {
      let file = box.root.appending("in/photo-\(seed).png")
      try Data(PNG.bytes(UInt8(seed))).write(to: URL(filePath: file.string))
    }
    let added = try box.cairn("photo", "add", "../in", "--json", in: "a")
    photos = try JSON(bytes: added.bytes).array?.compactMap { $0["id"]?.string } ?? []
    try #require(photos.count == count)
  }

  func run(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramOutput {
    try box.runCairn(arguments, in: "a", environment: environment)
  }

  func json(_ arguments: String...) throws -> JSON {
    let output = try box.runCairn(arguments + ["--json"], in: "a")
    return try JSON(bytes: output.bytes)
  }

  func addPlain(_ behavior: String, name: String = "net", atOnce: Int = 8) throws {
    try box.cairn(
      "labeler", "add", name, "--preset", "plain", "--url", services.url("plain", behavior),
      "--model", "net@1", "--at-once", "\(atOnce)", "--replace", in: "a")
  }

  func addProgram(_ behavior: String) throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Programs/program.py").path
    try box.cairn(
      "labeler", "add", "net", "--replace", "--program", "python3", script, behavior,
      box.root.appending("state").string, in: "a")
  }

  /// Returns the confidence of each class labeled as present on a photo: `tree 0.4523`.
  func confidences(of photo: String) throws -> [String: Double] {
    let labels = try json("show", photo)["labels"]?.array ?? []
    return Dictionary(
      uniqueKeysWithValues: labels.filter { $0["verdict"]?.string == "present" }.map {
        ($0["class"]?.string ?? "", $0["confidence"]?.double ?? 0)
      })
  }

  func state(of key: String, on photo: String) throws -> String? {
    let found = try json("show", photo)["resolution"]?.array?.first {
      $0["class"]?.string == key
    }
    return found?["state"]?.string
  }

  /// The file in which cairn logs the photos that the program has predicted.
  var predictionLog: URL {
    let model = Annotator(model: "net@7")!
    return URL(filePath: box.root.appending("a/.git/cairn/predictions/\(model.tag).jsonl").string)
  }

  /// Returns the number of photos whose predictions are completely written.
  func predictedCount() -> Int {
    let text = (try? String(contentsOf: predictionLog, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").count {
      $0.hasSuffix("}") && $0.contains("\"photo\"") && !$0.contains("\"begun\"")
    }
  }

  /// Returns the number of photos with labels on disk.
  func labeledCount() -> Int {
    let labels = URL(filePath: box.root.appending("a/labels").string)
    let files = FileManager.default.enumerator(at: labels, includingPropertiesForKeys: nil)
    var directories = Set<String>()
    while let file = files?.nextObject() as? URL {
      if file.pathExtension == "json" { directories.insert(file.deletingLastPathComponent().path) }
    }
    return directories.count
  }
}
