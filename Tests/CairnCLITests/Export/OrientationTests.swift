import Foundation
import TestSupport
import Testing

@Suite("Image orientation in exports and imports")
struct OrientationTests {
  private static let make = """
    from PIL import Image
    for suffix in ("jpg", "png", "webp"):
        for orientation in range(1, 9):
            exif = Image.Exif()
            exif[0x0112] = orientation
            Image.effect_noise((60, 40), 80).convert("RGB").save(f"{orientation}.{suffix}", exif=exif)
    """

  @Test(
    "exports sizes and boxes of the upright image, in every image format",
    .enabled(if: Programs.clients != nil, Programs.missingClients))
  func upright() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.sh("mkdir turned")
    _ = try scene.python(OrientationTests.make, in: "turned")
    for photo in try box.json("photo", "add", "../turned", in: "a").elements {
      try box.cairn("label", photo["id"].string, "ash", "--region", "0.5,0.25,0.5,0.5", in: "a")
    }
    try box.cairn("export", "coco", "../out", "--find", "label:ash", in: "a")
    let output = try scene.python(
      """
      from PIL import Image, ImageOps
      from pycocotools.coco import COCO
      coco = COCO("annotations/instances_all.json")
      for image in coco.loadImgs(coco.getImgIds()):
          w, h = ImageOps.exif_transpose(Image.open(image["file_name"])).size
          assert (w, h) == (image["width"], image["height"]), image
          annotation, = coco.loadAnns(coco.getAnnIds(image["id"]))
          assert annotation["bbox"] == [w / 2, h / 4, w / 2, h / 2]
          print("size", w, h)
      """)
    #expect(output.lines.filter { $0 == "size 40 60" }.count == 12)
    #expect(output.lines.filter { $0 == "size 60 40" }.count == 12)
  }

  @Test("uses the orientation in the photo's document when the image is missing")
  func absent() throws {
    let scene = try FormatScene()
    let box = scene.box
    let size = PNG.bytes(seed: 0, width: 40, height: 30).count
    try box.write(
      """
      {"kind":"photo","id":"\(scene.photos[0])","image":{"bytes":\(size),"format":"png",\
      "height":30,"orientation":6,"width":40}}

      """, to: "facts.jsonl")
    try box.cairn("import", "documents", "../facts.jsonl", in: "a")
    try box.sh("rm -f a/.git/lfs/objects/*/*/\(scene.photos[0])")
    _ = try scene.export("coco", to: "out", "--images", "none")
    let text = try box.text("out/annotations/instances_all.json")
    let line = try #require(text.split(separator: "\n").first { $0.contains(scene.photos[0]) })
    #expect(line.contains("\"height\":40") && line.contains("\"width\":30"))
  }

  /// Sizes that a file gives for an image of 40 × 30 stored pixels with the orientation 6, a box in
  /// it, and the imported box in hundredths of the upright image, or nil if the import is refused.
  static let sizes: [(width: Int, height: Int, box: [Int], expected: [Int]?)] = [
    // The upright image, and one twice as large.
    (30, 40, [3, 4, 6, 8], [10, 10, 20, 20]), (60, 80, [6, 8, 12, 16], [10, 10, 20, 20]),
    // The stored pixels: their left edge is the top of the image, their top edge the right.
    (40, 30, [4, 3, 8, 12], [50, 10, 40, 20]),
    // Another image.
    (40, 40, [4, 4, 8, 8], nil), (300, 100, [4, 4, 8, 8], nil),
  ]

  @Test("rotates boxes from files that ignore the orientation", arguments: sizes)
  func turned(width: Int, height: Int, box: [Int], expected: [Int]?) throws {
    let scene = try FormatScene()
    let sandbox = scene.box
    let size = PNG.bytes(seed: 5, width: 45, height: 35).count
    // Photo 5 as if it had 40 × 30 pixels.
    try sandbox.cairn("init", "b")
    try sandbox.write(
      """
      {"kind":"photo","id":"\(scene.photos[5])","image":{"bytes":\(size),"format":"png",\
      "height":30,"orientation":6,"width":40}}

      """, to: "facts.jsonl")
    try sandbox.cairn("import", "documents", "../facts.jsonl", in: "b")
    let bbox = box.map(String.init).joined(separator: ", ")
    try sandbox.write(
      """
      {"images": [{"id": 1, "file_name": "\(scene.photos[5]).png",
        "width": \(width), "height": \(height)}],
       "categories": [{"id": 1, "name": "oak"}],
       "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [\(bbox)]}]}
      """, to: "a.json")
    let output = try sandbox.run(
      "cairn", ["import", "coco", "../a.json", "--annotator", "ann@example.org", "--json"], in: "b")
    guard let expected else {
      #expect(output.status == ExitStatus.badData)
      let problem = try output.json()["problems"].elements.first?["message"].string
      #expect(
        problem
          == "the size is given as \(width) × \(height), but the image has 30 × 40 pixels")
      return
    }
    #expect(output.status == 0, "\(output.stderr)")
    let notes = try output.json()["notes"].elements.map(\.string)
    #expect(
      notes == (width == 60 ? ["scaled the boxes to the actual size of an image, once"] : []))
    let label = try sandbox.records(in: "b")[0]["labels"].elements[0]
    #expect(
      ["x", "y", "width", "height"].map { Int((label["region"][$0].number * 100).rounded()) }
        == expected)
  }
}
