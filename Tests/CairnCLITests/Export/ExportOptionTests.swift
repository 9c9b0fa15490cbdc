import Foundation
import TestSupport
import Testing

@Suite("cairn export: options")
struct ExportOptionTests {
  @Test("exports only the selected photos, states and confidences")
  func selection() throws {
    let scene = try FormatScene()
    let box = scene.box
    func labels(_ arguments: String...) throws -> [String] {
      let output = try box.run("cairn", ["export", "jsonl", "../out"] + arguments, in: "a")
      try #require(output.status == 0, "\(output.stderr)")
      defer { try? box.remove("out") }
      return try box.text("out/photos.jsonl").split(separator: "\n").flatMap { line in
        try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))["labels"].elements
          .map { "\($0["label"].string) \($0["state"].string)" }
      }.sorted()
    }
    #expect(
      try labels() == ["dog confirmed", "dog confirmed", "dog confirmed", "oak confirmed"])
    #expect(try labels("--states", "predicted") == ["cairn-terrier predicted"])
    #expect(try labels("--states", "predicted", "--min", "0.8") == [])
    #expect(try labels("--states", "rejected,predicted", "--min", "0.75").count == 2)
    #expect(try labels("--find", "label:oak") == ["dog confirmed", "oak confirmed"])
    #expect(try labels("--find", "label:oak", "--images", "none").count == 2)
    try box.cairn("pin", "add", "1", "2", "--name", "mill", in: "a")
    try box.cairn("photo", "edit", scene.photos[1], "--pin", "mill", in: "a")
    #expect(try labels("--pin", "mill") == ["dog confirmed"])
    #expect(try labels("--pin", "mill", "--find", "label:oak") == [])
    #expect(try labels("--pin", "harbor", "--find", "label:dog").count == 3)
  }

  @Test("splits photos the same way in every format, and by pin with --split-by")
  func splits() throws {
    let scene = try FormatScene()
    let box = scene.box
    let report = try scene.export("csv", to: "csv", "--split", "train=1,val=1,test=1")
    let sizes = report["splits"]
    let counts = ["train", "val", "test"].map { sizes[$0].number }.filter { !$0.isNaN }
    #expect(counts.reduce(0, +) == 6)
    let rows = try box.text("csv/labels.csv").split(separator: "\r\n").dropFirst()
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let subset = Dictionary(
      rows.map { (String($0[1]), $0[12]) }, uniquingKeysWith: { first, _ in first })
    #expect(Set(subset.values).isSubset(of: ["train", "val", "test"]))
    _ = try scene.export("imagefolder", to: "folders", "--split", "train=1,val=1,test=1")
    for (id, subset) in subset {
      let found = try box.sh("find folders -name '\(id).png'").stdout
      #expect(found == "" || found.hasPrefix("folders/\(subset)/"))
    }
    _ = try scene.export("coco", to: "coco", "--split", "train=1,val=1,test=1")
    for name in Set(subset.values) {
      let text = try box.text("coco/annotations/instances_\(name).json")
      for (id, own) in subset { #expect(text.contains(id) == (own == name)) }
    }
    let together = try scene.export("csv", to: "pins", "--split", "a=1,b=1", "--split-by", "pin")
    #expect(["a", "b"].contains { together["splits"][$0].number == 6 })
  }

  @Test("copies images, links them, or refers to them where they are")
  func images() throws {
    let scene = try FormatScene()
    let box = scene.box
    _ = try scene.export("coco", to: "copied", "--images", "copy")
    _ = try scene.export("coco", to: "linked", "--images", "link")
    let none = try scene.export("coco", to: "named", "--images", "none")
    #expect(none["images"].number == 0)
    let id = scene.photos[0]
    #expect(try box.sh("ls named").stdout == "annotations\n")
    #expect(try box.text("named/annotations/instances_all.json").contains(Sandbox.imagePath(id)))
    let blob = "a/.git/lfs/objects/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"
    #expect(try box.read("linked/images/\(id).png") == box.read(blob))
    #expect(try box.sh("stat -c %i copied/images/\(id).png \(blob) | sort -u | wc -l").word == "2")
    try box.refuses(
      "export", "imagefolder", "../x", "--images", "none", in: "a", with: ExitStatus.badData)
  }

  @Test(
    "exports a photo without its missing image",
    arguments: [
      "csv", "jsonl", "coco", "voc", "label-studio", "geojson", "croissant", "cvat", "darwin-core",
    ])
  func missingImages(format: String) throws {
    let scene = try FormatScene()
    let id = scene.photos[0]
    let whole = try scene.export(format, to: "whole")
    try scene.box.sh("rm -f a/.git/lfs/objects/*/*/\(id)")
    let report = try scene.export(format)
    for member in ["photos", "labels", "regions"] { #expect(report[member] == whole[member]) }
    #expect(report["images"].number == whole["images"].number - 1)
    #expect(report["leftOut"]["image"].number == 1)
    let sentences = report["leftOutSentences"].elements.map(\.string)
    #expect(
      sentences.contains("1 photo without its image, which is not on this disk"), "\(sentences)")
    let found = try scene.box.sh("grep -rlF '\(id.prefix(2))/\(id.dropFirst(2).prefix(2))' out")
    #expect(!found.lines.isEmpty)
  }

  @Test("leaves out photos whose images are missing if the format consists of images")
  func requiredImages() throws {
    let scene = try FormatScene()
    let box = scene.box
    let id = scene.photos[0]
    try box.sh("rm -f a/.git/lfs/objects/*/*/\(id)")
    let report = try scene.export("huggingface")
    #expect(report["photos"].number == 5 && report["images"].number == 5)
    #expect(report["leftOut"]["image"].number == 1)
    let shown = try box.run("cairn", ["export", "fiftyone", "../shown"], in: "a")
    #expect(shown.stdout.contains("left out: 1 photo whose image is not on this disk"))
    // There is no remote to fetch it from.
    #expect(!shown.stderr.contains("`cairn images fetch`"), "\(shown.all)")
    try box.cairn("remote", "add", "origin", "../origin.git", "--create", in: "a")
    let fetchable = try box.run("cairn", ["export", "fiftyone", "../fetchable"], in: "a")
    #expect(fetchable.stderr.contains("`cairn images fetch`"), "\(fetchable.all)")
  }

  @Test("refuses a YOLO export whose training or validation subset has no photos")
  func emptySubsets() throws {
    let scene = try FormatScene()
    let box = scene.box
    for photo in scene.photos {
      try box.cairn("label", photo, "cat", "--region", "0.5,0.5,0.25,0.25", in: "a")
    }
    func refusal(_ split: String, _ basis: String) throws -> String {
      let output = try box.run(
        "cairn", ["export", "yolo", "../x", "--split", split, "--split-by", basis], in: "a")
      #expect(output.status == ExitStatus.badData && !box.exists("x"))
      return output.stderr
    }
    // All photos have the same pin.
    let single = try refusal("train=1,val=1", "pin")
    #expect(
      single.contains("no photo of “train”:") != single.contains("no photo of “val”:"), "\(single)")
    #expect(single.contains("without a box") && !single.contains("--split"))
    let named = try refusal("train=1,dev=1,test=1", "photo")
    #expect(named.contains("no photo of “val”: those that it can hold are in “"), "\(named)")
    #expect(named.contains("`--split train=80,val=20`"))
    _ = try scene.export("yolo", to: "both", "--split", "train=1,val=1")
    let text = try box.text("both/data.yaml")
    #expect(text.contains("train: images/train\n") && text.contains("val: images/val\n"))
  }

  @Test("exports to an empty directory, but refuses a full one and invalid options")
  func targets() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.write("mine", to: "full/file")
    try box.sh("mkdir empty")
    try box.refuses("export", "csv", "../full", in: "a", with: ExitStatus.existsOrFull)
    try box.refuses("export", "csv", "../full/file", in: "a", with: ExitStatus.existsOrFull)
    // A split is recorded only if the export succeeds.
    let split = ["--split", "train=80,val=20", "--record-split", "std"]
    let full = try box.run("cairn", ["export", "csv", "../full"] + split, in: "a")
    #expect(full.status == ExitStatus.existsOrFull)
    #expect(try box.json("split", "list", in: "a").elements.isEmpty)
    try box.cairn("split", "add", "std", "train=1,val=1", in: "a")
    let other = try box.run("cairn", ["export", "csv", "../new"] + split, in: "a")
    #expect(other.status == ExitStatus.existsOrFull && !box.exists("new"))
    _ = try scene.export("csv", to: "empty")
    #expect(box.exists("empty/labels.csv"))
    try box.refuses(
      "export", "csv", "../x", "--find", "label:nothing", in: "a", with: ExitStatus.notFound)
    try box.refuses("export", "csv", "../x", "--states", "sure", in: "a", with: ExitStatus.usage)
    try box.refuses("export", "csv", "../x", "--min", "2", in: "a", with: ExitStatus.badData)
    try box.refuses("export", "csv", "../x", "--split", "a=0", in: "a", with: ExitStatus.badData)
    // The name of a subset cannot be a path.
    try box.refuses(
      "export", "csv", "../x", "--split", "../y=1", in: "a", with: ExitStatus.badData)
  }

  @Test("leaves no directory behind on a full disk", .enabled(if: Programs.canMount))
  func fullDisk() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.sh("mkdir disk; mount -t tmpfs -o size=16k none disk")
    defer { _ = try? box.sh("umount disk") }
    let output = try box.run("cairn", ["export", "coco", "../disk/out"], in: "a")
    #expect(output.status == ExitStatus.existsOrFull, "\(output.stderr)")
    #expect(try box.sh("ls -a disk | wc -l").word == "2")
  }

  @Test("prints help with examples for every format", arguments: ["export", "import"])
  func help(verb: String) throws {
    let box = try Sandbox()
    let list = try box.cairn(verb, "--help").stdout
    let formats =
      [
        "csv", "jsonl", "imagefolder", "coco", "yolo", "yolo-classify", "voc", "label-studio",
        "labelme", "geojson",
      ]
      + (verb == "export"
        ? ["createml", "yolo-segment", "huggingface", "webdataset", "croissant", "fiftyone"] : [])
    for format in formats {
      #expect(list.contains("  \(format) "), "\(format)")
      let text = try box.cairn("help", verb, format).stdout
      #expect(text.contains("EXAMPLES") && text.contains("cairn \(verb) \(format) "))
    }
  }
}

