import CairnBase
import CairnFiles
import Foundation
import SystemPackage
import Testing

@testable import CairnFormats

@Suite("Outlines in files")
struct OutlineReaderTests {
  /// Returns the labels in files, and the problems and notes.
  private func read(
    _ format: ImportFormat, _ files: [String: String]
  ) throws -> (labels: [ImportedLabel], messages: [String]) {
    let root = FileManager.default.temporaryDirectory.appending(path: "cairn-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    for (name, text) in files {
      let file = root.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    var (labels, messages): ([ImportedLabel], [String]) = ([], [])
    try forEachImportedItem(
      format, at: FilePath(root.path), files: FileSystem(), scratch: FilePath(root.path)
    ) { item in
      switch item {
      case .problem(let location, let message): messages.append("\(location): \(message)")
      case .note(let text): messages.append(text)
      case .photo(let photo): labels += photo.labels
      case .pin: break
      }
    }
    return (labels, messages)
  }

  private func coco(_ annotations: String...) throws -> (
    labels: [ImportedLabel], messages: [String]
  ) {
    try read(
      .coco,
      [
        "a.json": """
        {"images": [{"id": 1, "file_name": "a.jpg", "width": 7, "height": 6}],
         "categories": [{"id": 1, "name": "oak"}],
         "annotations": [
        \(annotations.map { #"{"image_id": 1, "category_id": 1, "# + $0 + "}" }
          .joined(separator: ",\n"))]}
        """
      ])
  }

  private func ring(_ numbers: Double...) -> [Polygon.Point] {
    stride(from: 0, to: numbers.count, by: 2).map {
      Polygon.Point(x: numbers[$0], y: numbers[$0 + 1])
    }
  }

  @Test("reads polygons of COCO, one for each part")
  func polygons() throws {
    let (labels, messages) = try coco(
      #""bbox": [1, 1, 5, 4], "area": 3, "segmentation": [[1, 1, 6, 1, 6, 5], [1, 2, 1, 5, 2, 5.5]]"#,
      #""segmentation": [1.5, 1, 6, 1, 6, 5]"#, #""bbox": [1, 2, 3, 4], "segmentation": []"#)
    #expect(messages == [])
    #expect(labels.count == 3)
    #expect(
      labels[0].outline
        == ImportedOutline(
          [
            Polygon(outer: ring(1, 1, 6, 1, 6, 5)), Polygon(outer: ring(1, 2, 1, 5, 2, 5.5)),
          ], in: .pixels))
    #expect(labels[1].outline?.polygons == [Polygon(outer: ring(1.5, 1, 6, 1, 6, 5))])
    #expect(labels[2].outline == nil && labels[2].box != nil)
  }

  @Test(
    "reads masks of COCO, compressed or not, with holes and parts, and crowds",
    arguments: [
      #""742M00000003004M""#, "[7, 4, 2, 1, 2, 1, 2, 1, 2, 1, 2, 4, 2, 4, 6, 1]",
    ])
  func masks(counts: String) throws {
    let (labels, messages) = try coco(
      #""iscrowd": 1, "segmentation": {"size": [6, 7], "counts": \#(counts)}"#)
    #expect(messages == [])
    let outline = try #require(labels.first?.outline)
    #expect(labels[0].isCrowd)
    #expect(outline.unit == .fractions)
    #expect(outline.polygons.map(\.rings.count) == [2, 1])
    #expect(abs(outline.polygons.area - 17.0 / 42) < 1e-12)
  }

  @Test("keeps the box of an annotation whose polygons have no points, and says so")
  func degenerate() throws {
    let (labels, messages) = try coco(
      #""bbox": [1, 2, 3, 4], "segmentation": [[1, 1, 2, 2]]"#,
      #""bbox": [0, 0, 7, 6], "segmentation": [[1, 1, 2, 2], [1, 1, 4, 1, 4, 4]]"#)
    #expect(labels.map { $0.outline?.polygons.count } == [nil, 1])
    #expect(
      messages
        == [
          "ignored: polygons of “segmentation” with fewer than three points, 2 times",
          "ignored: “bbox” that is not the box around the outline, once",
        ].sorted())
  }

  @Test(
    "reports segmentations that are neither polygons nor a mask of the image",
    arguments: [
      (#""segmentation": 3"#, "neither a list"),
      (#""segmentation": [[1, 2, 3, 4]]"#, "three points"),
      (#""segmentation": [[1, 2, 3, 4, 5, 6, 7]]"#, "not a list of x, y"),
      (#""segmentation": [[1, 2, 3, 4, 5, "b"]]"#, "not a list of x, y"),
      (#""segmentation": [[1, 2, 3, 4, 5, 6], 7]"#, "not a list of x, y"),
      (#""segmentation": {"size": [6, 7], "counts": [3]}"#, "do not fill"),
      (#""segmentation": {"size": [6, 7], "counts": "742M"}"#, "do not fill"),
      (
        #""segmentation": {"size": [600000, 7000000], "counts": [0, 4200000000000]}"#, "do not fill"
      ),
      (#""segmentation": {"counts": [3]}"#, "do not fill"),
      (
        #""segmentation": {"size": [7, 6], "counts": [0, 42]}"#,
        "6 × 7 pixels, but the image has 7 × 6"
      ),
      (#""segmentation": {"size": [6, 7], "counts": [42]}"#, "is empty"),
      (#""iscrowd": 1"#, "a crowd"),
    ])
  func invalid(annotation: String, message: String) throws {
    let (labels, messages) = try coco(annotation)
    #expect(labels.isEmpty)
    #expect(messages.count == 1)
    #expect(messages.first?.contains("a.json, line 4: ") == true, "\(messages)")
    #expect(messages.first?.contains(message) == true, "\(messages)")
  }

  @Test("reads labelme's polygons, groups of polygons, rectangles and circles")
  func labelMe() throws {
    // As labelme 5.5 writes it.
    let (labels, messages) = try read(
      .labelme,
      [
        "a.json": """
        {"version": "5.5.0", "flags": {}, "imagePath": "a.jpg", "imageData": null,
         "imageHeight": 6, "imageWidth": 7, "shapes": [
          {"label": "oak", "points": [[1, 1], [6, 1], [6, 5]], "group_id": 2, "description": "",
           "shape_type": "polygon", "flags": {}, "mask": null},
          {"label": "oak", "points": [[0, 5], [1, 5], [1, 6]], "group_id": 2, "description": "low",
           "shape_type": "polygon", "flags": {}, "mask": null},
          {"label": "elm", "points": [[0, 5], [1, 5], [1, 6]], "group_id": 2, "description": "",
           "shape_type": "polygon", "flags": {}, "mask": null},
          {"label": "elm", "points": [[3, 3], [3, 5]], "group_id": null, "description": "",
           "shape_type": "circle", "flags": {}, "mask": null},
          {"label": "elm", "points": [[3, 3], [3, 5]], "shape_type": "linestrip"}]}
        """
      ])
    #expect(labels.map(\.className) == ["oak", "elm", "elm"])
    #expect(labels[0].outline?.polygons.count == 2 && labels[0].text == "low")
    #expect(labels[1].outline?.polygons.count == 1)
    let circle = try #require(labels[2].outline?.polygons)
    #expect(circle.pointCount == 64)
    #expect(abs(circle.area - .pi * 4) < 0.03)
    #expect(messages.contains { $0.hasPrefix("a.json, line 11: a line whose") }, "\(messages)")
    #expect(messages.contains { $0.contains("circles") })
  }

  @Test("reads labelme's masks and lines, and the file name of early versions")
  func labelMeMasks() throws {
    // A gray PNG of 3 × 2 pixels with three white ones, as labelme 5.5 writes the masks of its models.
    let png =
      "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAAAAAC4HznGAAAADklEQVR42mP4/5+BAYgAD/gC/h2ELzoA"
      + "AAAASUVORK5CYII="
    let read = try ReadFiles(
      .labelme,
      [
        "a.json": """
        {"version": "4.0.0", "imagePath": "a.json", "imageHeight": 6, "imageWidth": 7, "shapes": [
          {"label": "oak", "points": [[2, 1], [4, 2]], "shape_type": "mask", "mask": "\(png)"},
          {"label": "elm", "points": [[1, 1], [3, 5], [2, 0]], "shape_type": "linestrip"},
          {"label": "elm", "points": [[1, 1], [3, 5]], "shape_type": "mask", "mask": "AAAA"},
          {"label": "elm", "points": [[1, 1]], "shape_type": "point"}]}
        """
      ])
    #expect(read.photos == ["a: oak px{2 1 2 2: 3}, elm px[1 0 2 5]"])
    #expect(
      read.problems == [
        "a.json, line 4: a mask without a corner or a PNG with an area",
        "a.json, line 5: a point, which is not imported",
      ])
    #expect(
      read.notes == ["ignored: the exact form of lines: their bounding boxes are imported, once"])
  }

  @Test("reads YOLO's segments, with and without a score")
  func yolo() throws {
    let (labels, messages) = try read(
      .yolo,
      [
        "data.yaml": "names: [oak]\n",
        "labels/a.txt": "0 .1 .1 .2 .1 .2 .3\n0 .1 .1 .2 .1 .2 .3 .75\n0 .5 .5 .1 .1\n",
      ])
    #expect(messages == [])
    #expect(labels.count == 3)
    #expect(labels[0].outline?.polygons == [Polygon(outer: ring(0.1, 0.1, 0.2, 0.1, 0.2, 0.3))])
    #expect(labels[1].outline == labels[0].outline)
    #expect(labels[1].confidence == 0.75 && labels[1].isScored)
    #expect(labels[2].outline == nil)
  }

  @Test("reads polygons and masks of Label Studio")
  func labelStudio() throws {
    let frame =
      "0, 0, 0, 168, 57, 27, 254, 31, 0, 194, 127, 243, 128, 71, 255, 56, 4, 255, 243, "
      + "128, 71, 255, 56, 4, 255, 243, 128, 97, 63, 252, 54, 1, 31, 248"
    let (labels, messages) = try read(
      .labelStudio,
      [
        "tasks.json": """
        [{"data": {"image": "a.jpg"}, "annotations": [{"result": [
          {"id": "a", "type": "polygonlabels", "original_width": 7, "original_height": 6,
           "image_rotation": 0, "from_name": "label", "to_name": "image",
           "value": {"points": [[10, 20], [30, 20], [30, 50.5]], "closed": true,
            "polygonlabels": ["oak"]}},
          {"id": "b", "type": "brushlabels", "original_width": 7, "original_height": 6,
           "image_rotation": 0, "value": {"format": "rle", "rle": [\(frame)],
            "brushlabels": ["elm"]}},
          {"id": "c", "type": "brushlabels", "original_width": 8, "original_height": 6,
           "value": {"format": "rle", "rle": [\(frame)], "brushlabels": ["elm"]}}]}]}]
        """
      ])
    #expect(labels.map(\.className) == ["oak", "elm"])
    #expect(labels[0].outline?.polygons == [Polygon(outer: ring(0.1, 0.2, 0.3, 0.2, 0.3, 0.505))])
    let mask = try #require(labels[1].outline?.polygons)
    #expect(mask.map(\.rings.count) == [2, 1])
    #expect(abs(mask.area - 17.0 / 42) < 1e-12)
    let (x, y) = (1.0 / 7, 1.0 / 6)
    #expect(mask.bounds == NormalizedRect(x: x, y: y, width: 1 - x, height: 1 - y))
    #expect(messages.count == 1 && messages[0].contains("a mask that is empty"), "\(messages)")
  }
}
