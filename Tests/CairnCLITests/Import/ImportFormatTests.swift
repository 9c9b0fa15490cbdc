import Foundation
import TestSupport
import Testing

@Suite("cairn import: formats")
struct ImportFormatTests {
  private static let all = FormatScene.wholes + FormatScene.boxes

  /// The labels that an import of each format restores, and the number of photos.
  static let cases: [(format: String, labels: [SceneLabel], photos: Int)] = [
    ("csv", all + FormatScene.absence, 6), ("jsonl", all + FormatScene.absence, 6),
    ("imagefolder", FormatScene.folders, 4), ("yolo-classify", FormatScene.folders, 4),
    ("coco", all + FormatScene.absence, 6),
    ("yolo", FormatScene.withoutConfidence(FormatScene.boxes), 2),
    ("voc", FormatScene.withoutConfidence(all) + FormatScene.absence, 6),
    ("label-studio", all, 6), ("geojson", all + FormatScene.absence, 6),
    ("webdataset", all + FormatScene.absence, 6), ("croissant", all + FormatScene.absence, 6),
    ("fiftyone", all, 6), ("darwin-core", occurrences, 5),
  ]

  /// Each class on a photo once, without boxes and confidence.
  private static var occurrences: [SceneLabel] {
    [
      SceneLabel(photo: 0, label: "oak"), SceneLabel(photo: 0, label: "dog"),
      SceneLabel(photo: 1, label: "dog"), SceneLabel(photo: 3, label: "cairn-terrier"),
      SceneLabel(photo: 4, label: "dog"),
    ] + FormatScene.absence
  }

  /// Returns the labels of a dataset and their annotators.
  private func labels(in dataset: String, _ scene: FormatScene) throws -> [(SceneLabel, by: String)]
  {
    var found: [(SceneLabel, by: String)] = []
    for record in try scene.box.records(in: dataset) {
      let id = record["photo"]["id"].string
      for label in record["labels"].elements where label["verdict"].string != "withdrawn" {
        let region = label["region"]
        let box = region == .null ? [] : ["x", "y", "width", "height"].map { region[$0].number }
        found.append(
          (
            SceneLabel(
              photo: try #require(scene.photos.firstIndex(of: id)), label: label["class"].string,
              box: box.map { Int(($0 * 1e6).rounded()) },
              confidence: Int((label["confidence"].number * 1000).rounded()),
              isAbsent: label["verdict"].string == "absent"), label["annotator"].string
          ))
      }
    }
    return found
  }

  @Test("imports the exported labels, and nothing the second time", arguments: cases)
  func roundTrip(format: String, expected: [SceneLabel], photos: Int) throws {
    let scene = try FormatScene()
    let box = scene.box
    let exported = try scene.export(format)
    try box.cairn("init", "b")
    let plan = try box.json(
      "import", format, "../out", "--annotator", "ann@example.org", "--dry-run", in: "b")
    #expect(plan["commit"] == .null)
    #expect(try box.git("rev-list", "--count", "HEAD", in: "b").word == "1")
    #expect(try box.json("photo", "list", in: "b").elements.isEmpty)
    #expect(plan["photos"]["new"].number == Double(photos))

    let report = try box.json(
      "import", format, "../out", "--annotator", "ann@example.org", in: "b")
    #expect(try labels(in: "b", scene).map(\.0).sorted() == expected.sorted())
    #expect(report["photos"]["new"].number == Double(photos))
    #expect(report["labels"].number == Double(expected.count))
    #expect(report["added"]["label"].number == Double(expected.count))
    #expect(exported["photos"].number == Double(photos))
    // One commit after the initial one, with everything in it.
    try box.expectClean("b")
    try box.expectSound("b")
    #expect(try box.git("rev-list", "--count", "HEAD", in: "b").word == "2")

    // If the format distinguishes them, a model's predictions do not become a person's labels.
    let withModels: Set = [
      "csv", "jsonl", "geojson", "coco", "label-studio", "webdataset", "croissant", "fiftyone",
    ]
    if withModels.contains(format) {
      let models = try labels(in: "b", scene).filter { $0.by.hasPrefix("model:") }.map(\.0)
      #expect(models == FormatScene.wholes.filter { $0.confidence < 1000 })
    }

    let again = try box.json(
      "import", format, "../out", "--annotator", "ann@example.org", in: "b")
    #expect(again["commit"] == .null)
    #expect(again["photos"]["known"].number == Double(photos))
    #expect(try box.git("rev-list", "--count", "HEAD", in: "b").word == "2")
  }