@Suite("cairn export --strip-gps: images")
struct PositionTests {
  /// Makes photos with positions in each kind of metadata, and one without.
  private static let make = """
    from PIL import Image
    from PIL.TiffImagePlugin import IFDRational
    def image(number): return Image.effect_noise((64, 40 + number), 80).convert("RGB")
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010F] = "Maker"
    exif[0x8825] = {1: "N", 2: (IFDRational(57), IFDRational(30), IFDRational(1234, 100)),
                    3: "W", 4: (IFDRational(3), IFDRational(54), IFDRational(5678, 100)),
                    29: "2024:05:06"}
    xmp = b'<?xpacket?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="57,30.2N" exif:GPSLongitude="3,54W"/></rdf:RDF></x:xmpmeta>'
    image(0).save("one.jpg", exif=exif, xmp=xmp, quality=90)
    image(1).save("two.jpg", exif=exif, quality=90, progressive=True)
    image(2).save("three.png", exif=exif)
    image(3).save("four.webp", exif=exif, xmp=xmp, lossless=True)
    image(4).save("five.jpg", quality=80)
    """

  /// Prints for each file whether it has a position, and other metadata, by the hash of its pixels.
  private static let look = """
    import hashlib, subprocess, sys
    from PIL import Image
    out = {}
    for name in sys.argv[1:]:
        tags = json.loads(subprocess.check_output(["exiftool", "-json", "-G1", "-n", "-a", name]))[0]
        image = Image.open(name)
        image.load()
        key = hashlib.sha256(image.tobytes()).hexdigest()
        out[key] = dict(position=any("GPS" in k for k in tags) or b"GPSL" in open(name, "rb").read(),
                        maker=tags.get("IFD0:Make", ""), orientation=tags.get("IFD0:Orientation", 0),
                        warning=str(tags.get("ExifTool:Warning", "")), format=image.format)
    print(json.dumps(out))
    """

