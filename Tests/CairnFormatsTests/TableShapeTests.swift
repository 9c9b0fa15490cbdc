import CairnBase
import CairnFiles
import CairnFormats
import Foundation
import SystemPackage
import Testing

/// A table as a program writes it, and the labels in it.
struct TableCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let bytes: [UInt8]
  var map: [String: String] = [:]
  var name = "labels.csv"
  /// The labels: image, class and box.
  let labels: [String]
  var notes: [String] = []

  init(
    _ testDescription: String, _ text: String, map: [String: String] = [:],
    name: String = "labels.csv", notes: [String] = [], _ labels: [String]
  ) {
    self.init(testDescription, bytes: Array(text.utf8), map: map, name: name, notes: notes, labels)
  }

  init(
    _ testDescription: String, bytes: [UInt8], map: [String: String] = [:],
    name: String = "labels.csv", notes: [String] = [], _ labels: [String]
  ) {
    (self.testDescription, self.bytes, self.map) = (testDescription, bytes, map)
    (self.name, self.labels, self.notes) = (name, labels, notes)
  }
}

@Suite("Tables of other programs")
struct TableShapeTests {
  static let dialects = [
    TableCase("commas", "file_name,label\na.jpg,oak\n", ["a.jpg oak"]),
    TableCase("semicolons", "file_name;label\r\na.jpg;oak, old\r\n", ["a.jpg oak, old"]),
    TableCase("tabs", "file_name\tlabel\na.jpg\toak, old; dead\n", ["a.jpg oak, old; dead"]),
    TableCase("bars", "file_name|label\na.jpg|oak\n", ["a.jpg oak"]),
    TableCase("Excel's first line", "sep=;\r\nfile;label\r\na.jpg;oak\r\n", ["a.jpg oak"]),
    TableCase("byte order mark", "\u{FEFF}file_name,label\na.jpg,Föhre\n", ["a.jpg Föhre"]),
    TableCase(
      "old Macintosh lines", "file,label\ra.jpg,oak\rb.jpg,elm\r", ["a.jpg oak", "b.jpg elm"]),
    TableCase(
      "quoted line ends", "file,label,text\na.jpg,\"oak\n\"\"old\"\"\",\"x\r\ny\"\n",
      ["a.jpg oak\n\"old\""]),
    TableCase("names as people write them", "Image Path,Class Name\na.jpg,oak\n", ["a.jpg oak"]),
    TableCase(
      "Excel's Unicode text", bytes: utf16("Filename\tSpecies\r\na.jpg\tКедр\r\n", isBig: false),
      ["a.jpg Кедр"]),
    TableCase(
      "UTF-16, the other way around", bytes: utf16("filename,label\na.jpg,木\n", isBig: true),
      ["a.jpg 木"]),
    TableCase(
      "decimal commas", "file;label;x;y;width;height\na.jpg;oak;0,25;0,5;0,125;0,5\n",
      ["a.jpg oak fractions 0.25 0.5 0.125 0.5"]),
  ]

  private static func utf16(_ text: String, isBig: Bool) -> [UInt8] {
    ([0xFEFF] + Array(text.utf16)).flatMap { unit in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return isBig ? bytes : bytes.reversed()
    }
  }

