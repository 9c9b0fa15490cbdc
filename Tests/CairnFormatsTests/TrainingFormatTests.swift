import CairnFormats
import Foundation
import Testing

@Suite("Import formats of training programs")
struct TrainingFormatTests {
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

  @Test(
    "reads names in UTF-8 with or without a byte order mark, and refuses other encodings",
    arguments: [
      (.yolo, "classes.txt", ""), (.yolo, "obj.names", ""), (.huggingface, "classes.txt", ""),
      (.webdataset, "classes.txt", ""),
      (.kitti, "label_2/a.txt", " 0 0 0 1 2 3 4 -1 -1 -1 -1000 -1000 -1000 -10"),
    ] as [(ImportFormat, String, String)])
  func encodings(format: ImportFormat, path: String, rest: String) throws {
    var archive = ArchiveFormatTests.member("a.png", Data("x".utf8))
    archive += ArchiveFormatTests.member("a.cls", Data("0".utf8)) + Data(count: 1024)
    var files = [
      "labels/a.txt": Data("0 .5 .5 1 1\n".utf8), "a.tar": archive,
      "metadata.jsonl": Data(#"{"file_name": "a.png", "label": 0}"#.utf8),
    ]
    if format == .kitti { files["labels/a.txt"] = nil }
    for mark in ["", "\u{FEFF}"] {
      files[path] = Data("\(mark)chêne\(rest)\n".utf8)
      let read = try ReadFiles(format, files)
      #expect(read.items.flatMap(\.labels).map(\.className) == ["chêne"])
    }
    files[path] = Data("ch".utf8) + [0xEA] + Data("ne\(rest)\n".utf8)
    let read = try ReadFiles(format, files)
    #expect(read.error?.hasSuffix("it is not valid UTF-8") == true && read.items.isEmpty)
  }

  @Test("reads the objects and the numbers of classes in a Hugging Face table")
  func huggingFaceTable() throws {
    let table = #"""
      file_name,label,labels,objects
      a.png,1,,"{""bbox"": [[1, 2, 3, 4]], ""categories"": [0]}"
      b.png,1.0,,"[{""bbox"": [1, 2, 3, 4], ""category"": ""elm""}]"
      c.png,,"[0, ""elm""]",
      d.png,,fir,"{'bbox': []}"
      e.png,,fir,none
      f.png,elm,,
      """#
    let read = try ReadFiles(
      .huggingface, ["classes.txt": "oak\nash\n", "metadata.csv": table])
    #expect(read.error == nil && read.notes.isEmpty)
    #expect(
      read.photos == [
        "a.png: ash, oak px[1 2 3 4]", "b.png: ash, elm px[1 2 3 4]", "c.png: oak, elm",
        "e.png: fir", "f.png: elm",
      ])
    #expect(read.problems.count == 2)
    #expect(read.problems.first?.hasPrefix("metadata.csv, line 5: “objects” is not JSON: ") == true)
    #expect(read.problems.last?.hasPrefix("metadata.csv, line 6: “objects” has neither") == true)
    let unnamed = try ReadFiles(.huggingface, ["metadata.csv": "file_name,label\na.png,1\n"])
    #expect(unnamed.problems.first?.contains("the class 1 has no name") == true)
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
        "a label that is neither a string nor the number of a class",
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
        "ignored: the exact form of polylines: their bounding boxes are imported, once",
        "ignored: “tags” of samples, once", "ignored: “uniqueness” of samples, once",
      ])
  }
}
