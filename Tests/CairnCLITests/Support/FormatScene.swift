import Foundation
import TestSupport
import Testing

/// A label on a photo of the scene, as a dataset contains it or another program reads it.
struct SceneLabel: Hashable, Comparable, CustomStringConvertible {
  /// The index of the photo in the scene.
  let photo: Int
  let label: String
  /// In millionths of the image: x, y, width, height.
  var box: [Int] = []
  /// In thousandths.
  var confidence = 1000
  var isAbsent = false

  var description: String {
    "\(photo) \(label) \(box) \(confidence)\(isAbsent ? " absent" : "")"
  }

  static func < (a: SceneLabel, b: SceneLabel) -> Bool { a.description < b.description }
}

/// The dataset that is exported in every format: labels of whole photos and of boxes, a rejected
/// label, a model's label, a photo with two classes and one with none.
struct FormatScene {
  let box: Sandbox
  let photos: [String]

  /// Makes the dataset of the scene, named `a`.
  init() throws {
    box = try Sandbox()
    try box.cairn("init", "a")
    try box.cairn("pin", "add", "57.5", "-3.9", "--name", "harbor", in: "a")
    for index in 0..<6 {
      let image = PNG.bytes(seed: index, width: 40 + index, height: 30 + index)
      try box.write(image, to: "from/photo-\(index).png")
    }
    let added = try box.json("photo", "add", "../from", "--pin", "harbor", in: "a")
    photos = added.elements.sorted { $0["file"].string < $1["file"].string }.map {
      $0["id"].string
    }
    try box.cairn("photo", "edit", photos[0], "--title", "A \"mill\", old", in: "a")
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("label", photos[0], "dog", "--region", "0.1,0.2,0.5,0.4", in: "a")
    try box.cairn("label", photos[1], "dog", in: "a")
    try box.cairn("label", photos[2], "cat", "--absent", in: "a")
    try box.cairn(
      "label", photos[3], "Cairn terrier", "--as", "net@1", "--confidence", "0.75", in: "a")
    try box.cairn("label", photos[4], "dog", "--region", "0.25,0.25,0.5,0.5", in: "a")
    try box.cairn("label", photos[4], "dog", "--region", "0,0,0.125,0.3", in: "a")
    try box.cairn("commit", in: "a")
  }

  static let wholes = [
    SceneLabel(photo: 0, label: "oak"), SceneLabel(photo: 1, label: "dog"),
    SceneLabel(photo: 3, label: "cairn-terrier", confidence: 750),
  ]
  static let boxes = [
    SceneLabel(photo: 0, label: "dog", box: [100_000, 200_000, 500_000, 400_000]),
    SceneLabel(photo: 4, label: "dog", box: [250_000, 250_000, 500_000, 500_000]),
    SceneLabel(photo: 4, label: "dog", box: [0, 0, 125_000, 300_000]),
  ]
  static let absence = [SceneLabel(photo: 2, label: "cat", isAbsent: true)]
  /// One class for each photo: of two on photo 0 the first by name, dog.
  static let folders = [
    SceneLabel(photo: 0, label: "dog"), SceneLabel(photo: 1, label: "dog"),
    SceneLabel(photo: 3, label: "cairn-terrier"), SceneLabel(photo: 4, label: "dog"),
  ]

  /// Returns the labels as a format without confidences keeps them.
  static func withoutConfidence(_ labels: [SceneLabel]) -> [SceneLabel] {
    labels.map { SceneLabel(photo: $0.photo, label: $0.label, box: $0.box, isAbsent: $0.isAbsent) }
  }

  /// Exports confirmed, predicted and rejected labels; returns the report.
  func export(_ format: String, to directory: String = "out", _ options: String...) throws
    -> JSONValue
  {
    var arguments =
      ["export", format, "../\(directory)", "--states", "confirmed,predicted,rejected", "--json"]
      + options
    // A photo of the scene has two classes.
    let hasOneClass = ["imagefolder", "createml", "yolo-classify"].contains(format)
    if hasOneClass, !options.contains("--several") { arguments += ["--several", "first"] }
    let output = try box.run("cairn", arguments, in: "a")
    try #require(output.status == 0, "\(output.stderr)")
    return try output.json()
  }

  /// Returns the document of a photo.
  func document(of photo: String, in dataset: String) throws -> JSONValue {
    let path = "\(dataset)/photos/\(photo.prefix(2))/\(photo.dropFirst(2).prefix(2))/\(photo).json"
    return try JSONDecoder().decode(JSONValue.self, from: box.read(path))
  }

  /// Runs a Python script with the other programs' packages, in a directory of the sandbox. The
  /// script calls `report(photo, label, box, confidence, absent)` for each label that it reads, with
  /// boxes as fractions. Returns these labels.
  func read(_ script: String, in directory: String = "out") throws -> [SceneLabel] {
    let output = try python(script + "\nprint(json.dumps(reported))", in: directory)
    // Some packages print greetings.
    let last = try #require(output.lines.last, "\(output.stderr)")
    let rows = try JSONDecoder().decode(JSONValue.self, from: Data(last.utf8)).elements
    return try rows.map { row in
      let stem = row["photo"].string.split(separator: "/").last?.prefix(64) ?? ""
      return SceneLabel(
        photo: try #require(photos.firstIndex(of: String(stem)), "\(row)"),
        label: row["label"].string,
        box: row["box"].elements.map { Int(($0.number * 1e6).rounded()) },
        confidence: Int((row["confidence"].number * 1000).rounded()),
        isAbsent: row["absent"].isTrue)
    }.sorted()
  }

  func python(_ script: String, in directory: String = "out") throws -> ProgramOutput {
    let program = try #require(Programs.clients)
    let output = try box.run(
      program, ["-c", FormatScene.prelude + script], in: directory,
      environment: [
        "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "LC_ALL": "C.UTF-8",
        "HF_HOME": box.url("home/hf").path,
      ])
    try #require(output.status == 0, "\(output.stderr)")
    return output
  }

  private static let prelude = """
    import json, os, sys, io, glob
    reported = []
    def report(photo, label, box=None, confidence=1, absent=False):
        reported.append(dict(photo=str(photo), label=str(label), box=[float(x) for x in box or []],
                         confidence=float(confidence), absent=bool(absent)))

    """
}