  static let shapes = [
    // Roboflow, TensorFlow object detection: _annotations.csv.
    TableCase(
      "TensorFlow",
      """
      filename,width,height,class,xmin,ymin,xmax,ymax
      raccoon-1.jpg,650,417,raccoon,81,88,522,408
      """, ["raccoon-1.jpg raccoon pixels 81.0 88.0 441.0 320.0 of 650 × 417"]),
    // Kaggle, Global Wheat Detection: one class, which the table does not name.
    TableCase(
      "Kaggle",
      """
      image_id,width,height,bbox,source
      b6ab77fd7,1024,1024,"[834.0, 222.0, 56.0, 36.0]",usask_1
      """, map: ["label": "=wheat head"],
      ["b6ab77fd7 wheat head pixels 834.0 222.0 56.0 36.0 of 1024 × 1024"]),
    // Kaggle, VinBigData: annotators are called R1 to R17.
    TableCase(
      "VinBigData",
      """
      image_id,class_name,class_id,rad_id,x_min,y_min,x_max,y_max
      50a4,No finding,14,R11,,,,
      9a5d,Cardiomegaly,3,R10,691.0,1375.0,1653.0,1831.0
      """, notes: ["ignored: the column “class_id”, 2 times"],
      [
        "50a4 No finding by R11", "9a5d Cardiomegaly pixels 691.0 1375.0 962.0 456.0 by R10",
      ]),
    // keras-retinanet, README, “CSV datasets”.
    TableCase(
      "RetinaNet",
      """
      /data/imgs/img_001.jpg,837,346,981,456,cow
      /data/imgs/img_002.jpg,215,312,279,391,cat
      /data/imgs/img_003.jpg,,,,,
      """,
      [
        "/data/imgs/img_001.jpg cow pixels 837.0 346.0 144.0 110.0",
        "/data/imgs/img_002.jpg cat pixels 215.0 312.0 64.0 79.0", "/data/imgs/img_003.jpg",
      ]),
    // AutoML Vision, “Formatting a training data CSV”.
    TableCase(
      "AutoML objects",
      """
      TRAIN,gs://folder/image1.png,car,0.1,0.1,,,0.3,0.3,,
      UNASSIGNED,gs://folder/im2.png,car,0.25,0.5,0.5,0.5,0.5,0.75,0.25,0.75
      TEST,gs://folder/im3.png,,,,,,,,,
      """,
      [
        "folder/image1.png car fractions 0.1 0.1 0.2 0.2",
        "folder/im2.png car fractions 0.25 0.5 0.25 0.25", "folder/im3.png",
      ]),
    TableCase(
      "AutoML classes",
      """
      TRAIN,gs://folder/image1.jpg,daisy
      TEST,gs://folder/image2.jpg,dandelion,tulip,rose
      UNASSIGNED,gs://folder/image4.jpg
      """,
      [
        "folder/image1.jpg daisy", "folder/image2.jpg dandelion", "folder/image2.jpg tulip",
        "folder/image2.jpg rose", "folder/image4.jpg",
      ]),
    TableCase("without a header", "a/1.jpg,oak\na/2.jpg,elm\n", ["a/1.jpg oak", "a/2.jpg elm"]),
    // Roboflow, multi-label classification.
    TableCase(
      "one-hot", "filename, cat, dog\na.jpg, 1, 0\nb.jpg, 1, 1\nc.jpg, 0, 0\n",
      name: "_classes.csv",
      notes: [
        "ignored: zeros in columns of classes (`--map zeros=absent` imports them), 3 times"
      ], ["a.jpg cat", "b.jpg cat", "b.jpg dog", "c.jpg"]),
    TableCase(
      "one-hot with absences", "image,MEL,NV\na.jpg,1.0,0.0\n", map: ["zeros": "absent"],
      ["a.jpg MEL", "a.jpg NV absent"]),
    TableCase(
      "centers", "image,label,x_center,y_center,w,h\na.jpg,oak,0.5,0.5,0.25,0.5\n",
      ["a.jpg oak fractions 0.375 0.25 0.25 0.5"]),
    // Datumaro, “image_csv_det” of Kaggle.
    TableCase(
      "corner and size", "image_name,label_name,x1,y1,w,h\na.jpg,dog,3,1,5,7\n",
      ["a.jpg dog pixels 3.0 1.0 5.0 7.0"]),
    TableCase(
      "small boxes in pixels", "image,label,x1,y1,x2,y2\na.jpg,oak,0,0,1,1\nb.jpg,oak,9,9,20,30\n",
      ["a.jpg oak pixels 0.0 0.0 1.0 1.0", "b.jpg oak pixels 9.0 9.0 11.0 21.0"]),
    TableCase(
      "boxes after a thousand rows without any",
      "image,label,x1,y1,x2,y2\n" + String(repeating: "a.jpg,,,,,\n", count: 1001)
        + "b.jpg,oak,9,9,20,30\n",
      Array(repeating: "a.jpg", count: 1001) + ["b.jpg oak pixels 9.0 9.0 11.0 21.0"]),
    TableCase(
      "given units", "image,label,x1,y1,x2,y2\na.jpg,oak,0,0,1,1\n", map: ["units": "pixels"],
      ["a.jpg oak pixels 0.0 0.0 1.0 1.0"]),
    TableCase(
      "times and people",
      """
      file_name,label,annotator,updated_at
      a.jpg,oak,ann@example.org,2026-05-01 12:00:00+00:00
      a.jpg,elm,human:bo@example.org model:net@1,1777636800
      a.jpg,fir,model:net@1,
      """,
      [
        "a.jpg oak by ann@example.org at 1777636800000",
        "a.jpg elm by bo@example.org at 1777636800000", "a.jpg fir by net@1",
      ]),
    TableCase("Windows paths", "path,label\ntrain\\oak\\a.jpg,oak\n", ["train\\oak\\a.jpg oak"]),
    TableCase(
      "named columns", "photo_file,what,l,t,r,b,who\na.jpg,oak,1,2,11,22,Jo\n",
      map: [
        "image": "photo_file", "label": "What", "x1": "l", "y1": "t", "x2": "r", "y2": "6",
        "annotator": "who",
      ], ["a.jpg oak pixels 1.0 2.0 10.0 20.0 by Jo"]),
    TableCase(
      "numbered columns", "7,a.jpg,oak\n8,b.jpg,elm\n", map: ["image": "2", "label": "3"],
      ["a.jpg oak", "b.jpg elm"]),
  ]

