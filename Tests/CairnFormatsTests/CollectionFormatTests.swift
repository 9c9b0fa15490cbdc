import CairnFormats
import Foundation
import Testing

@Suite("Import formats of collections and training programs")
struct CollectionFormatTests {
  @Test("reads the tables of Open Images, with names, absent classes and machine labels")
  func openImages() throws {
    let boxes = """
      ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsTruncated,IsGroupOf,IsDepiction,IsInside
      0001eeaf4aed83f9,xclick,/m/0cmf2,1,0.25,0.75,0.125,0.5,1,0,0,0,0
      0001eeaf4aed83f9,xclick,/m/011k07,1,0,1,0,1,0,0,1,0,0
      000595fe6fee6369,xclick,/m/zzz,1,0,1,0,1,0,0,0,0,0
      000595fe6fee6369,xclick,/m/0cmf2,1,0,,0,1,-1,-1,0,0,0
      """
    let labels = """
      ImageID,Source,LabelName,Confidence
      0001eeaf4aed83f9,verification,/m/011k07,0
      000595fe6fee6369,crowdsource-verification,/m/0cmf2,1
      000595fe6fee6369,machine,/m/011k07,0.75
      000595fe6fee6369,machine,/m/011k07,7
      """
    let read = try ReadFiles(
      .openImages,
      [
        "class-descriptions-boxable.csv": "/m/011k07,Tortoise\n/m/0cmf2,\"Airplane, small\"\n",
        "validation-annotations-bbox.csv": boxes, "validation-labels.csv": labels,
        "validation-annotations-object-segmentation.csv":
          "MaskPath,ImageID,LabelName,BoxID,BoxXMin,BoxXMax,BoxYMin,BoxYMax\n",
        "image-ids.csv": "ImageID,Subset,OriginalURL\n0001eeaf4aed83f9,validation,https://x\n",
        "data/0001eeaf4aed83f9.jpg": "x",
      ])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "data/0001eeaf4aed83f9.jpg: Airplane, small [0.25 0.125 0.5 0.375]",
        "data/0001eeaf4aed83f9.jpg: Tortoise [0 0 1 1]", "data/0001eeaf4aed83f9.jpg: -Tortoise",
        "000595fe6fee6369.jpg: Airplane, small",
        "000595fe6fee6369.jpg: Tortoise 0.75 by model ",
      ])
    #expect(read.items.map { $0.labels[0].isCrowd } == [false, true, false, false, false])
    #expect(
      read.problems == [
        "validation-annotations-bbox.csv, line 4: the class “/m/zzz” has no name: put the file of "
          + "class descriptions next to the table",
        "validation-annotations-bbox.csv, line 5: the box has a cell that is not a number",
        "validation-labels.csv, line 5: “Confidence” is not between 0 and 1",
      ])
    #expect(
      read.notes == [
        "ignored: the column “IsOccluded”, once",
        "ignored: the table of masks “validation-annotations-object-segmentation.csv”, once",
        "ignored: “image-ids.csv”, which is not a table of labels or of class names, once",
      ])
    // A table given itself finds the names beside it, in the form of V7.
    let one = try ReadFiles(
      .openImages,
      [
        "oidv7-class-descriptions.csv": "LabelName,DisplayName\n/m/011k07,Tortoise\n",
        "labels.csv": "ImageID,Source,LabelName,Confidence\na,verification,/m/011k07,1\n",
      ], path: "labels.csv")
    #expect(one.photos == ["a.jpg: Tortoise"])
    #expect(try ReadFiles(.openImages, ["a.csv": "x,y\n"]).error?.contains("no table with") == true)
  }

  @Test("looks for COCO's images in the directories of their subset, and counts captions")
  func cocoSubsets() throws {
    let images = #""images": [{"id": 1, "file_name": "a.jpg", "width": 4, "height": 3}]"#
    let read = try ReadFiles(
      .coco,
      [
        "annotations/captions_val2017.json":
          #"{\#(images), "annotations": [{"image_id": 1, "category_id": 0, "caption": "A"}]}"#,
        "annotations/instances_val2017.json": """
        {\(images), "categories": [{"id": 1, "name": "dog"}],
         "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 2, 2]}]}
        """,
        "annotations/panoptic_val2017.json":
          #"{\#(images), "annotations": [{"image_id": 1, "segments_info": [{"id": 7}]}]}"#,
      ])
    #expect(read.problems.isEmpty)
    #expect(read.photos == ["a.jpg", "a.jpg: dog px[1 1 2 2]", "a.jpg"])
    #expect(read.items[1].otherFiles == ["val2017/a.jpg", "images/val2017/a.jpg"])
    #expect(
      read.notes == ["ignored: captions of images, once", "ignored: panoptic segments, once"])
  }

  @Test("reads KITTI's boxes and scores")
  func kitti() throws {
    let read = try ReadFiles(
      .kitti,
      [
        "training/image_2/000001.png": "x",
        "training/label_2/000001.txt": """
        Truck 0.00 0 -1.57 599.41 156.40 629.75 189.25 2.85 2.63 12.34 0.47 1.49 69.44 -1.56
        Car 0.50 2 1.85 387.63 181.54 423.81 203.12 -1 -1 -1 -1000 -1000 -1000 -10
        DontCare -1 -1 -10 503.89 169.71 590.61 190.13 -1 -1 -1 -1000 -1000 -1000 -10\r
        Car 0 0 0 1 2 3 4 -1 -1 -1 -1000 -1000 -1000 -10 0.75
        Car 0 0 0 1 2 3 4 -1 -1 -1 -1000 -1000 -1000 -10 7.5
        Car 0 0 0 1 2 x 4 -1 -1 -1 -1000 -1000 -1000 -10
        Car 1 2
        """, "training/label_2/000002.txt": "", "training/readme.txt": "x",
      ])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "training/image_2/000001.png: Truck px[599.41 156.4 30.34 32.85], "
          + "Car px[387.63 181.54 36.18 21.58], Car px[1 2 2 2] 0.75", "000002.jpg",
      ])
    #expect(
      read.problems == [
        "training/label_2/000001.txt, line 5: the score is not between 0 and 1",
        "training/label_2/000001.txt, line 6: the box has a column that is not a number",
        "training/label_2/000001.txt, line 7: 3 columns, but an object has 15, or 16 with its score",
      ])
    #expect(
      read.notes == [
        "ignored: the 3D position and size of objects, once",
        "ignored: “DontCare” regions, once", "ignored: “occluded” of objects, once",
        "ignored: “truncated” of objects, once",
      ])
    #expect(try ReadFiles(.kitti, ["a.txt": ""]).error?.contains("no file in label_2") == true)
  }

  @Test("reads a Darknet project, whose images may be elsewhere")
  func darknet() throws {
    let read = try ReadFiles(
      .yolo,
      [
        "obj.data":
          "classes = 2\ntrain = data/train.txt\nnames = data/obj.names\nbackup = backup/\n",
        "obj.names": "Scots pine\noak\n",
        "train.txt": "data/obj_train_data/a.b.jpg\ndata/obj_train_data/c.PNG\n",
        "obj_train_data/a.b.txt": "0 0.5 0.5 0.5 0.25\n",
        "obj_train_data/c.txt": "1 0.5 0.5 1 1\n2 0.5 0.5 1 1\n",
      ])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "obj_train_data/a.b.jpg: Scots pine [0.25 0.375 0.5 0.25]",
        "obj_train_data/c.PNG: oak [0 0 1 1]",
      ])
    #expect(
      read.problems == ["obj_train_data/c.txt, line 2: “2” is not the number of a class"])
    #expect(read.notes.isEmpty)
    // With the images, as Darknet arranges them, and only a list of names.
    let beside = try ReadFiles(
      .yolo,
      ["voc.names": "oak\n", "data/a.jpg": "x", "data/a.txt": "0 0.5 0.5 1 1\n", "data/b.jpg": "x"])
    #expect(beside.photos == ["data/a.jpg: oak [0 0 1 1]", "data/b.jpg"])
  }

  @Test("reads the class lists of VOC without XML files, and counts lists of subsets")
  func vocLists() throws {
    let read = try ReadFiles(
      .voc,
      [
        "JPEGImages/2008_000001.jpg": "x", "JPEGImages/2008_000002.jpg": "x",
        "ImageSets/Main/scots_pine_train.txt": "2008_000001  1\n2008_000002 -1\n2008_000003  1\n",
        "ImageSets/Main/train.txt": "2008_000001\n2008_000002\n",
        "ImageSets/Main/train_val.txt": "2008_000001\n", "ImageSets/Layout/train.txt": "x 1\n",
      ])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "JPEGImages/2008_000001.jpg: scots_pine", "JPEGImages/2008_000002.jpg: -scots_pine",
      ])
    #expect(
      read.problems == [
        "ImageSets/Main/scots_pine_train.txt, line 3: there is no annotation file and no image of "
          + "“2008_000003”"
      ])
    #expect(
      read.notes == [
        "ignored: the lists of ImageSets/Layout, once",
        "ignored: the subset “train_val” of ImageSets/Main, once",
        "ignored: the subset “train” of ImageSets/Main, once",
      ])
  }

  @Test("reads the boxes of a Hugging Face image folder, with named and numbered categories")
  func huggingFace() throws {
    let read = try ReadFiles(
      .huggingface,
      [
        "train/classes.txt": "coverall\nmask\n",
        "train/metadata.jsonl": """
        {"file_name": "0001.png", "image_id": 15, "width": 943, "height": 663, "objects": {"id": [114, 115], "area": [3796, 1596], "bbox": [[302.0, 109.0, 73.0, 52.0], [810, 100, 57, 28]], "category": [1, 0]}}
        {"file_name": "0002.png", "text": "A hill", "label": "hill", "objects": {"bbox": [[1, 2, 3, 4]], "categories": ["oak"], "scores": [0.5]}}
        {"file_name": "0003.png", "objects": [{"bbox": [1, 2, 3, 4], "category": 7}], "mood": "x"}
        {"file_name": "0004.png", "objects": {"bbox": [[1, 2, 3, 4]], "categories": []}}
        {"file_name": "0005.png", "label": 1, "objects": {"bbox": [[1, 2, 3]], "categories": [0]}}
        {"objects": null}
        """, "test/metadata.csv": "file_name,label\n0001.png,hill\n", "other.jsonl": "{",
      ])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "test/0001.png: hill",
        "train/0001.png: mask px[302 109 73 52], coverall px[810 100 57 28]",
        "train/0002.png: hill, oak px[1 2 3 4] 0.5", "train/0003.png", "train/0004.png",
        "train/0005.png: mask",
      ])
    #expect(read.items[2].metadata.caption == "A hill")
    #expect(
      read.problems == [
        "train/metadata.jsonl, line 3: the class 7 has no name; write the names in classes.txt, one "
          + "per line, next to the metadata",
        "train/metadata.jsonl, line 4: 1 boxes, but 0 categories of “objects”",
        "train/metadata.jsonl, line 5: a “bbox” that is not four numbers",
        "train/metadata.jsonl, line 6: “file_name” is missing",
      ])
    #expect(read.notes == ["ignored: “mood” of rows, once"])
    #expect(
      try ReadFiles(.huggingface, ["train/metadata.parquet": "x"]).error?.contains(
        "Parquet tables, such as train/metadata.parquet, are not read") == true)
  }

  @Test("reads FiftyOne's classifications and detections by image name")
  func fiftyOne() throws {
    let read = try ReadFiles(
      .fiftyone,
      [
        "data/a.png": "x",
        "labels.json": """
        {"classes": ["oak", "elm"], "labels": {
          "a": 1, "b": {"label": "oak", "confidence": 0.5, "attributes": {"mood": "glad"}},
          "c": null, "d.png": "ash", "e": 9}}
        """,
        "detections.json": """
        {"classes": null, "labels": {
          "a": [{"label": "oak", "bounding_box": [0.25, 0.5, 0.25, 0.125], "confidence": 0.75,
                 "attributes": {"state": "predicted", "annotators": ["model:net@1"]}},
                {"label": "elm", "bounding_box": [0.25, 0.5, 0.25]}]}}
        """,
      ])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "data/a.png: elm", "data/b.jpg: oak 0.5", "data/c.jpg", "data/d.png: ash", "data/e.jpg",
        "data/a.png: oak [0.25 0.5 0.25 0.125] 0.75 by model net@1",
      ])
    #expect(
      read.problems.map { $0.split(separator: ": ", maxSplits: 1).last } == [
        "a label that is neither a text nor the number of a class",
        "“bounding_box” is not four numbers",
      ])
    #expect(read.notes == ["ignored: “mood” of labels, once"])
  }

  @Test("reads the samples of a FiftyOne dataset")
  func fiftyOneSamples() throws {
    let read = try ReadFiles(
      .fiftyone,
      [
        "metadata.json": "{}",
        "samples.json": """
        {"samples": [
          {"_id": {"$oid": "6"}, "filepath": "data/a.jpg", "tags": ["train"], "_rand": 0.1,
           "metadata": {"_cls": "ImageMetadata", "width": 1280, "height": 720},
           "weather": {"_cls": "Classification", "label": "overcast"},
           "ground_truth": {"_cls": "Detections", "detections": [
             {"_id": {"$oid": "7"}, "_cls": "Detection", "attributes": {}, "tags": [],
              "label": "sign", "bounding_box": [0.5, 0.25, 0.125, 0.25], "mask": null}]},
           "lines": {"_cls": "Polylines", "polylines": [{"_cls": "Polyline", "label": "lane",
             "points": [[[0.25, 0.5], [0.5, 0.75]]], "closed": false, "filled": false}]},
           "keys": {"_cls": "Keypoints", "keypoints": []}, "uniqueness": 0.5},
          {"tags": []}]}
        """,
      ])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "data/a.jpg: sign [0.5 0.25 0.125 0.25], lane [0.25 0.5 0.25 0.25], overcast"
      ])
    #expect(read.items[0].extent?.width == 1280)
    #expect(
      read.problems.map { $0.split(separator: ": ", maxSplits: 1).last } == [
        "“keys” of the type Keypoints, which is not imported", "a sample without “filepath”",
      ])
    #expect(
      read.notes == [
        "ignored: the points of polylines: their bounding boxes are imported, once",
        "ignored: “tags” of samples, once", "ignored: “uniqueness” of samples, once",
      ])
  }

  // MARK: Archives

  /// Returns a member of a tar archive. Source: POSIX.1-1988 “ustar”.
  static func member(_ name: String, _ bytes: Data, type: Character = "0") -> Data {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at offset: Int) {
      header.replaceSubrange(offset..<offset + text.utf8.count, with: Array(text.utf8))
    }
    func octal(_ number: Int, _ digits: Int) -> String {
      let text = String(number, radix: 8)
      return String(repeating: "0", count: digits - text.count) + text
    }
    put(String(name.prefix(100)), at: 0)
    put("0000644\0" + "0000000\0" + "0000000\0", at: 100)
    put(octal(bytes.count, 11), at: 124)
    put(octal(0, 11), at: 136)
    put("        ", at: 148)
    put(String(type), at: 156)
    put("ustar\0" + "00", at: 257)
    put(octal(header.reduce(0) { $0 + Int($1) }, 6) + "\0 ", at: 148)
    let padding = Data(repeating: 0, count: (512 - bytes.count % 512) % 512)
    return Data(header) + bytes + padding
  }

  private static func member(_ name: String, _ text: String, type: Character = "0") -> Data {
    member(name, Data(text.utf8), type: type)
  }

  private static let end = Data(repeating: 0, count: 1024)

  @Test("reads the samples of WebDataset archives, with long names and captions")
  func webDataset() throws {
    let long = "shard/" + String(repeating: "n", count: 120)
    let pax = "path=\(long).jpg\n"
    let record = "\(pax.utf8.count + 4) \(pax)"
    var archive = Self.member("./", "", type: "5")
    archive += Self.member("a/0001.jpg", "one")
    archive += Self.member("a/0001.cls", "1\n")
    archive += Self.member("a/0001.txt", "A hill ")
    archive += Self.member("a/0002.json", #"{"label": "elm", "caption": "Two", "key": "0002"}"#)
    archive += Self.member("a/0002.cls", "0")
    archive += Self.member("a/0002.png", "two")
    archive += Self.member("PaxHeaders/x", record, type: "x")
    archive += Self.member("short.jpg", "three")
    archive += Self.member("a/0004.jpg", "four")
    archive += Self.member("a/0004.cls", "7")
    archive += Self.member("a/0004.depth.npy", "x")
    archive += Self.member("a/0005.cls", "0")
    archive += Self.end
    let read = try ReadFiles(
      .webdataset, ["train-000000.tar": archive, "classes.txt": Data("oak\nash\n".utf8)])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "train-000000.tar/a/0001.jpg: ash", "train-000000.tar/a/0002.png: elm",
        "train-000000.tar/\(long).jpg",
      ])
    #expect(read.items.map(\.metadata.caption) == ["A hill", "Two", nil])
    #expect(read.items[0].metadata.source == "0001.jpg")
    #expect(read.items.allSatisfy { $0.content != nil })
    #expect(
      read.problems == [
        "train-000000.tar/a/0004.jpg: the class 7 has no name; write the names in classes.txt next "
          + "to the archive"
      ])
    #expect(
      read.notes == [
        "ignored: files “.depth.npy” of samples, once", "ignored: samples without an image, once",
        "ignored: “key” of photos, once",
      ])
  }

  @Test("reports archives that are damaged, cut off or have impossible sizes")
  func damagedArchives() throws {
    let good = Self.member("a.jpg", "one")
    var huge = good
    huge.replaceSubrange(124..<136, with: [0x80] + [UInt8](repeating: 0xFF, count: 11))
    for (archive, message) in [
      (Data(repeating: 7, count: 2048), "not a tar archive"), (huge, "not a tar archive"),
      (good.prefix(512) + Data(), "cut off"), (good + Data(repeating: 1, count: 600), "not a tar"),
    ] {
      let read = try ReadFiles(.webdataset, ["a.tar": archive])
      #expect(read.problems.count == 1)
      #expect(read.problems.first?.contains(message) == true, "\(read.problems)")
    }
  }

  @Test("reads the tables that a Croissant description names")
  func croissant() throws {
    func description(_ url: String, encoding: String = "text/csv") -> String {
      """
      {"@context": {"@vocab": "https://schema.org/"}, "@type": "sc:Dataset", "name": "x",
       "distribution": [
        {"@type": "cr:FileObject", "@id": "table", "contentUrl": "\(url)",
         "encodingFormat": "\(encoding)"},
        {"@type": "cr:FileObject", "@id": "unused", "contentUrl": "b.csv",
         "encodingFormat": "text/csv"},
        {"@type": "cr:FileSet", "@id": "images", "includes": "*.jpg"}],
       "recordSet": [{"@type": "cr:RecordSet", "@id": "labels", "field": [
        {"@type": "cr:Field", "@id": "labels/label", "dataType": "sc:Text",
         "source": {"fileObject": {"@id": "table"}, "extract": {"column": "label"}}}]}]}
      """
    }
    let csv = "file_name,label\na.jpg,oak\n"
    let read = try ReadFiles(
      .croissant, ["croissant.json": description("a.csv"), "a.csv": csv, "b.csv": csv])
    #expect(read.photos == ["a.jpg: oak"])
    #expect(read.error == nil && read.problems.isEmpty)
    let lines = try ReadFiles(
      .croissant,
      [
        "croissant.json": description("a.jsonl", encoding: "application/jsonlines"),
        "a.jsonl": #"{"file_name": "a.jpg", "labels": ["elm"]}"#,
      ])
    #expect(lines.photos == ["a.jpg: elm"])
    for (description, message) in [
      (description("https://example.org/a.csv"), "download it beside this file"),
      (description("../a.csv"), "is not a file in this directory"),
      (description("a.zip", encoding: "application/zip"), "use no file in CSV or JSON Lines"),
      ("{}", "not a Croissant file"), ("{", "line 1"),
    ] {
      let read = try ReadFiles(.croissant, ["croissant.json": description, "a.csv": csv])
      #expect(read.error?.contains(message) == true, "\(read.error ?? "no error")")
    }
  }
}