  @Test(
    "removes positions from documents and images, and keeps pixels and other metadata",
    .enabled(if: Programs.clients != nil, Programs.missingClients))
  func stripped() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.sh("mkdir places")
    _ = try scene.python(PositionTests.make, in: "places")
    try box.cairn("photo", "add", "../places", "--pin", "harbor", in: "a")
    let strip = ["--strip-gps", "--images", "link"]
    for (directory, options) in [("with", []), ("without", strip)] {
      let output = try box.run(
        "cairn", ["export", "jsonl", "../\(directory)"] + options, in: "a")
      try #require(output.status == 0, "\(output.stderr)")
    }
    func look(_ directory: String) throws -> [String: JSONValue] {
      let names = try FileManager.default.contentsOfDirectory(
        atPath: box.url("\(directory)/images").path)
      let output = try scene.python(
        "sys.argv += \(names)\n" + PositionTests.look, in: "\(directory)/images")
      guard case .object(let found) = try output.json() else { return [:] }
      return found
    }
    let (before, after) = (try look("with"), try look("without"))
    #expect(before.values.count { $0["position"].isTrue } == 4)
    #expect(after.values.count { $0["position"].isTrue } == 0)
    #expect(Set(before.keys) == Set(after.keys), "pixels changed")
    for (key, value) in before {
      for member in ["maker", "orientation", "format", "warning"] {
        #expect(after[key]?[member] == value[member], "\(member)")
      }
    }
    #expect(before.values.count { $0["maker"].string == "Maker" } == 4)
    let text = try box.text("without/photos.jsonl")
    #expect(!text.contains("latitude") && !text.contains("harbor") && !text.contains("57.5"))
    #expect(try box.text("with/photos.jsonl").contains("latitude"))
    // The dataset's own images are unchanged.
    try box.expectSound("a")
  }

  @Test("refuses a HEIC whose metadata it cannot read, and writes nothing")
  func unremovable() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.sh("heif-enc -q 50 from/photo-0.png -o walk.heic")
    let path = box.url("walk.heic")
    var bytes = [UInt8](try Data(contentsOf: path))
    // Items in the form of an early draft, whose types are elsewhere.
    bytes[try #require(bytes.firstRange(of: Array("infe".utf8))).upperBound] = 0
    try Data(bytes).write(to: path)
    try box.cairn("photo", "add", "../walk.heic", in: "a")
    let refused = try box.run("cairn", ["export", "jsonl", "../out", "--strip-gps"], in: "a")
    #expect(refused.status == ExitStatus.badData)
    #expect(
      refused.stderr.contains("The location cannot be removed from “walk.heic” (images/"),
      "\(refused.stderr)")
    #expect(refused.stderr.contains("the file has metadata in a structure that cairn does"))
    #expect(!FileManager.default.fileExists(atPath: box.url("out").path))
    try box.cairn("export", "jsonl", "../out", in: "a")
  }
}
