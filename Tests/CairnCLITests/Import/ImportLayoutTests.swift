import Foundation
import TestSupport
import Testing

@Suite("cairn import: file layouts of other programs")
struct ImportLayoutTests {
  private func imported(_ scene: FormatScene, in dataset: String = "b") throws -> [SceneLabel] {
    try scene.box.records(in: dataset).flatMap { record in
      let id = record["photo"]["id"].string
      return try record["labels"].elements.map { label in
        let region = label["region"]
        let box = region == .null ? [] : ["x", "y", "width", "height"].map { region[$0].number }
        return SceneLabel(
          photo: try #require(scene.photos.firstIndex(of: id)), label: label["class"].string,
          box: box.map { Int(($0 * 1e6).rounded()) },
          confidence: Int((label["confidence"].number * 1000).rounded()),
          isAbsent: label["verdict"].string == "absent")
      }
    }.sorted()
  }

  @Test(
    "finds YOLO labels in the layouts of Roboflow, Ultralytics and Darknet",
    arguments: [
      // Roboflow, Ultralytics and Darknet.
      ("x/train/images", "x/train/labels", "x/valid/images", "x/valid/labels"),
      ("x/images/train", "x/labels/train", "x/images/val", "x/labels/val"),
      ("x/data", "x/data", "x/more", "x/more"),
    ])
  func yolo(images: String, labels: String, otherImages: String, otherLabels: String) throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.sh(
      """
      mkdir -p \(images) \(labels) \(otherImages) \(otherLabels)
      cp from/photo-0.png \(images)/a.b.png; cp from/photo-1.png \(otherImages)/c.png
      cp from/photo-2.png \(images)/background.png
      """)
    try box.write(
      """
      train: ../train/images
      val: ../valid/images

      nc: 3
      names: ['Scots pine', "oak, sessile",
        elm]   # three
      roboflow:
        workspace: trees
      """, to: "x/data.yaml")
    try box.write("0 0.5 0.5 0.5 0.5\n2 0.25 0.25 0.5 0.5\n", to: "\(labels)/a.b.txt")
    try box.write("1 0.5 0.5 1 1\n", to: "\(otherLabels)/c.txt")
    try box.cairn("init", "b")
    let report = try box.json("import", "yolo", "../x", "--annotator", "ann@example.org", in: "b")
    #expect(report["photos"]["new"].number == 3)
    #expect(report["notes"].elements.map(\.string) == ["ignored: “roboflow” of data.yaml, once"])
    let labels = try imported(scene)
    #expect(labels.map(\.photo) == [0, 0, 1])
    #expect(
      labels.map(\.box) == [
        [0, 0, 500_000, 500_000], [250_000, 250_000, 500_000, 500_000],
        [0, 0, 1_000_000, 1_000_000],
      ])
    #expect(labels[0].label == "elm" && labels[1].label == "scots-pine")
  }

  @Test("reads the classes of YOLO from the only YAML file, or from the one that is given")
  func otherYAML() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.sh("mkdir -p x/images x/labels; cp from/photo-0.png x/images/a.png")
    try box.write("path: .\nnames: {0: oak, 1: elm}\n", to: "x/coco8.yaml")
    try box.write("1 0.5 0.5 0.5 0.5\n", to: "x/labels/a.txt")
    func classes(_ path: String, in dataset: String) throws -> [String] {
      try box.cairn("init", dataset)
      _ = try box.json("import", "yolo", path, "--annotator", "ann@example.org", in: dataset)
      return try imported(scene, in: dataset).map(\.label)
    }
    #expect(try classes("../x", in: "b") == ["elm"])
    #expect(try classes("../x/coco8.yaml", in: "c") == ["elm"])
    try box.write("names: [beech, fir]\n", to: "x/other.yml")
    #expect(try classes("../x/other.yml", in: "d") == ["fir"])
    let refused = try box.runCairn(
      ["import", "yolo", "../x", "--annotator", "ann@example.org"], in: "a")
    #expect(refused.status == ExitStatus.badData, "\(refused.all)")
    #expect(refused.stderr.contains("Give the path of the YAML file with the class names."))
  }

  @Test("reports text files that are not YOLO labels, except for common lists")
  func strayLabels() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.sh("mkdir -p x/images x/labels x/more; cp from/photo-0.png x/images/a.png")
    try box.write("names: [oak]\n", to: "x/data.yaml")
    let row = "0 0.5 0.5 0.5 0.5\n"
    for name in ["labels/a", "more/b", "c"] { try box.write(row, to: "x/\(name).txt") }
    for name in ["train", "labels/classes", "test", "more/val", "README.dataset"] {
      try box.write("images/a.png\n", to: "x/\(name).txt")
    }
    let report = try box.json(
      "import", "yolo", "../x", "-n", "--annotator", "ann@example.org", in: "a")
    #expect(report["labels"].number == 1)
    #expect(
      report["notes"].elements.map(\.string) == [
        "ignored: “c.txt”, which is not the label file of an image, once",
        "ignored: “more/b.txt”, which is not the label file of an image, once",
      ])
  }

  @Test("reports texts that are too long, and leaves them out with --skip-invalid")
  func longWords() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.write(PNG.bytes(seed: 99), to: "x/new.png")
    let long = String(repeating: "w", count: 17_000)
    let pin = String(repeating: "0", count: 19) + "7"
    let rows = ["new.png", "\(scene.photos[5]).png"].map { file in
      "\(file),oak,\(long),\(long),\(long),\(long),CC0,\(pin),\(long),1,2\n"
    }
    try box.write(
      "file_name,label,title,caption,source,author,licence,pin,pin_name,latitude,longitude\n"
        + rows.joined(), to: "x/labels.csv")
    let refused = try box.run(
      "cairn", ["import", "csv", "../x", "--annotator", "ann@example.org"], in: "a")
    #expect(refused.status == ExitStatus.badData)
    #expect(refused.stderr.contains("labels.csv, line 2: “title” is longer than 16384 bytes"))
    let report = try box.json(
      "import", "csv", "../x", "--skip-invalid", "--annotator", "ann@example.org", in: "a")
    #expect(report["problems"].elements.map { $0["line"].number } == [2, 2, 2, 2, 2, 3, 3, 3, 3])
    #expect(report["labels"].number == 2)
    let document = try scene.document(of: scene.photos[5], in: "a")
    #expect(document["title"]["value"].string == "")
    #expect(document["credit"]["value"]["licence"].string == "CC0")
    #expect(document["credit"]["value"]["author"] == .null)
    try box.expectSound("a")
  }

  @Test("reads directories named like subsets as subsets, unless --folders classes is given")
  func parts() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.sh(
      """
      mkdir -p x/train/oak x/valid/elm y/train/oak y/bus
      cp from/photo-0.png x/train/oak; cp from/photo-1.png x/valid/elm
      cp from/photo-0.png y/train/oak; cp from/photo-1.png y/bus
      """)
    for name in ["b", "c", "d", "e"] { try box.cairn("init", name) }
    let report = try box.json(
      "import", "imagefolder", "../x", "--annotator", "ann@example.org", in: "b")
    #expect(
      try imported(scene) == [
        SceneLabel(photo: 0, label: "oak"), SceneLabel(photo: 1, label: "elm"),
      ])
    #expect(
      report["notes"].elements.first?.string.hasPrefix("“train”, “valid”: read as subsets") == true)
    try box.cairn(
      "import", "imagefolder", "../x", "--folders", "classes", "--annotator", "ann@example.org",
      in: "c")
    #expect(
      try imported(scene, in: "c")
        == [SceneLabel(photo: 0, label: "train"), SceneLabel(photo: 1, label: "valid")])
    // Next to other directories, such a name is a class.
    try box.cairn("import", "imagefolder", "../y", "--annotator", "ann@example.org", in: "d")
    #expect(
      try imported(scene, in: "d")
        == [SceneLabel(photo: 0, label: "train"), SceneLabel(photo: 1, label: "bus")])
    try box.refuses(
      "import", "csv", "../x", "--folders", "classes", in: "e", with: ExitStatus.usage)
    let refused = try box.run(
      "cairn", ["import", "imagefolder", "../x", "--folders", "parts"], in: "e")
    #expect(refused.status == ExitStatus.usage && refused.stderr.contains("classes or subsets"))
    // `splits` was the name of subsets.
    try box.cairn(
      "import", "imagefolder", "../x", "--folders", "splits", "--annotator", "ann@example.org",
      in: "e")
    #expect(try imported(scene, in: "e") == imported(scene))
  }

  @Test("counts the ignored fields of each kind")
  func ignored() throws {
    let scene = try FormatScene()
    let box = scene.box
    let photos = scene.photos.map { "\($0).png" }
    func notes(_ format: String, _ path: String) throws -> [String] {
      try box.json(
        "import", format, "../\(path)", "--dry-run", "--annotator", "ann@example.org", in: "a")[
          "notes"
        ]
        .elements.map(\.string)
    }
    try box.write(
      "file_name,label,mood,when\n\(photos[0]),oak,glad,\n\(photos[1]),oak,sad,\n", to: "a.csv")
    #expect(try notes("csv", "a.csv") == ["ignored: the column “mood”, 2 times"])
    try box.write(
      """
      {"file_name": "\(photos[0])", "labels": [{"label": "oak", "mood": 1}], "when": "x"}
      {"file_name": "\(photos[1])", "labels": [{"label": "oak", "mood": null}], "when": 3}
      """, to: "a.jsonl")
    #expect(
      try notes("jsonl", "a.jsonl") == [
        "ignored: “mood” of labels, once", "ignored: “when” of photos, 2 times",
      ])
    try box.write(
      """
      {"info": {"year": 2024}, "mood": 1,
       "images": [{"id": 1, "file_name": "\(photos[0])", "copyright_holder": "x"}],
       "categories": [{"id": 1, "name": "oak", "supercategory": "tree"}],
       "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "keypoints": [1, 2, 2]}]}
      """, to: "a.json")
    #expect(
      try notes("coco", "a.json") == [
        "ignored: “copyright_holder” of images, once",
        "ignored: “keypoints” of annotations, once", "ignored: “mood”, once",
        "ignored: “supercategory” of categories, once",
      ])
    try box.write(
      """
      <annotation><filename>\(photos[0])</filename><source><database>x</database></source>
      <object><name>oak</name><pose>Left</pose><difficult>1</difficult><truncated>0</truncated>
      <bndbox><xmin>0</xmin><ymin>0</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object></annotation>
      """, to: "v/Annotations/a.xml")
    #expect(
      try notes("voc", "v") == [
        "ignored: “difficult” of objects, once", "ignored: “pose” of objects, once",
        "ignored: “source” of annotations, once",
      ])
    // The number of kinds is limited.
    let many = (0..<300).map { "\"member-\($0)\": 1" }.joined(separator: ", ")
    try box.write("{\"file_name\": \"\(photos[0])\", \(many)}\n", to: "b.jsonl")
    let listed = try notes("jsonl", "b.jsonl")
    #expect(listed.count == 101)
    #expect(listed.last == "ignored: 200 items of other kinds")
  }

  @Test("requires --as or --annotator for labels with scores")
  func scores() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.write(
      """
      {"images": [{"id": 1, "file_name": "\(scene.photos[5]).png"}],
       "categories": [{"id": 1, "name": "oak"}],
       "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "score": 0.5}]}
      """, to: "a.json")
    try box.write("file_name,label,score\n\(scene.photos[5]).png,oak,0.5\n", to: "a.csv")
    for (format, file) in [("coco", "a.json"), ("csv", "a.csv")] {
      let output = try box.run("cairn", ["import", format, "../\(file)"], in: "a")
      #expect(output.status == ExitStatus.badData)
      #expect(output.stderr.contains("a score below 1, so it is probably a model's"))
      let known = try box.json("import", format, "../\(file)", "--as", "net@3", "-n", in: "a")
      #expect(known["labels"].number == 1)
      let person = try box.json(
        "import", format, "../\(file)", "--annotator", "bo@example.org", "-n", in: "a")
      #expect(person["labels"].number == 1)
    }
  }

  @Test("imports keywords as labels, and titles, captions, authors and licenses")
  func keywords() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.write(
      """
      file_name,keywords,title,caption,author,licence
      \(scene.photos[5]).png,oak; Scots pine,Two trees,,Bo,CC0
      """, to: "a.csv")
    try box.write(
      """
      {"file_name": "\(scene.photos[4]).png", "tags": ["oak", "elm"], "caption": "Elms"}
      """, to: "a.jsonl")
    try box.cairn("import", "csv", "../a.csv", "--annotator", "ann@example.org", in: "a")
    try box.cairn("import", "jsonl", "../a.jsonl", "--annotator", "ann@example.org", in: "a")
    let four = try box.json("show", scene.photos[4], in: "a")
    let five = try box.json("show", scene.photos[5], in: "a")
    #expect(
      five["labels"].elements.map { $0["class"].string }.sorted().first == "oak")
    #expect(five["labels"].elements.count == 2)
    let document = try scene.document(of: scene.photos[5], in: "a")
    #expect(document["title"]["value"].string == "Two trees")
    #expect(document["credit"]["value"]["author"].string == "Bo")
    #expect(document["credit"]["value"]["licence"].string == "CC0")
    #expect(Set(four["labels"].elements.map { $0["class"].string }) == ["dog", "oak", "elm"])
    #expect(
      try scene.document(of: scene.photos[4], in: "a")["caption"]["value"].string == "Elms")
    let again = try box.json("import", "csv", "../a.csv", "--annotator", "ann@example.org", in: "a")
    #expect(again["commit"] == .null)
  }

  @Test("imports uploads, multiple choices and rotated rectangles of Label Studio")
  func labelStudio() throws {
    let scene = try FormatScene()
    let box = scene.box
    // Photo 1 has 41 × 31 pixels; a square of 8 pixels is rotated by 90° about its corner.
    try box.sh(
      "mkdir up; cp from/photo-1.png up/1f3a9c21-photo-1.png; cp from/photo-0.png up/a.png")
    try box.write(
      """
      [{"id": 1, "file_upload": "1f3a9c21-photo-1.png",
        "data": {"image": "/data/upload/7/1f3a9c21-photo-1.png"},
        "annotations": [{"id": 1, "completed_by": 3, "lead_time": 2.5, "result": [
          {"type": "choices", "value": {"choices": ["oak", "elm"]}},
          {"type": "rectanglelabels", "original_width": 41, "original_height": 31,
           "value": {"x": 50, "y": 25, "width": 19.51219512195122, "height": 25.806451612903224,
            "rotation": 90, "rectanglelabels": ["dog"]}}]}]},
       {"id": 2, "data": {"image": "/data/upload/7/0a1b2c3d-a.png"},
        "predictions": [{"model_version": "net@1", "score": 0.5, "result": [
          {"type": "choices", "value": {"choices": ["oak"]}},
          {"type": "choices", "score": 0.25, "value": {"choices": ["elm"]}}]}]}]
      """, to: "up/tasks.json")
    try box.cairn("init", "b")
    let report = try box.json(
      "import", "label-studio", "../up/tasks.json", "--annotator", "ann@example.org", in: "b")
    #expect(report["notes"].elements.isEmpty)
    let labels = try imported(scene)
    #expect(labels.filter { $0.box.isEmpty }.map(\.label) == ["elm", "oak", "elm", "oak"])
    #expect(labels.filter { $0.photo == 0 }.map(\.confidence) == [250, 500])
    let rotated = try #require(labels.first { !$0.box.isEmpty })
    // Rotated clockwise about its top left corner, the square is to the left of that corner.
    #expect(rotated.box == [304_878, 250_000, 195_122, 258_064])
  }
}
