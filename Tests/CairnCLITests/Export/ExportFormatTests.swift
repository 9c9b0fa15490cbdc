import Foundation
import TestSupport
import Testing

/// A format, the labels that another program reads from it, and what cairn reports as left out.
struct FormatCase: CustomTestStringConvertible, Sendable {
  let format: String
  var options: [String] = []
  let labels: [SceneLabel]
  let photos: Int
  let leftOut: [String: Int]
  /// Reads the export with the format's own program.
  let script: String

  var testDescription: String { ([format] + options).joined(separator: " ") }
}

@Suite(
  "cairn export: formats read by other programs",
  .enabled(if: Programs.clients != nil, Programs.missingClients))
struct ExportFormatTests {
  private static let all = FormatScene.wholes + FormatScene.boxes
  private static let folderLeftOut = [
    "photo": 2, "class": 1, "region": 3, "absence": 1, "confidence": 1, "annotators": 4, "state": 1,
    "location": 4, "text": 1,
  ]

  private static let readCSV = """
    import csv
    for row in csv.DictReader(open("labels.csv", newline="")):
        assert os.path.exists(row["file_name"])
        if row["title"]: assert row["title"] == 'A "mill", old'
        assert float(row["latitude"]) == 57.5 and row["pin_name"] == "harbor"
        if row["label"]:
            box = [row[k] for k in ("x", "y", "width", "height")]
            report(row["photo"], row["label"], box if box[0] else None, row["confidence"],
                 row["state"] == "rejected")
    """

  private static let readFolders = """
    from datasets import Image, load_dataset
    data = load_dataset("imagefolder", data_dir=".", split="train", cache_dir="cache")
    names = data.features["label"].names
    assert names == ["cairn-terrier", "dog"], names
    assert all(row["image"].size[0] >= 40 for row in data)
    for row in data.cast_column("image", Image(decode=False)):
        report(row["image"]["path"], names[row["label"]])
    """

