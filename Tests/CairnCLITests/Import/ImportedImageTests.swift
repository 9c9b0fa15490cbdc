import Foundation
import TestSupport
import Testing

@Suite("cairn import: the images of photos")
struct ImportedImageTests {
  /// Imports into an empty dataset; returns a text for each label, of the index of its photo and its
  /// class, then the problems.
  private func imported(
    _ scene: FormatScene, _ arguments: String..., skipsInvalid: Bool = false
  ) throws -> [String] {
    let box = scene.box
    try box.sh("rm -rf b; cairn init b")
    let options = ["--json", "--annotator", "ann@example.org"]
    let more = skipsInvalid ? ["--skip-invalid"] : []
    let report = try box.run("cairn", ["import"] + arguments + options + more, in: "b").json()
    let labels = try box.records(in: "b").flatMap { record in
      let photo = try #require(scene.photos.firstIndex(of: record["photo"]["id"].string))
      return record["labels"].elements.map { "\(photo) \($0["class"].string)" }
    }
    return labels.sorted() + report["problems"].elements.map { $0["message"].string }
  }

  /// Copies images of the scene, by their paths.
  private func copy(_ scene: FormatScene, _ images: [String: Int]) throws {
    for (path, photo) in images {
      let image = try scene.box.read("from/photo-\(photo).png")
      try scene.box.write(image, to: path)
    }
  }

  private func coco(_ file: String, _ name: String) -> String {
    """
    {"images": [{"id": 1, "file_name": "\(file)"}], "categories": [{"id": 1, "name": "\(name)"}],
     "annotations": [{"id": 1, "image_id": 1, "category_id": 1}]}
    """
  }