  @Test("recognizes existing boxes as the same labels", arguments: ["coco", "voc", "yolo", "csv"])
  func sameBoxes(format: String) throws {
    let scene = try FormatScene()
    let box = scene.box
    let region = "0.1234567890123,0.3,0.333333333333,0.1"
    try box.cairn("label", scene.photos[5], "ash", "--region", region, in: "a")
    try box.cairn("commit", in: "a")
    let before = try box.tree(of: "a")
    let output = try box.run(
      "cairn", ["export", format, "../out", "--images", "link"], in: "a")
    try #require(output.status == 0)
    let report = try box.json(
      "import", format, "../out", "--annotator", "ann@example.org", in: "a")
    #expect(report["commit"] == .null, "\(report)")
    #expect(report["labels"].number > 0)
    #expect(try box.tree(of: "a") == before)
  }

  @Test("imports labels as those of the given model or person")
  func annotators() throws {
    let scene = try FormatScene()
    let box = scene.box
    _ = try scene.export("voc")
    for dataset in ["b", "c", "d"] { try box.cairn("init", dataset) }
    try box.cairn("import", "voc", "../out", "--as", "yolo@11", in: "b")
    try box.cairn("import", "voc", "../out", "--annotator", "Bo@example.org", in: "c")
    #expect(Set(try labels(in: "b", scene).map(\.by)) == ["model:yolo@11"])
    #expect(Set(try labels(in: "c", scene).map(\.by)) == ["human:bo@example.org"])
    _ = try scene.export("label-studio", to: "studio")
    try box.cairn("import", "label-studio", "../studio", "--annotator", "ann@example.org", in: "d")
    let people = try labels(in: "d", scene)
    #expect(people.filter { $0.by == "model:net@1" }.map(\.0) == [FormatScene.wholes[2]])
    #expect(people.count { $0.by == "human:ann@example.org" } == 5)
    try box.refuses(
      "import", "voc", "../out", "--as", "nonsense", in: "b", with: ExitStatus.badData)
    try box.refuses(
      "import", "voc", "../out", "--annotator", "nobody", in: "b", with: ExitStatus.badData)
    try box.refuses("import", "coco", "../nowhere", in: "b", with: ExitStatus.notFound, hint: false)
  }

