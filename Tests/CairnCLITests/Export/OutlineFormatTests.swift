import Foundation
import TestSupport
import Testing

/// A dataset with outlines: a polygon of two parts, a mask with a hole and a part of its own, a crowd,
/// and a box.
private struct OutlineScene {
  let scene: FormatScene
  var box: Sandbox { scene.box }

  /// The file that was imported; masks are those of `MaskTests`, on an image of 43 × 33 pixels.
  static let coco = """
    {"images": [{"id": 1, "file_name": "photo-3.png", "width": 43, "height": 33}],
     "categories": [{"id": 1, "name": "oak"}, {"id": 2, "name": "elm"}],
     "annotations": [
      {"id": 1, "image_id": 1, "category_id": 1, "iscrowd": 0, "bbox": [1.25, 2, 38.5, 29],
       "area": 471.3, "segmentation": [[1.25, 2, 20.66, 2, 11, 20.5], [30, 21, 39.75, 21, 39.75, 31]]},
      {"id": 2, "image_id": 1, "category_id": 2, "iscrowd": 0, "bbox": [1, 1, 6, 5], "area": 17,
       "segmentation": {"size": [33, 43], "counts": \(frame)}},
      {"id": 3, "image_id": 1, "category_id": 2, "iscrowd": 1, "bbox": [0, 0, 43, 3], "area": 129,
       "segmentation": {"size": [33, 43], "counts": \(band)}},
      {"id": 4, "image_id": 1, "category_id": 1, "iscrowd": 0, "bbox": [10, 10, 20, 8], "area": 160}
     ]}
    """
  private static let frame =
    "[34, 4, 29, 1, 2, 1, 29, 1, 2, 1, 29, 4, 29, 4, 33, 1, 1215]"
  private static let band = "[0\(String(repeating: ", 3, 30", count: 43))]"

  /// Imports the file into the dataset `o`.
  init() throws {
    scene = try FormatScene()
    try box.write(OutlineScene.coco, to: "from/outlines.json")
    try box.cairn("init", "o")
    let report = try box.json(
      "import", "coco", "../from/outlines.json", "--annotator", "ann@example.org", in: "o")
    #expect(report["notes"].elements.isEmpty, "\(report["notes"])")
    #expect(report["labels"].number == 4)
  }

  /// The regions of a dataset's labels by class, sorted, without their ids.
  func regions(in dataset: String) throws -> [String] {
    try box.records(in: dataset).flatMap { $0["labels"].elements }.map { label in
      let region = label["region"]
      let box = ["x", "y", "width", "height"].map { region[$0].number }
      return "\(label["class"].string) \(box) \(region["polygons"]) \(region["crowd"])"
    }.sorted()
  }
}

@Suite("Outlines in formats")
struct OutlineFormatTests {
  @Test("keeps polygons, masks with holes, and crowds, and imports them only once")
  func imported() throws {
    let scene = try OutlineScene()
    let box = scene.box
    let labels = try box.records(in: "o").flatMap { $0["labels"].elements }
    #expect(labels.count == 4)
    let polygons = labels.map { $0["region"]["polygons"].elements.map(\.elements.count) }
    #expect(Set(polygons) == [[1, 1], [2, 1], [1], []])
    #expect(labels.count { $0["region"]["crowd"].isTrue } == 1)
    let before = try box.tree(of: "o")
    try box.cairn(
      "import", "coco", "../from/outlines.json", "--annotator", "ann@example.org", in: "o")
    #expect(try box.tree(of: "o") == before)
    let photo = try box.records(in: "o")[0]["photo"]["id"].string
    let shown = try box.cairn("show", photo, in: "o").stdout
    #expect(shown.contains("in an outline of 6 points"))
    #expect(shown.contains("in the outline of a crowd, 4 points"))
    #expect(shown.contains("in a box"))
    try box.expectSound("o")
  }

