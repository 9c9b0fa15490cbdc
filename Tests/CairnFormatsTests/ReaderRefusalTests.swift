import CairnFiles
import CairnFormats
import Foundation
import SystemPackage
import Testing

/// Invalid files, and what a reader reports about them.
struct BadFiles: CustomTestStringConvertible, Sendable {
  let format: ImportFormat
  let files: [String: String]
  /// The file to read; nil to read the directory.
  var path: String?
  /// The problems that do not stop the import, with their locations: `a.txt, line 2: …`.
  var problems: [String] = []
  /// The error that stops the import.
  var error: String?
  /// The number of labels that are read anyway.
  var labels = 0

  var testDescription: String { "\(format) \(error ?? problems.first ?? "")" }
}

@Suite("Invalid import files")
struct ReaderRefusalTests {
  private static let header = "file_name,label,confidence,x,y,width,height\n"

  private static func coco(_ annotation: String) -> [String: String] {
    [
      "a.json": """
      {"images": [{"id": 1, "file_name": "a.jpg", "width": 10, "height": 10}],
       "categories": [{"id": 1, "name": "oak"}],
       "annotations": [
        \(annotation)]}
      """
    ]
  }

  private static func voc(_ xml: String) -> [String: String] { ["Annotations/a.xml": xml] }

  private static func yolo(_ rows: String) -> [String: String] {
    ["data.yaml": "names: [oak, elm]\n", "labels/a.txt": rows]
  }

  static let csv = [
    BadFiles(
      format: .csv, files: ["a.csv": "a,b\n1,2\n"], path: "a.csv",
      error: "no columns are recognized as the image and the class; found a, b"),
    BadFiles(format: .csv, files: ["a.csv": ""], path: "a.csv", error: "it has no rows"),
    BadFiles(
      format: .csv, files: ["a.csv": header + "a.jpg,oak,nan,,,,\nb.jpg,oak,,,,,\n"],
      path: "a.csv", problems: ["a.csv, line 2: the confidence “nan”"], labels: 1),
    BadFiles(
      format: .csv, files: ["a.csv": header + "a.jpg,oak,1e999,,,,\na.jpg\n"], path: "a.csv",
      problems: ["a.csv, line 2: the confidence", "a.csv, line 3: 1 cells, but the header has 7"]),
    BadFiles(
      format: .csv, files: ["a.csv": header + "a.jpg,oak,,1,2,,\n"], path: "a.csv",
      problems: ["line 2: the box has a cell that is not a number"]),
    BadFiles(
      format: .csv, files: ["a.csv": header + "\"a.jpg,oak"], path: "a.csv",
      error: "line 2: a cell without a closing quote"),
    BadFiles(
      format: .csv, files: ["a.csv": header + "\"a\"b,oak,,,,,"], path: "a.csv",
      error: "text after the closing quote"),
    BadFiles(
      format: .csv, files: ["a.csv": "file_name,label,state\n\"a\n.jpg\",oak,\nb,oak,perhaps\n"],
      path: "a.csv", problems: ["a.csv, line 4: the state must be present, absent"], labels: 1),
    BadFiles(format: .csv, files: [:], error: "there is no labels.csv"),
  ]