  @Test(
    "finds photos by file name, and classes by display name")
  func references() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.cairn("class", "rename", "dog", "Hound", in: "a")
    try box.write(
      """
      filename,class,score\r
      \(scene.photos[5]).png,hound,0.5\r
      """, to: "predictions.csv")
    try box.cairn("import", "csv", "../predictions.csv", "--as", "net@2", in: "a")
    let label = try labels(in: "a", scene).first { $0.by == "model:net@2" }
    #expect(label?.0 == SceneLabel(photo: 5, label: "dog", confidence: 500))
    // A name that two classes have is refused.
    for key in ["oak", "cat"] { try box.cairn("class", "rename", key, "Beast", in: "a") }
    try box.write("file,label\n\(scene.photos[5]).png,beast\n", to: "beasts.csv")
    let refused = try box.run(
      "cairn", ["import", "csv", "../beasts.csv", "--annotator", "ann@example.org"], in: "a")
    #expect(refused.status == ExitStatus.badData)
    #expect(refused.stderr.contains("beasts.csv, line 2: “beast” matches 2 classes: cat, oak"))
  }

  @Test("imports flags and rectangles of LabelMe and reports points")
  func labelMe() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.sh("mkdir x; cp from/*.png x; cp x/photo-1.png x/other.png")
    try box.write(
      """
      {"version": "6.3", "flags": {"oak": true, "elm": false}, "imagePath": "photo-0.png",
       "imageData": null, "imageHeight": 30, "imageWidth": 40,
       "shapes": [
        {"label": "dog", "points": [[24, 18], [4, 6]], "group_id": null,
         "shape_type": "rectangle", "flags": {}},
        {"label": "cat", "points": [[1, 1]], "shape_type": "point", "flags": {}}
       ]}
      """, to: "x/photo-0.json")
    try box.cairn("init", "b")
    let refused = try box.run(
      "cairn", ["import", "labelme", "../x", "--annotator", "ann@example.org"], in: "b")
    #expect(refused.status == ExitStatus.badData)
    #expect(refused.stderr.contains("photo-0.json, line 6: a point,"))
    #expect(try box.json("photo", "list", in: "b").elements.isEmpty)
    let report = try box.json(
      "import", "labelme", "../x", "--skip-invalid", "--annotator", "ann@example.org", in: "b")
    #expect(report["problemCount"].number == 1)
    #expect(
      report["notes"].elements.map(\.string) == [
        "ignored: flags that are not set, once"
      ])
    #expect(
      try labels(in: "b", scene).map(\.0).sorted() == [
        SceneLabel(photo: 0, label: "dog", box: [100_000, 200_000, 500_000, 400_000]),
        SceneLabel(photo: 0, label: "oak"),
      ])
    try box.expectSound("b")
  }

  @Test("imports GeoJSON points as pins, and the same pins the second time")
  func pins() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    try box.write(
      """
      {"type": "FeatureCollection", "features": [
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-3.9, 57.5, 12]},
         "properties": {"name": "Mill", "height": 3}},
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-3.9, 91]},
         "properties": null},
        {"type": "Feature", "geometry": null, "properties": {}}]}
      """, to: "places.geojson")
    let report = try box.json("import", "geojson", "../places.geojson", "--skip-invalid", in: "a")
    #expect(report["pins"].number == 1)
    #expect(report["problems"].elements.map { $0["line"].number } == [4, 6])
    #expect(
      report["notes"].elements.map(\.string) == [
        "ignored: the altitude of pins, once", "ignored: “height” of pins, once",
      ])
    let pins = try box.json("pin", "list", in: "a").elements
    #expect(pins.map { $0["name"].string } == ["Mill"])
    #expect(pins.map { $0["latitude"].number } == [57.5])
    let again = try box.json("import", "geojson", "../places.geojson", "--skip-invalid", in: "a")
    #expect(again["commit"] == .null)
  }

  @Test("reports file names that lead out of the directory and files that are not images")
  func hostileNames() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.write(PNG.bytes(seed: 77), to: "secret.png")
    try box.write("no image", to: "x/text.png")
    try box.sh(
      "cp secret.png x/own.png; ln -s ../secret.png x/link.png; ln -s .. x/up; mkfifo x/pipe.png")
    let long = String(repeating: "a", count: 5000)
    let names = [
      "../secret.png", box.url("secret.png").path, "link.png", "up/secret.png", "text.png",
      "pipe.png", "own.png/..", "nowhere.png", "", long, "own.png",
    ]
    let rows = names.map { "\($0),oak\n" }.joined()
    try box.write("file_name,label\n" + rows, to: "x/labels.csv")
    try box.cairn("init", "b")
    let report = try box.json(
      "import", "csv", "../x", "--skip-invalid", "--annotator", "ann@example.org", in: "b")
    #expect(report["problems"].elements.map { $0["line"].number } == (2...11).map(Double.init))
    #expect(report["photos"]["new"].number == 1)
    let images = try box.json("photo", "list", in: "b").elements.map {
      $0["photo"]["source"].string
    }
    #expect(images == ["own.png"])
    // With --image-dir, file names that lead elsewhere are looked up in that directory.
    try box.cairn("init", "c")
    try box.sh("mkdir y; cp secret.png y/")
    let found = try box.json(
      "import", "csv", "../x", "--skip-invalid", "--image-dir", "../y", "--annotator",
      "ann@example.org",
      in: "c")
    #expect(found["photos"]["new"].number == 1)
    #expect(found["labels"].number == 1)
  }

  @Test("reports contradicting rows and boxes outside of their image")
  func contradictions() throws {
    let scene = try FormatScene()
    let box = scene.box
    let photo = "\(scene.photos[0]).png"
    try box.write(
      """
      file_name,label,state,confidence,x,y,width,height
      \(photo),ash,,,,,,
      \(photo),ash,,,,,,
      \(photo),ash,rejected,,,,,
      \(photo),elm,,,0.9,0.1,0.5,0.1
      \(photo),elm,,,0.1,0.1,0,0.1
      \(photo),elm,,,-0.005,0.1,0.5,0.1
      \(photo),\u{7},,,,,,
      """, to: "labels.csv")
    let report = try box.json(
      "import", "csv", "../labels.csv", "--skip-invalid", "--annotator", "ann@example.org", in: "a")
    #expect(report["problems"].elements.map { $0["line"].number } == [4, 5, 6, 8])
    #expect(report["labels"].number == 2)
    let boxes = try labels(in: "a", scene).map(\.0).filter { $0.label == "elm" }
    #expect(boxes == [SceneLabel(photo: 0, label: "elm", box: [0, 100_000, 495_000, 100_000])])
  }
}