  @Test("adds the outline to a label that had only its box")
  func added() throws {
    let scene = try OutlineScene()
    let box = scene.box
    try box.cairn("init", "b")
    let boxes = OutlineScene.coco.replacing(
      #/"segmentation": \[.*\]\]/#, with: #""segmentation": []"#)
    try box.write(boxes, to: "from/boxes.json")
    try box.cairn("import", "coco", "../from/boxes.json", "--annotator", "ann@example.org", in: "b")
    let before = try box.records(in: "b").flatMap { $0["labels"].elements }
    #expect(before.count == 4)
    #expect(before.count { $0["region"]["polygons"] == .null } == 2)
    try box.cairn(
      "import", "coco", "../from/outlines.json", "--annotator", "ann@example.org", in: "b")
    let after = try box.records(in: "b").flatMap { $0["labels"].elements }
    #expect(after.count == 4)
    #expect(
      Set(after.map { $0["region"]["id"].string }) == Set(before.map { $0["region"]["id"].string }))
    #expect(try scene.regions(in: "b") == scene.regions(in: "o"))
  }

  @Test(
    "restores the same outlines from an export", arguments: ["coco", "jsonl"])
  func roundTrip(format: String) throws {
    let scene = try OutlineScene()
    let box = scene.box
    let report = try box.json("export", format, "../out", in: "o")
    for kind in ["outline", "crowd", "region"] { #expect(report["leftOut"][kind] == .null) }
    try box.cairn("init", "b")
    try box.json("import", format, "../out", "--annotator", "ann@example.org", in: "b")
    #expect(try scene.regions(in: "b") == scene.regions(in: "o"))
    // The same labels again change nothing.
    let before = try box.tree(of: "o")
    try box.cairn("import", format, "../out", "--annotator", "ann@example.org", in: "o")
    #expect(try box.tree(of: "o") == before)
  }

  @Test("writes labelme's polygons, with a group for the parts of an object")
  func labelMe() throws {
    let scene = try OutlineScene()
    let box = scene.box
    let report = try box.json("export", "labelme", "../out", in: "o")
    #expect(report["leftOut"]["crowd"].number == 1)
    let names = try box.sh("ls out").stdout.split(separator: "\n")
    let name = try #require(names.first { $0.hasSuffix(".json") })
    let file = try JSONDecoder().decode(JSONValue.self, from: box.read("out/\(name)"))
    #expect(names.contains(file["imagePath"].string[...]))
    let shapes = file["shapes"].elements
    #expect(
      shapes.map { "\($0["label"].string) \($0["shape_type"].string)" }.sorted() == [
        "elm polygon", "elm polygon", "oak polygon", "oak polygon", "oak rectangle",
      ])
    #expect(
      Set(shapes.filter { $0["label"].string == "elm" }.map { $0["group_id"].number }).count == 1)
    try box.cairn("init", "b")
    try box.json("import", "labelme", "../out", "--annotator", "ann@example.org", in: "b")
    let labels = try box.records(in: "b").flatMap { $0["labels"].elements }
    #expect(labels.count == 3)
    let oak = labels.first {
      $0["region"]["polygons"].elements.count == 2 && $0["class"].string == "oak"
    }
    let original = try box.records(in: "o").flatMap { $0["labels"].elements }
      .first { $0["region"]["polygons"].elements.count == 2 && $0["class"].string == "oak" }
    #expect(oak?["region"]["polygons"] == original?["region"]["polygons"])
  }

  @Test("counts the outlines and crowds that a format cannot hold, and writes the boxes")
  func leftOut() throws {
    let scene = try OutlineScene()
    let box = scene.box
    let cvat = try box.json("export", "cvat", "../cvat", in: "o")
    #expect(cvat["leftOut"]["outline"] == .null && cvat["leftOut"]["crowd"].number == 1)
    let voc = try box.json("export", "voc", "../voc", in: "o")
    #expect(voc["leftOut"]["outline"].number == 2)
    #expect(voc["leftOut"]["crowd"].number == 1)
    #expect(voc["regions"].number == 3)
    let segments = try box.json("export", "yolo-segment", "../segments", in: "o")
    #expect(segments["leftOut"]["box"].number == 1)
    #expect(segments["leftOut"]["crowd"].number == 1)
    #expect(segments["regions"].number == 2)
    #expect(
      segments["leftOutSentences"].elements.map(\.string)
        .contains("1 box without an outline, which yolo-segment cannot hold"))
  }

  @Test(
    "writes outlines that pycocotools and OpenCV fill to the same masks",
    .enabled(if: Programs.clients != nil, Programs.missingClients))
  func filled() throws {
    let scene = try OutlineScene()
    let box = scene.box
    try box.json("export", "coco", "../coco", in: "o")
    try box.json("export", "yolo-segment", "../yolo", in: "o")
    try box.json("export", "labelme", "../labelme", in: "o")
    try box.json("export", "cvat", "../cvat", in: "o")
    try box.cairn("init", "b")
    try box.cairn("import", "cvat", "../cvat", "--annotator", "ann@example.org", in: "b")
    try box.json("export", "coco", "../again", in: "b")
    _ = try scene.scene.python(
      """
      import numpy as np, cv2
      from pycocotools.coco import COCO
      given, coco = COCO("from/outlines.json"), COCO("coco/annotations/instances_all.json")
      def masks(coco, crowd):
          ids = coco.getAnnIds(iscrowd=crowd)
          return {(coco.loadCats(a["category_id"])[0]["name"], "segmentation" in a, a["area"] > 100):
                  a if "segmentation" not in a else coco.annToMask(a) for a in coco.loadAnns(ids)}
      for crowd in (False, True):
          before, after = masks(given, crowd), masks(coco, crowd)
          assert set(before) == set(after), (before.keys(), after.keys())
          for key, mask in before.items():
              if key[1]: assert (mask == after[key]).all(), key
      frame = masks(given, False)[("elm", True, False)]
      assert frame.sum() == 17
      # CVAT's masks, by the rules of its server, are those of COCO, and an import gives them again;
      # of polygons that are no masks, pycocotools draws the edge in its own way.
      import xml.etree.ElementTree as ET
      def unpack(mask):
          left, top, width, height = (int(mask.get(k)) for k in ("left", "top", "width", "height"))
          runs = [int(run) for run in mask.get("rle").split(",")]
          image = np.zeros((33, 43), np.uint8)
          flat = np.repeat(np.arange(len(runs)) % 2, runs).reshape(height, width)
          image[top:top + height, left:left + width] = flat
          return image
      drawn = list(ET.parse("cvat/annotations.xml").getroot().iter("mask"))
      again = masks(COCO("again/annotations/instances_all.json"), False)
      for name, size in (("elm", False), ("oak", True)):
          (mask,) = (unpack(m) for m in drawn if m.get("label") == name)
          for other in (masks(coco, False), again):
              other = other[(name, True, size)]
              same = (mask & other).sum() / (mask | other).sum()
              assert same == 1 if name == "elm" else same > 0.9, (name, same)
      # As Ultralytics' polygon2mask fills, but on pixels ten times as small: fillPoly paints its edge.
      def fill(points, scale=10):
          image = np.zeros((33 * scale, 43 * scale), np.uint8)
          points = np.array(points).reshape(-1, 2) * [scale, scale]
          cv2.fillPoly(image, [np.round(points).astype(np.int32)], color=1)
          return image[scale // 2::scale, scale // 2::scale]
      rows = [l.split() for f in glob.glob("yolo/labels/train/*.txt") for l in open(f)]
      assert len(rows) == 2 and all(len(r) % 2 == 1 and len(r) >= 7 for r in rows), rows
      filled = [fill(np.array(list(map(float, r[1:]))).reshape(-1, 2) * [43, 33]) for r in rows]
      assert any((m == frame).all() for m in filled), [m.sum() for m in filled]
      (path,) = glob.glob("labelme/*.json")
      shapes = [s for s in json.load(open(path))["shapes"] if s["label"] == "elm"]
      assert (sum(fill(s["points"]) for s in shapes) == frame).all()
      """, in: ".")
  }
}