  static let cases = [
    FormatCase(
      format: "csv", labels: all + FormatScene.absence, photos: 6, leftOut: [:], script: readCSV),
    FormatCase(
      format: "jsonl", labels: all + FormatScene.absence, photos: 6, leftOut: [:],
      script: """
        for line in open("photos.jsonl", encoding="utf-8"):
            photo = json.loads(line)
            assert os.path.exists(photo["file_name"])
            for l in photo["labels"]:
                for r in l.get("regions", [None]):
                    box = r and [r["x"], r["y"], r["width"], r["height"]]
                    report(photo["photo"], l["label"], box, l["confidence"], l["state"] == "rejected")
        """),
    FormatCase(
      format: "imagefolder", labels: FormatScene.folders, photos: 4, leftOut: folderLeftOut,
      script: readFolders),
    FormatCase(
      format: "createml", labels: FormatScene.folders, photos: 4, leftOut: folderLeftOut,
      script: readFolders),
    FormatCase(
      format: "yolo-classify", labels: FormatScene.folders, photos: 4, leftOut: folderLeftOut,
      script: readFolders),
    FormatCase(
      format: "coco", labels: all + FormatScene.absence, photos: 6, leftOut: ["annotators": 1],
      script: """
        from pycocotools.coco import COCO
        coco = COCO("annotations/instances_all.json")
        assert len(coco.getImgIds()) == 6
        ids = coco.getAnnIds(areaRng=[0, 1e9], iscrowd=False)
        assert len(ids) == 6 and 0 not in ids
        for a in coco.loadAnns(ids):
            image = coco.loadImgs(a["image_id"])[0]
            w, h = image["width"], image["height"]
            box = a.get("bbox")
            if box: assert abs(a["area"] - box[2] * box[3]) < 1e-6
            report(image["file_name"], coco.loadCats(a["category_id"])[0]["name"],
                 box and [box[0] / w, box[1] / h, box[2] / w, box[3] / h], a.get("score", 1))
            model = a["annotators"] == ["model:net@1"]
            assert model == (a.get("state") == "predicted"), a
        for image in coco.loadImgs(coco.getImgIds()):
            for c in coco.loadCats(image.get("neg_category_ids", [])):
                report(image["file_name"], c["name"], absent=True)
        """),
    FormatCase(
      format: "yolo", labels: FormatScene.withoutConfidence(FormatScene.boxes), photos: 2,
      leftOut: [
        "photo": 4, "whole-photo": 3, "absence": 1, "annotators": 2, "location": 2, "text": 1,
      ],
      script: """
        import yaml
        from pathlib import Path
        from labelformat.formats.yolov8 import YOLOv8ObjectDetectionInput
        # Ultralytics also requires a validation split.
        assert yaml.safe_load(open("data.yaml"))["val"]
        for found in YOLOv8ObjectDetectionInput(Path("data.yaml"), "train").get_labels():
            w, h = found.image.width, found.image.height
            for o in found.objects:
                report(found.image.filename, o.category.name,
                     [o.box.xmin / w, o.box.ymin / h, (o.box.xmax - o.box.xmin) / w,
                      (o.box.ymax - o.box.ymin) / h])
        """),
    FormatCase(
      format: "voc", labels: FormatScene.withoutConfidence(all) + FormatScene.absence, photos: 6,
      leftOut: ["confidence": 1, "annotators": 6, "location": 6, "state": 1, "text": 1],
      // The lists of classes are read as the image sets of the VOC development kit.
      script: """
        from pathlib import Path
        from labelformat.formats.pascalvoc import PascalVOCObjectDetectionInput
        ids = [l.strip() for l in open("ImageSets/Main/trainval.txt")]
        photos = list(PascalVOCObjectDetectionInput(Path("Annotations"), "dog").get_labels())
        assert sorted(p.image.filename for p in photos) == sorted(i + ".png" for i in ids)
        for found in photos:
            w, h = found.image.width, found.image.height
            assert os.path.exists("JPEGImages/" + found.image.filename)
            for o in found.objects:
                report(found.image.filename, o.category.name,
                     [o.box.xmin / w, o.box.ymin / h, (o.box.xmax - o.box.xmin) / w,
                      (o.box.ymax - o.box.ymin) / h])
        for path in glob.glob("ImageSets/Main/*_trainval.txt"):
            for line in open(path):
                i, mark = line.split()
                report(i, os.path.basename(path).rsplit("_", 1)[0], absent=mark == "-1")
        """),
    FormatCase(
      format: "label-studio", labels: all, photos: 6,
      leftOut: ["absence": 1, "annotators": 5],
      script: """
        from label_studio_sdk.label_interface import LabelInterface
        interface = LabelInterface(open("config.xml").read())
        tasks = json.load(open("tasks.json"))
        assert len(tasks) == 6 and len({t["id"] for t in tasks}) == 6
        for t in tasks:
            assert os.path.exists(t["data"]["image"].split("?d=")[1])
            for p in t["predictions"]:
                errors = interface.validate_prediction(p, return_errors=True)
                assert not errors, errors
                assert p["model_version"] == "net@1" and p["score"] == 0.75
            for a in t.get("annotations", []): assert interface.validate_annotation(a)
            for r in [r for a in t.get("annotations", []) + t["predictions"] for r in a["result"]]:
                v = r["value"]
                box = v.get("rectanglelabels") and [v[k] / 100 for k in ("x", "y", "width", "height")]
                for name in v[r["type"]]: report(t["data"]["photo"], name, box, r.get("score", 1))
        """),
    FormatCase(
      format: "huggingface", labels: all + FormatScene.absence, photos: 6,
      leftOut: ["annotators": 1],
      script: """
        from datasets import load_dataset
        data = load_dataset("imagefolder", data_dir=".", split="train", cache_dir="cache")
        assert len(data) == 6
        for row in data:
            w, h = row["image"].size
            assert (w, h) == (row["width"], row["height"]) and row["latitude"] == 57.5
            objects = row["objects"]
            boxed = set(objects["categories"])
            for name, confidence in zip(row["labels"], row["confidences"]):
                if name not in boxed: report(row["photo"], name, None, confidence)
            for name in row["rejected"]: report(row["photo"], name, absent=True)
            assert len(row["states"]) == len(row["annotators"]) == len(row["labels"])
            assert set(objects["annotators"]) <= {"human:ann@example.org"}, objects
            for b, name, score in zip(objects["bbox"], objects["categories"], objects["scores"]):
                report(row["photo"], name, [b[0] / w, b[1] / h, b[2] / w, b[3] / h], score)
        """),
    FormatCase(
      format: "webdataset", labels: all + FormatScene.absence, photos: 6, leftOut: [:],
      script: """
        import webdataset
        names = open("classes.txt").read().split()
        count = 0
        for sample in webdataset.WebDataset("data-000000.tar", shardshuffle=False).decode("pil"):
            count += 1
            about = sample["json"]
            assert about["photo"] == sample["__key__"]
            assert sample["png"].size == (about["image_width"], about["image_height"])
            there = {l["label"] for l in about["labels"] if l["state"] != "rejected"}
            assert (names[sample["cls"]] in there) if there else (sample["cls"] == -1)
            for l in about["labels"]:
                for r in l.get("regions", [None]):
                    box = r and [r["x"], r["y"], r["width"], r["height"]]
                    report(about["photo"], l["label"], box, l["confidence"], l["state"] == "rejected")
        assert count == 6
        import tarfile
        assert len(tarfile.open("data-000000.tar").getnames()) == 6 + 6 + 6
        """),
    FormatCase(
      format: "geojson", labels: all + FormatScene.absence, photos: 6, leftOut: [:],
      script: """
        import geojson
        data = geojson.load(open("photos.geojson"))
        assert isinstance(data, geojson.FeatureCollection) and data.is_valid, data.errors()
        pins = [f for f in data.features if f.properties["kind"] == "pin"]
        assert [p.properties["name"] for p in pins] == ["harbor"]
        for f in data.features:
            assert f.is_valid and tuple(f.geometry.coordinates) == (-3.9, 57.5)
            for l in f.properties.get("labels", []):
                for r in l.get("regions", [None]):
                    box = r and [r["x"], r["y"], r["width"], r["height"]]
                    report(f.id, l["label"], box, l["confidence"], l["state"] == "rejected")
        """),
    FormatCase(
      format: "croissant", labels: all + FormatScene.absence, photos: 6, leftOut: [:],
      script: """
        import mlcroissant as mlc
        data = mlc.Dataset(jsonld="croissant.json")
        assert not data.metadata.issues.errors, data.metadata.issues.errors
        def text(v): return v.decode() if isinstance(v, bytes) else v
        for row in data.records("labels"):
            row = {k.split("/")[1]: text(v) for k, v in row.items()}
            assert os.path.exists(row["file_name"]) and row["latitude"] == 57.5
            if isinstance(row["label"], str):
                box = [row[k] for k in ("x", "y", "width", "height")]
                report(row["photo"], row["label"], box if box[0] is not None else None,
                     row["confidence"], row["state"] == "rejected")
        """),
    FormatCase(
      format: "fiftyone", labels: all, photos: 6,
      leftOut: ["absence": 1, "location": 6, "text": 1],
      // As fiftyone's importers for image classification and detection datasets read them.
      script: """
        images = {os.path.splitext(f)[0] for f in os.listdir("data")}
        for name in ("labels.json", "detections.json"):
            data = json.load(open(name))
            assert set(data["labels"]) == images and len(images) == 6
            for photo, labels in data["labels"].items():
                for l in labels or []:
                    assert l["label"] in data["classes"]
                    assert set(l["attributes"]) == {"annotators", "state"}
                    report(photo, l["label"], l.get("bounding_box"), l["confidence"])
        """),
    FormatCase(
      format: "cvat", labels: FormatScene.withoutConfidence(all), photos: 6,
      leftOut: ["absence": 1, "confidence": 1, "annotators": 5, "location": 6, "text": 1],
      // As CVAT's documentation of its XML format describes it.
      script: """
        import xml.etree.ElementTree as ET
        root = ET.parse("annotations.xml").getroot()
        assert root.tag == "annotations" and root.find("version").text == "1.1"
        names = {l.find("name").text for l in root.find("meta").iter("label")}
        images = root.findall("image")
        assert [i.get("id") for i in images] == [str(n) for n in range(6)]
        for image in images:
            w, h = float(image.get("width")), float(image.get("height"))
            assert os.path.exists("images/" + image.get("name"))
            for e in image:
                assert e.tag in ("tag", "box") and e.get("label") in names
                assert (e.get("source") == "auto") == (e.get("label") == "cairn-terrier")
                corners = [float(e.get(k, 0)) for k in ("xtl", "ytl", "xbr", "ybr")]
                l, t, r, b = corners
                box = [l / w, t / h, (r - l) / w, (b - t) / h] if e.tag == "box" else None
                report(image.get("name"), e.get("label"), box)
        """),
    FormatCase(
      format: "darwin-core", labels: occurrences, photos: 5,
      leftOut: ["photo": 1, "region": 3, "confidence": 1],
      // As the Darwin Core text guide says that an archive is read.
      script: """
        import xml.etree.ElementTree as ET
        d = "{http://rs.tdwg.org/dwc/text/}"
        def rows(table):
            assert table.get("fieldsTerminatedBy") == chr(92) + "t"
            names = {int(f.get("index")): f.get("term").rsplit("/", 1)[1]
                     for f in table.findall(d + "field")}
            path = table.find(d + "files").find(d + "location").text
            lines = open(path, encoding="utf-8").read().split(chr(10))[1:-1]
            return [{names.get(i, "coreid"): c for i, c in enumerate(l.split(chr(9)))} for l in lines]
        meta = ET.parse("meta.xml").getroot()
        media = {r["coreid"]: r for r in rows(meta.find(d + "extension"))}
        core = rows(meta.find(d + "core"))
        assert len(core) == len(media)
        for row in core:
            image = media[row["occurrenceID"]]
            assert os.path.exists(image["identifier"]) and image["type"] == "StillImage"
            assert float(row["decimalLatitude"]) == 57.5 and row["locality"] == "harbor"
            model = row["basisOfRecord"] == "MachineObservation"
            assert row["identifiedBy"] == ("model:net@1" if model else "ann@example.org"), row
            report(image["identifier"], row["scientificName"].lower().replace(" ", "-"),
                   absent=row["occurrenceStatus"] == "absent")
        """),
  ]