  static let json = [
    BadFiles(
      format: .jsonl, files: ["photos.jsonl": "{}\n[1]\n{\n{\"file_name\":\"a\",\"labels\":[1]}\n"],
      problems: [
        "line 1: “file_name” is missing", "line 2: not a JSON object", "line 3: ",
        "line 4: a label is neither",
      ]),
    BadFiles(
      format: .jsonl,
      files: [
        "photos.jsonl": String(repeating: "[", count: 5000)
          + "\n{\"file\":\"a\",\"label\":\"oak\"}\n{\"file\":\"a\",\"labels\":[{\"label\":\"oak\",\"confidence\":7}]}"
      ],
      problems: ["line 1: nested deeper", "line 3: “confidence” is not between 0 and 1"], labels: 1),
    BadFiles(format: .coco, files: ["a.json": "{\"images\": [{]}"], error: "a.json, line 1"),
    BadFiles(format: .coco, files: ["a.json": "{}"], error: "neither images nor annotations"),
    BadFiles(format: .coco, files: [:], error: "no annotation file"),
    BadFiles(
      format: .coco, files: coco(#"{"image_id": 2, "category_id": 1}"#),
      problems: ["a.json, line 4: an annotation of an unknown image"]),
    BadFiles(
      format: .coco, files: coco(#"{"image_id": 1, "category_id": 9}"#),
      problems: ["an annotation of an unknown category"]),
    BadFiles(
      format: .coco, files: coco(#"{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3]}"#),
      problems: ["“bbox” is not four numbers"]),
    BadFiles(
      format: .coco, files: coco(#"{"image_id": 1, "category_id": 1, "bbox": [1, NaN, 3, 4]}"#),
      error: "a.json, line 4: unexpected"),
    BadFiles(
      format: .coco, files: coco(#"{"image_id": 1, "category_id": 1, "bbox": [1, 1e400, 3, 4]}"#),
      error: "out of range"),
    BadFiles(
      format: .coco, files: coco(#"{"image_id": 1e30, "category_id": 1}"#),
      problems: ["an annotation of an unknown image"]),
    BadFiles(
      format: .coco, files: coco(#"{"image_id": 1, "category_id": 1, "iscrowd": 1}"#),
      problems: ["a crowd"]),
    BadFiles(
      format: .coco, files: coco(#"{"image_id": 1, "category_id": 1, "score": -1}"#),
      problems: ["“score” is not between 0 and 1"]),
    BadFiles(
      format: .coco,
      files: coco(#"{"a": "# + String(repeating: "[", count: 100) + "}"), error: "nested deeper"),
    BadFiles(
      format: .labelStudio, files: ["tasks.json": "[\n{\"data\": {}},\n{}]"],
      problems: ["tasks.json, line 2: a task without", "tasks.json, line 3: a task without"]),
    BadFiles(
      format: .labelStudio,
      files: [
        "tasks.json": """
        [{"data": {"image": "a.jpg"}, "annotations": [{"result": [
          {"type": "brushlabels", "value": {}}, {},
          {"type": "rectanglelabels", "value": {"x": 1, "y": 1, "width": 5, "height": 5,
           "rotation": 30, "rectanglelabels": ["oak"]}},
          {"type": "choices", "score": 2, "value": {"choices": ["oak"]}},
          {"type": "choices", "value": {"choices": ["oak"]}}]}]}]
        """
      ],
      problems: [
        "“brushlabels”", "without “type”", "rotated on an image without a size", "“score”",
      ],
      labels: 1),
    BadFiles(
      format: .labelStudio,
      files: [
        "tasks.json": """
        [{"data": {"image": "a.jpg"}, "annotations": [{"result": [
          {"id": "a", "type": "rectanglelabels", "value": {"x": 1, "y": 1, "width": 5, "height": 5,
           "rectanglelabels": ["oak"]}},
          {"id": "a", "type": "choices", "value": {"choices": ["old"]}},
          {"id": "b", "type": "choices", "value": {"x": 1, "y": 1, "width": 5, "height": 5,
           "choices": ["old"]}},
          {"id": "c", "type": "rectanglelabels", "value": {"x": 1, "y": 1, "width": 5, "height": 5,
           "rectanglelabels": []}},
          {"id": "d", "type": "choices", "value": {"choices": [3]}},
          {"id": "e", "type": "choices", "value": {"choices": ["wood"]}}]},
         {"result": [{"id": "a", "type": "choices", "value": {"choices": ["hill"]}}]}]}]
        """
      ],
      problems: [
        "a choice for a box", "a choice for a box", "“rectanglelabels” without a class",
        "“choices” without a class",
      ], labels: 3),
    BadFiles(
      format: .labelme, files: ["a.json": "{}", "b.json": "[", "c.json": "{\"imagePath\": 3}"],
      problems: ["a.json: there is no “imagePath”", "b.json, line 1", "c.json: there is no"]),
    BadFiles(
      format: .labelme,
      files: [
        "a.json": """
        {"imagePath": "a.jpg", "shapes": [
          {"label": "oak", "shape_type": "rectangle", "points": [[1, 2]]},
          {"label": "oak", "shape_type": "point", "points": [[1, 2]]},
          {"label": "oak", "shape_type": "polygon", "points": [[1, 2], [3, 4]]},
          {"label": "oak", "shape_type": "polygon", "points": [[1, 2], [3, 4], [3]]},
          {"points": []}]}
        """
      ],
      problems: [
        "line 2: a rectangle without", "line 3: a point, which", "line 4: a polygon without",
        "line 5: a point that", "line 6: a shape without",
      ]),
    BadFiles(format: .geojson, files: ["photos.geojson": "{}"], error: "not a FeatureCollection"),
    BadFiles(
      format: .geojson,
      files: [
        "photos.geojson": """
        {"features": [
          {"geometry": {"type": "Point", "coordinates": [181, 0]}},
          {"geometry": {"type": "Point", "coordinates": ["1"]}},
          {"geometry": {"type": "Polygon", "coordinates": []}}]}
        """
      ],
      problems: ["line 2: not a longitude", "line 3: not a longitude", "line 4: a feature that"]),
  ]

  /// Ten lists, each of ten times the one before, as the key of a map.
  private static let aliasBomb: String = {
    var text = "a0: &a0 [oak]\n"
    for level in 1...10 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(aliases)]\n"
    }
    return text + "? *a10\n: oak\nnames: [oak]\n"
  }()

  static let text = [
    BadFiles(format: .yolo, files: [:], error: "neither data.yaml nor classes.txt"),
    BadFiles(format: .yolo, files: ["data.yaml": "nc: 3\n"], error: "no class names"),
    BadFiles(
      format: .yolo, files: ["data.yaml": ":\nnames: [oak]\n"],
      error: "data.yaml, line 1: it is not valid YAML"),
    BadFiles(
      format: .yolo, files: ["data.yaml": "names: [oak\n"],
      error: "data.yaml, line 2: it is not valid YAML"),
    BadFiles(
      format: .yolo, files: ["data.yaml": "names: [oak]\nnames: [elm]\n"],
      error: "line 1: it is not valid YAML: a map has a key twice"),
    BadFiles(
      format: .yolo, files: ["data.yaml": "nc: 2\nnames:\n- oak\n- [elm]\n"],
      error: "line 4: the name of class 1 is not text"),
    BadFiles(
      format: .yolo,
      files: ["data.yaml": "names: [" + String(repeating: "a,", count: 1 << 19) + "]\n"],
      error: "larger than 1 MiB"),
    BadFiles(
      format: .yolo, files: ["data.yaml": "names: [oak]\nkpt_shape: [17]\n"],
      error: "line 2: “kpt_shape” is not a list such as [17, 3]"),
    BadFiles(format: .yolo, files: ["data.yaml": aliasBomb], error: "uses a YAML alias"),
    BadFiles(
      format: .yolo,
      files: yolo(
        "2 .5 .5 .1 .1\n0 .5 .5 .1\n0 nan .5 .1 .1\n0 .1 .1 .2 .2 .3 .3 7\nx 1 1 1 1\n1 .5 .5 .1 .1\n"
      ),
      problems: [
        "labels/a.txt, line 1: “2” is not the number of a class", "line 2: 4 columns",
        "line 3: a column is not a number", "line 4: the confidence is not between",
        "line 5: “x” is not the number of a class",
      ], labels: 1),
    BadFiles(
      format: .yolo,
      files: [
        "classes.txt": "oak", "a.jpg": "x", "a.png": "x", "a.txt": "0 .5 .5 .1 .1\n",
        "more/a.jpg": "x",
      ], problems: ["a.png: it has the same label file as a.jpg"], labels: 1),
    BadFiles(
      format: .imagefolder, files: ["stray.jpg": "x", "oak/a.jpg": "x", "oak/readme.txt": "x"],
      problems: ["stray.jpg: an image outside of any class directory"], labels: 1),
    BadFiles(format: .voc, files: [:], error: "no annotation file"),
    BadFiles(
      format: .voc,
      files: voc(
        """
        <!DOCTYPE a [<!ENTITY b "oak">]>
        <annotation><object><name>&b;</name></object></annotation>
        """), problems: ["Annotations/a.xml, line 1: a document type"]),
    BadFiles(
      format: .voc, files: voc("<annotation>\n<object>&b;</object></annotation>"),
      problems: ["line 2: unknown entity “&b;”"]),
    BadFiles(
      format: .voc, files: voc("<annotation>\n<object></annotation>"),
      problems: ["line 2: “object” has no end tag"]),
    BadFiles(
      format: .voc, files: voc(String(repeating: "<a>", count: 50_000)),
      problems: ["nested too deeply"]),
    BadFiles(format: .voc, files: voc("<a b='1\"/>"), problems: ["“'” is missing"]),
    BadFiles(
      format: .voc, files: voc("<svg/>"), problems: ["the root element is not “annotation”"]),
    BadFiles(format: .voc, files: voc(""), problems: ["there is no element"]),
    BadFiles(
      format: .voc, files: voc("<annotation/>\n<annotation/>"), problems: ["after the root element"]
    ),
    BadFiles(
      format: .voc, files: voc("<annotation>&#0;</annotation>"), problems: ["unknown entity"]),
    BadFiles(
      format: .voc,
      files: voc(
        """
        <?xml version="1.0"?><!-- a > b -->
        <annotation verified="yes"><filename>a&amp;b.jpg</filename>
        <object><name>oak</name></object>
        <object><bndbox/></object>
        <object><name>oak</name><bndbox><xmin>nan</xmin><ymin>0</ymin><xmax>1</xmax><ymax>1</ymax>
        </bndbox></object>
        <object><name><![CDATA[oak]]></name><pose/><truncated></truncated>
        <bndbox><xmin>1.5</xmin><ymin>0</ymin><xmax>2</xmax><ymax>1</ymax></bndbox></object>
        </annotation>
        """),
      problems: [
        "line 3: an object without the four numbers", "line 4: an object without a name",
        "line 5: an object without the four",
      ], labels: 1),
    BadFiles(
      format: .voc,
      files: [
        "Annotations/a.xml": "<annotation/>",
        "ImageSets/Main/oak_train.txt": "a 1\nb -1\na 7\na  -1\na\n",
      ],
      problems: [
        "oak_train.txt, line 2: there is no annotation file and no image of “b”",
        "line 3: not the name of an image", "line 5: not the name of an image",
      ], labels: 2),
  ]

  @Test("reports each mistake with its file and line", arguments: csv + json + text)
  func mistakes(_ bad: BadFiles) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "cairn-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    for (name, text) in bad.files {
      let file = root.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    var problems: [String] = []
    var labels = 0
    var message: String?
    do {
      let path = root.appending(path: bad.path ?? "").path
      try forEachImportedItem(
        bad.format, at: FilePath(path), files: FileSystem(), scratch: FilePath(root.path)
      ) { item in
        switch item {
        case .problem(let location, let message): problems.append("\(location): \(message)")
        case .photo(let photo): labels += photo.labels.count
        case .pin, .note: break
        }
      }
    } catch let error as FormatError {
      message = "\(error)"
    }
    if let expected = bad.error {
      #expect(message?.contains(expected) == true, "\(message ?? "no error")")
    } else {
      #expect(message == nil)
    }
    #expect(problems.count == bad.problems.count, "\(problems)")
    for (problem, expected) in zip(problems, bad.problems) {
      #expect(problem.contains(expected), "\(problem)")
    }
    #expect(labels == bad.labels)
  }

  @Test(
    "reads YOLO class names in every YAML form",
    arguments: [
      "names: [oak, 'Scots pine']\nnc: 2\n", "names: {0: oak, 1: \"Scots pine\"}\n",
      "path: x\nnames:\n  0: oak\n  1: Scots pine  # a comment\ntrain: images\n",
      "nc: 2\nnames: ['oak',   # an [oak\n\"Scots pine\"]\n",
      "\u{FEFF}names: &names [oak, 'Scots pine']\r\nnc: 2\r\n",
      "names:\n- oak\n- Scots pine\nval: y\n", "names:\n  - oak\n  # no\n  - 'Scots pine'\n",
    ])
  func yamlNames(text: String) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "cairn-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    try FileManager.default.createDirectory(
      at: root.appending(path: "labels"), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: root.appending(path: "data.yaml"))
    try Data("0 .5 .5 .1 .1\n1 .5 .5 .1 .1\n".utf8).write(to: root.appending(path: "labels/a.txt"))
    var names: [String] = []
    try forEachImportedItem(
      .yolo, at: FilePath(root.path), files: FileSystem(), scratch: FilePath(root.path)
    ) { item in
      if case .photo(let photo) = item { names += photo.labels.map(\.className) }
    }
    #expect(names == ["oak", "Scots pine"])
  }

  @Test(
    "reads 20,000 YOLO class names",
    arguments: [("names:", "- oak", ""), ("names: [elm", ", oak", "]")])
  func manyNames(start: String, name: String, end: String) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "cairn-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    try FileManager.default.createDirectory(
      at: root.appending(path: "labels"), withIntermediateDirectories: true)
    let lines = (0..<20_000).map { "\(name)-\($0)\n" }.joined()
    try Data("\(start)\n\(lines)\(end)\n".utf8).write(to: root.appending(path: "data.yaml"))
    try Data("19999 .5 .5 .1 .1\n".utf8).write(to: root.appending(path: "labels/a.txt"))
    var names: [String] = []
    try forEachImportedItem(
      .yolo, at: FilePath(root.path), files: FileSystem(), scratch: FilePath(root.path)
    ) { item in
      if case .photo(let photo) = item { names += photo.labels.map(\.className) }
    }
    #expect(names == [end.isEmpty ? "oak-19999" : "oak-19998"])
  }

  @Test("reads all of a file that is truncated meanwhile", arguments: [100, 40_000])
  func shrinks(count: Int) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "cairn-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    let file = root.appending(path: "a.jsonl")
    let line = #"{"file_name": "photo.jpg", "label": "oak"}"# + "\n"
    try Data(String(repeating: line, count: count).utf8).write(to: file)
    var labels = 0
    try forEachImportedItem(
      .jsonl, at: FilePath(file.path), files: FileSystem(),
      scratch: FilePath(root.appending(path: "scratch").path)
    ) { item in
      if labels == 0 { try FileHandle(forWritingTo: file).truncate(atOffset: 0) }
      if case .photo(let photo) = item { labels += photo.labels.count }
    }
    #expect(labels == count)
    let left = try? FileManager.default.contentsOfDirectory(
      atPath: root.appending(path: "scratch").path)
    #expect(left ?? [] == [])
  }
}