  /// Reads a table; returns its labels, its notes and the error that stops it.
  private func read(
    _ table: TableCase
  ) throws -> (labels: [String], problems: [String], notes: [String], error: FormatError?) {
    let root = FileManager.default.temporaryDirectory.appending(path: "cairn-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    let file = root.appending(path: table.name)
    try Data(table.bytes).write(to: file)
    var (labels, problems, notes): ([String], [String], [String]) = ([], [], [])
    do {
      try forEachImportedItem(
        .csv, at: FilePath(file.path), files: FileSystem(), scratch: FilePath(root.path),
        columns: table.map
      ) { item in
        switch item {
        case .photo(let photo): labels += TableShapeTests.texts(of: photo)
        case .problem(let location, let message): problems.append("\(location): \(message)")
        case .note(let note): notes.append(note)
        case .pin: break
        }
      }
    } catch let error as FormatError {
      return (labels, problems, notes, error)
    }
    return (labels, problems, notes, nil)
  }

  private static func texts(of photo: ImportedPhoto) -> [String] {
    if photo.labels.isEmpty { return [photo.file] }
    return photo.labels.map { label in
      var text = "\(photo.file) \(label.className)"
      if label.isAbsent { text += " absent" }
      switch label.box {
      case .fractions(let box)?:
        // Differences of decimal fractions are not exact.
        let numbers = [box.x, box.y, box.width, box.height].map { ($0 * 1e9).rounded() / 1e9 }
        text += " fractions " + numbers.map { "\($0)" }.joined(separator: " ")
      case .pixels(let x, let y, let width, let height)?:
        text += " pixels \(x) \(y) \(width) \(height)"
      case nil: break
      }
      if let extent = photo.extent { text += " of \(extent)" }
      let by = label.annotators.map(\.description) + [label.model].compactMap { $0 }
      if !by.isEmpty { text += " by " + by.joined(separator: " and ") }
      if let time = label.time { text += " at \(time)" }
      return text
    }
  }

  @Test("reads tables with any delimiter, encoding and shape", arguments: dialects + shapes)
  func reads(_ table: TableCase) throws {
    let found = try read(table)
    #expect(found.error == nil)
    #expect(found.problems == [])
    #expect(found.labels == table.labels)
    #expect(found.notes == table.notes)
  }

  /// Tables with columns that are not known, and the mapping that is proposed.
  static let unknown: [(text: String, map: String, message: String, labels: [String])] = [
    (
      "photo_file,species_name,notes\na.jpg,oak,x\nb.jpg,elm,y\n",
      "image=photo_file,label=species_name", "found photo_file, species_name, notes",
      ["a.jpg oak", "b.jpg elm"]
    ),
    (
      "When,My Photo,\"Kind, as seen\"\n2024,a.jpg,oak\n2024,b.jpg,oak\n",
      "'image=My Photo,label=3'", "found When, My Photo, Kind, as seen", ["a.jpg oak", "b.jpg oak"]
    ),
    (
      "1,a.jpg,oak\n2,b.jpg,elm\n", "image=2,label=3", "3 columns without",
      ["a.jpg oak", "b.jpg elm"]
    ),
    (
      "image_id,width,height,bbox,source\nb6,9,9,\"[1, 2, 3, 4]\",x\n", "label==CLASS",
      "no column is recognized as the class; found image_id, width",
      ["b6 CLASS pixels 1.0 2.0 3.0 4.0 of 9 × 9"]
    ),
  ]

  @Test("proposes a mapping of unknown columns, which works", arguments: unknown)
  func proposes(_ text: String, _ map: String, _ message: String, _ labels: [String]) throws {
    let error = try #require(try read(TableCase("", text, [])).error)
    #expect(error.message.contains(message), "\(error.message)")
    let hint = try #require(error.hint)
    #expect(hint.contains("add `--map \(map)`"), "\(hint)")
    let pairs = map.split(separator: "'").joined().split(separator: ",")
      .map { $0.split(separator: "=", maxSplits: 1) }
    let given = Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), String($0[1])) })
    let found = try read(TableCase("", text, map: given, []))
    #expect(found.error == nil)
    #expect(found.labels == labels)
  }

  @Test("says what a mapping can contain, and which columns there are")
  func wrongMaps() throws {
    let text = "file,label\na.jpg,oak\n"
    func error(_ map: [String: String]) throws -> FormatError? {
      try read(TableCase("", text, map: map, [])).error
    }
    #expect(
      try error(["image": "foto"])?.message.contains("no column “foto”; found file, label") == true)
    #expect(try error(["size": "file"])?.hint?.contains("image, photo, label, keywords") == true)
    #expect(try error(["image": "3"])?.message.contains("no column “3”") == true)
    #expect(try error(["units": "inches"])?.hint == "For example: `--map units=pixels`.")
    #expect(try error(["x1": "file", "y1": "label"])?.message.contains("x1, y1, x2, y2") == true)
    #expect(try error(["label": "=wood"]) == nil)
  }

  @Test("reads the tables of all subsets, as Roboflow exports them")
  func subsets() throws {
    let boxes = "filename,width,height,class,xmin,ymin,xmax,ymax\n"
    let found = try ReadFiles(
      .csv,
      [
        "train/_annotations.csv": boxes + "a.jpg,9,9,cat,1,2,4,8\n",
        "valid/_annotations.csv": boxes + "a.jpg,9,9,dog,0,0,9,9\n",
        "test/_annotations.csv": boxes, "README.roboflow.txt": "x",
      ])
    #expect(found.error == nil)
    #expect(found.photos == ["train/a.jpg: cat px[1 2 3 6]", "valid/a.jpg: dog px[0 0 9 9]"])
    let classes = try ReadFiles(
      .csv,
      [
        "train/_classes.csv": "filename, cat\na.jpg, 1\n",
        "test/_classes.csv": "filename, cat\nb.jpg, 1\nC:\\x\\c.jpg, 1\n/x/d.jpg, 1\n",
      ])
    #expect(classes.error == nil)
    #expect(
      classes.photos == [
        "test/b.jpg: cat", "C:\\x\\c.jpg: cat", "/x/d.jpg: cat", "train/a.jpg: cat",
      ])
  }

  @Test("reports cells that do not fit their columns, with their lines")
  func wrongCells() throws {
    let table = TableCase(
      "", "image,cat,dog\n" + String(repeating: "a.jpg,1,0\n", count: 1000) + "b.jpg,2,0\n", [])
    #expect(
      try read(table).problems == [
        "labels.csv, line 1002: “2” in the column “cat” is not 0 or 1"
      ])
    let boxes = TableCase(
      "", "image,label,bbox\na.jpg,oak,\"[1, 2, 3]\"\na.jpg,,\"[1,2,3,4]\"\n", [])
    #expect(
      try read(boxes).problems == [
        "labels.csv, line 2: the box has a cell that is not a number",
        "labels.csv, line 3: a box without a class",
      ])
    let times = TableCase("", "image,label,when\na.jpg,oak,soon\n", map: ["time": "when"], [])
    #expect(try read(times).problems.first?.contains("“soon” is not a time") == true)
    let latin = TableCase("", bytes: Array("image,label\na.jpg,F".utf8) + [0xF6, 0x0A], [])
    let error = try read(latin).error
    #expect(error?.hint?.contains("CSV UTF-8") == true)
  }
}