  /// Each class on a photo once, without boxes and confidence.
  private static var occurrences: [SceneLabel] {
    [
      SceneLabel(photo: 0, label: "oak"), SceneLabel(photo: 0, label: "dog"),
      SceneLabel(photo: 1, label: "dog"), SceneLabel(photo: 3, label: "cairn-terrier"),
      SceneLabel(photo: 4, label: "dog"),
    ] + FormatScene.absence
  }

  @Test("writes the labels that the format's own program reads", arguments: cases)
  func read(format: FormatCase) throws {
    let scene = try FormatScene()
    let report = try scene.export(format.format)
    #expect(try scene.read(format.script) == format.labels.sorted())
    #expect(report["photos"].number == Double(format.photos))
    let classes = Set(format.labels.map { "\($0.photo) \($0.label)" })
    #expect(report["labels"].number == Double(classes.count))
    #expect(report["regions"].number == Double(format.labels.count { !$0.box.isEmpty }))
    #expect(report["images"].number == Double(format.photos))
    #expect(report["leftOut"] == .object(format.leftOut.mapValues { .number(Double($0)) }))
    #expect(report["leftOutSentences"].elements.count == format.leftOut.count)
    // The copied images are those of the dataset.
    for case let file as URL in FileManager.default.enumerator(
      at: scene.box.url("out"), includingPropertiesForKeys: nil)!
    where file.pathExtension == "png" {
      let id = file.deletingPathExtension().lastPathComponent
      #expect(try Data(contentsOf: file) == scene.box.read("a/" + Sandbox.imagePath(id)))
    }
  }
}
