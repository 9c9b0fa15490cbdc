import Foundation
import TestSupport
import Testing

@Suite("cairn import: formats of field naturalists")
struct FieldImportTests {
  /// Returns a text for each label of a dataset: its photo, class and annotator, and whether it has
  /// a box.
  private func labels(_ scene: FormatScene, in dataset: String = "b") throws -> [String] {
    try scene.box.records(in: dataset).flatMap { record in
      let id = record["photo"]["id"].string
      let photo = try #require(scene.photos.firstIndex(of: id))
      return record["labels"].elements.map { label in
        let box = label["region"] == .null ? "" : " box"
        return "\(photo) \(label["class"].string)\(box) \(label["annotator"].string)"
      }
    }.sorted()
  }

  @Test("imports MegaDetector's boxes as a model's, and nothing the second time")
  func megadetector() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.sh("mkdir -p card/a; cp from/photo-0.png from/photo-1.png card/a")
    try box.write(
      """
      {"images": [
        {"file": "a/photo-0.png", "detections": [
          {"category": "1", "conf": 0.9, "bbox": [0.1, 0.2, 0.5, 0.25],
           "classifications": [["0", 0.8]]}]},
        {"file": "a/photo-1.png", "detections": []},
        {"file": "a/gone.png", "failure": "image access", "detections": null}],
       "detection_categories": {"1": "animal"}, "classification_categories": {"0": "fox"},
       "info": {"detector": "md_v5a.0.0.pt", "classifier": "forest/3", "format_version": "1.4"}}
      """, to: "md.json")
    try box.cairn("init", "b")
    // The file does not name the classifier as NAME@VERSION.
    let arguments = ["import", "megadetector", "../md.json", "--image-dir", "../card"]
    let refused = try box.run("cairn", arguments, in: "b")
    #expect(refused.status == ExitStatus.badData)
    #expect(refused.stderr.contains("name it with --as"))
    let output = try box.run("cairn", arguments + ["--as", "forest@3", "--json"], in: "b")
    let report = try output.json()
    #expect(report["photos"]["new"].number == 2)
    #expect(
      try labels(scene) == ["0 animal box model:megadetector@v5a.0.0", "0 fox box model:forest@3"])
    #expect(report["notes"].elements.count == 1)
    let again = try box.run("cairn", arguments + ["--as", "forest@3", "--json"], in: "b")
    #expect(try again.json()["commit"] == .null)
    try box.expectSound("b")
  }

  @Test("imports a camera trap package with pins of its deployments")
  func camtrapDP() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.sh("mkdir -p x/media; cp from/photo-0.png from/photo-1.png x/media")
    try box.write(
      """
      {"name": "hill", "resources": [
        {"name": "deployments", "path": "deployments.csv"}, {"name": "media", "path": "media.csv"},
        {"name": "observations", "path": "observations.csv"}]}
      """, to: "x/datapackage.json")
    try box.write(
      """
      deploymentID,locationID,locationName,latitude,longitude
      d1,l1,Mill,57.5,-3.9
      """, to: "x/deployments.csv")
    try box.write(
      """
      mediaID,deploymentID,timestamp,filePath,fileMediatype
      m1,d1,2020-05-30T04:57:37+02:00,media/photo-0.png,image/png
      m2,d1,2020-05-30T04:57:38+02:00,media/photo-1.png,image/png
      """, to: "x/media.csv")
    try box.write(
      """
      mediaID,observationLevel,observationType,scientificName,bboxX,bboxY,bboxWidth,bboxHeight,\
      classificationMethod,classifiedBy,classificationProbability
      m1,media,animal,Anas platyrhynchos,0.1,0.2,0.5,0.25,human,,
      m2,media,blank,,,,,,machine,net@2,0.75
      """, to: "x/observations.csv")
    try box.cairn("init", "b")
    let report = try box.json(
      "import", "camtrap-dp", "../x", "--annotator", "ann@example.org", in: "b")
    #expect(report["photos"]["new"].number == 2)
    #expect(
      try labels(scene) == [
        "0 anas-platyrhynchos box human:ann@example.org", "1 blank model:net@2",
      ])
    let pins = try box.json("pin", "list", in: "b").elements
    #expect(pins.map { $0["name"].string } == ["Mill"])
    for photo in scene.photos.prefix(2) {
      let pin = try scene.document(of: photo, in: "b")["pin"]["value"].string
      #expect(pin == pins[0]["id"].string)
    }
    let again = try box.json(
      "import", "camtrap-dp", "../x", "--annotator", "ann@example.org", in: "b")
    #expect(again["commit"] == .null)
    try box.expectSound("b")
  }

  @Test("finds photos of a Darwin Core Archive by the names that people give their files")
  func darwinCore() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.sh(
      """
      mkdir photos
      cp from/photo-0.png photos/251.png; cp from/photo-1.png photos/4019.png
      cp from/photo-2.png photos/elm.png
      """)
    let terms = [
      ("core", "Occurrence", "occurrence.txt"), ("extension", "Multimedia", "media.txt"),
    ]
    let tables = terms.map { element, type, file in
      let fields =
        element == "core"
        ? #"<id index="0"/><field index="1" term="http://rs.tdwg.org/dwc/terms/scientificName"/>"#
        : #"<coreid index="0"/><field index="1" term="http://purl.org/dc/terms/identifier"/>"#
      return """
        <\(element) fieldsTerminatedBy="\\t" fieldsEnclosedBy="" ignoreHeaderLines="1"
          rowType="http://rs.tdwg.org/dwc/terms/\(type)">
          <files><location>\(file)</location></files>\(fields)</\(element)>
        """
    }
    try box.write("<archive>\(tables.joined())</archive>", to: "x/meta.xml")
    try box.write(
      "gbifID\tscientificName\n4018\tQuercus\n4019\tFagus\n4020\tUlmus\n", to: "x/occurrence.txt")
    try box.write(
      """
      gbifID\tidentifier
      4018\thttps://example.org/photos/251/original.png
      4019\thttps://example.org/media/8f14e45f
      4020\thttps://example.org/elm.png?size=large
      4020\thttps://example.org/gone.png
      """, to: "x/media.txt")
    try box.cairn("init", "b")
    let report = try box.json(
      "import", "darwin-core", "../x", "--image-dir", "../photos", "--skip-invalid", "--annotator",
      "ann@example.org", in: "b")
    #expect(report["photos"]["new"].number == 3)
    #expect(report["problems"].elements.map { $0["line"].number } == [5])
    #expect(
      try labels(scene).map { $0.split(separator: " ")[1] } == ["quercus", "fagus", "ulmus"])
    try box.expectSound("b")
  }

  @Test("tells subsets of Datumaro and CVAT apart whose files have the same name")
  func subsets() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.sh(
      """
      mkdir -p x/images/train x/images/val
      cp from/photo-0.png x/images/train/1.png; cp from/photo-1.png x/images/val/1.png
      """)
    for (subset, name) in [("train", "oak"), ("val", "elm")] {
      try box.write(
        """
        {"categories": {"label": {"labels": [{"name": "\(name)"}]}}, "items": [
          {"id": "1", "image": {"path": "1.png"},
           "annotations": [{"type": "label", "label_id": 0}]}]}
        """, to: "x/annotations/\(subset).json")
    }
    try box.write(
      """
      <annotations><version>1.1</version>
      <image id="0" name="1.png" subset="train" width="40" height="30"><tag label="ash"/></image>
      <image id="1" name="1.png" subset="val" width="41" height="31"><tag label="fir"/></image>
      </annotations>
      """, to: "x/annotations.xml")
    try box.cairn("init", "b")
    let ann = ["--annotator", "ann@example.org"]
    for arguments in [["datumaro", "../x"], ["cvat", "../x/annotations.xml"]] {
      let output = try box.run("cairn", ["import"] + arguments + ann, in: "b")
      #expect(output.status == 0, "\(output.stderr)")
    }
    #expect(
      try labels(scene) == ["ash", "oak"].map { "0 \($0) human:ann@example.org" }
        + ["elm", "fir"].map { "1 \($0) human:ann@example.org" })
  }
}