  @Test(
    "tells COCO's subsets apart whose files have the same name",
    arguments: ["x/", "x/images/"])
  func subsets(directory: String) throws {
    let scene = try FormatScene()
    try copy(scene, ["\(directory)train/1.png": 0, "\(directory)val/1.png": 1])
    try scene.box.write(coco("1.png", "oak"), to: "x/annotations/instances_train.json")
    try scene.box.write(coco("1.png", "elm"), to: "x/annotations/instances_val.json")
    #expect(try imported(scene, "coco", "../x") == ["0 oak", "1 elm"])
    try scene.box.sh("rm \(directory)val/1.png")
    #expect(
      try imported(scene, "coco", "../x", skipsInvalid: true)
        == ["0 oak", "there is no image “1.png”, and no photo with that id"])
  }

  @Test("finds images by observations when the last part of all URLs is the same")
  func observations() throws {
    let scene = try FormatScene()
    try copy(scene, ["x/101.png": 0, "x/102.png": 1])
    let table = #"fieldsEnclosedBy="" ignoreHeaderLines="1" fieldsTerminatedBy=",""#
    let terms = "http://rs.tdwg.org/dwc/terms"
    try scene.box.write(
      """
      <archive><core \(table) rowType="\(terms)/Occurrence"><files><location>o.csv</location></files>
      <id index="0"/><field index="1" term="\(terms)/scientificName"/></core>
      <extension \(table) rowType="\(terms)/Multimedia"><files><location>m.csv</location></files>
      <coreid index="0"/><field index="1" term="http://purl.org/dc/terms/identifier"/></extension>
      </archive>
      """, to: "x/meta.xml")
    try scene.box.write("id,name\n101,Quercus\n102,Ulmus\n", to: "x/o.csv")
    let url = "https://data.example.org/media-store/asset"
    try scene.box.write(
      """
      id,url
      101,\(url)/7/contents/preview
      102,\(url)/8/contents/preview
      102,\(url)/9/contents/preview
      """, to: "x/m.csv")
    #expect(try imported(scene, "darwin-core", "../x") == ["0 quercus", "1 ulmus"])
  }

  private func voc(_ file: String, _ name: String) -> String {
    """
    <annotation><filename>\(file)</filename><object><name>\(name)</name><bndbox><xmin>0</xmin>
    <ymin>0</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object></annotation>
    """
  }

  @Test("takes the image beside an annotation file, before one of the same name elsewhere")
  func beside() throws {
    let scene = try FormatScene()
    try copy(
      scene,
      [
        "x/train/1.png": 0, "x/validation/1.png": 1, "x/site_a/2.png": 2, "x/1.png": 3,
        "y/site_a/1.png": 0, "y/site_b/1.png": 1, "z/1.png": 4,
      ])
    for (path, name) in [
      "train/1": "oak", "validation/1": "elm", "site_a/2": "ash", "1": "fir",
    ] {
      try scene.box.write(voc("\(path.suffix(1)).png", name), to: "x/\(path).xml")
    }
    #expect(try imported(scene, "voc", "../x") == ["0 oak", "1 elm", "2 ash", "3 fir"])
    for (site, name) in ["site_a": "oak", "site_b": "elm"] {
      try scene.box.write(coco("1.png", name), to: "y/\(site)/coco.json")
      try scene.box.write(voc("1.png", name), to: "z/\(site)/1.xml")
    }
    #expect(try imported(scene, "coco", "../y") == ["0 oak", "1 elm"])
    // An image that is missing is not the one of another directory.
    try scene.box.sh("rm x/validation/1.png")
    #expect(
      try imported(scene, "voc", "../x", skipsInvalid: true) == [
        "0 oak", "2 ash", "3 fir",
        "“validation/1.png” and another name both lead to x/1.png: one of the two images is missing",
      ])
    #expect(
      try imported(scene, "voc", "../z", skipsInvalid: true) == [
        "4 oak",
        "“site_b/1.png” and another name both lead to z/1.png: one of the two images is missing",
      ])
  }

  @Test("refuses two paths or addresses that lead to the same image only by their last parts")
  func shared() throws {
    let scene = try FormatScene()
    try copy(scene, ["cards/camA/1.png": 0, "cards/camB/1.png": 1, "up/IMG_1.png": 2])
    func table(_ start: String) throws {
      try scene.box.write(
        "path,label\n\(start)camA/1.png,fox\n\(start)camB/1.png,badger\n", to: "cards/labels.csv")
    }
    for start in ["", "s3://bucket/", "C:/data/"] {
      try table(start)
      let both = try imported(scene, "csv", "../cards/labels.csv", "--image-dir", "../cards")
      #expect(both == ["0 fox", "1 badger"])
      let one = try imported(scene, "csv", "../cards/labels.csv", "--image-dir", "../cards/camA")
      #expect(one.count == 1 && one[0].contains("camB/1.png” and another name both lead to"))
    }
    try scene.box.write(
      """
      [{"data": {"image": "/data/upload/7/ab12cd34-IMG_1.png"}, "annotations": [{"result": [
         {"type": "choices", "value": {"choices": ["oak"]}}]}]},
       {"data": {"image": "/data/upload/7/ff00ee11-IMG_1.png"}, "annotations": [{"result": [
         {"type": "choices", "value": {"choices": ["elm"]}}]}]}]
      """, to: "up/tasks.json")
    let uploads = try imported(scene, "label-studio", "../up/tasks.json", skipsInvalid: true)
    #expect(uploads.count == 2 && uploads[0] == "2 oak")
    #expect(uploads.last?.contains("ff00ee11-IMG_1.png” and another name both lead to") == true)
  }

  @Test("does not take KITTI's image of another set, if that of its own is missing")
  func kitti() throws {
    let scene = try FormatScene()
    try copy(scene, ["x/training/image_2/1.png": 0, "x/testing/image_2/2.png": 1])
    let row = "0 0 0 1 2 3 4 -1 -1 -1 -1000 -1000 -1000 -10\n"
    for (number, name) in ["1": "oak", "2": "elm"] {
      try scene.box.write("\(name) \(row)", to: "x/training/label_2/\(number).txt")
    }
    #expect(
      try imported(scene, "kitti", "../x", skipsInvalid: true) == [
        "0 oak", "there is no image “training/image_2/2.jpg”, and no photo with that id",
      ])
  }

  @Test("tells VIA's images apart by the sizes of their files")
  func via() throws {
    let scene = try FormatScene()
    try copy(scene, ["x/1.png": 0])
    let size = try scene.box.read("x/1.png").count
    func image(_ size: Int, _ name: String) -> String {
      #""1.png\#(size)": {"filename": "1.png", "size": \#(size), "file_attributes": {"class": "\#(name)"}}"#
    }
    try scene.box.write("{\(image(size, "oak")), \(image(2 * size, "ash"))}", to: "x/via.json")
    #expect(
      try imported(scene, "via", "../x/via.json", skipsInvalid: true)
        == ["0 oak", "“1.png” has \(size) bytes, but the labeled image had \(2 * size)"])
    try scene.box.write("{\(image(-1, "oak"))}", to: "x/via.json")
    #expect(try imported(scene, "via", "../x/via.json") == ["0 oak"])
    let head = "filename,file_size,file_attributes,region_shape_attributes,region_attributes"
    let rows = [(size, "oak"), (2 * size, "ash")].map { size, name in
      "1.png,\(size),\"{\"\"class\"\": \"\"\(name)\"\"}\",{},{}"
    }
    try scene.box.write(([head] + rows).joined(separator: "\n"), to: "x/via.csv")
    #expect(try imported(scene, "via", "../x/via.csv", skipsInvalid: true).first == "0 oak")
    #expect(try imported(scene, "via", "../x/via.csv", skipsInvalid: true).count == 2)
  }

  @Test("reads paths of Windows, and paths that lead back into the directory")
  func windows() throws {
    let scene = try FormatScene()
    try copy(scene, ["x/images/1.png": 0, "x/images/2.png": 1, "y/images/a.png": 2])
    try copy(scene, ["y/images/1/a.png": 3])
    for (file, path) in ["1": #"..\\images\\1.png"#, "2": "../images/2.png"] {
      try scene.box.write(
        #"{"imagePath": "\#(path)", "flags": {"oak": true}, "shapes": []}"#,
        to: "x/json/\(file).json")
    }
    #expect(try imported(scene, "labelme", "../x") == ["0 oak", "1 oak"])
    try scene.box.write(coco(#"images\\a.png"#, "oak"), to: "y/a.json")
    try scene.box.write(coco(#"images\\1/a.png"#, "elm"), to: "y/b.json")
    #expect(try imported(scene, "coco", "../y") == ["2 oak", "3 elm"])
    // They do not lead outside.
    try scene.box.write(coco(#"..\\x\\images\\1.png"#, "oak"), to: "y/a.json")
    #expect(
      try imported(scene, "coco", "../y", skipsInvalid: true).last?.contains(
        "is outside the directory; give the image directory with --image-dir") == true)
  }

  @Test("matches photos by the names of their files on request, unless a name is ambiguous")
  func fileNames() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    for (index, path) in ["1/x.png", "1/y.png", "2/y.png", "2/IMG_3.PNG"].enumerated() {
      try box.write(PNG.bytes(seed: index, width: 40, height: 30), to: "in/\(path)")
    }
    try box.cairn("photo", "add", "../in", in: "a")
    let table = "file,label,score\n/card/x.png,oak,0.9\nD:\\card\\img_3.png,elm,0.8\n"
    try box.write(table, to: "a.csv")
    let arguments = ["import", "csv", "../a.csv", "--as", "net@1"]
    let refused = try box.run("cairn", arguments, in: "a")
    #expect(refused.status == ExitStatus.badData)
    #expect(refused.stderr.contains("`--match-names` takes the photos of the dataset"))

    let output = try box.run("cairn", arguments + ["--match-names", "--json"], in: "a")
    try #require(output.status == 0, "\(output.stderr)")
    let report = try output.json()
    #expect(report["labels"].number == 2)
    #expect(report["photos"]["known"].number == 2 && report["photos"]["new"].number == 0)
    for (name, file) in ["oak": "x.png", "elm": "IMG_3.PNG"] {
      let found = try box.json("find", "label:\(name)", in: "a").elements
      #expect(found.map { $0["photo"]["source"].string } == [file])
    }

    try box.write(table + "y.png,oak,0.9\n/other/x.png,oak,0.9\nz.png,oak,0.9\n", to: "a.csv")
    let problems = try box.run("cairn", arguments + ["--match-names", "--json"], in: "a").json()
    #expect(
      problems["problems"].elements.map { $0["message"].string } == [
        "the file name “y.png” belongs to several photos",
        "“/other/x.png” and another name both stand for the photo x.png: one of the two images is "
          + "missing",
        "there is no image “z.png”, and no photo with that id",
      ])
  }

  @Test("imports an image that is wider than a million pixels")
  func wide() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    try box.write(PNG.bytes(seed: 1, width: 1_000_001, height: 1), to: "x/1.png")
    try box.write("file,label\n1.png,oak\n", to: "x/labels.csv")
    let report = try box.json("import", "csv", "../x", "--annotator", "ann@example.org", in: "a")
    #expect(report["labels"].number == 1)
  }
}
