import CairnFormats
import Foundation
import Testing

@Suite("Import formats of collections")
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
    // A table given itself finds the names beside it, in the forms of V6 and V7.
    for header in ["LabelName,DisplayName", "id,name"] {
      let one = try ReadFiles(
        .openImages,
        [
          "oidv7-class-descriptions.csv": "\(header)\n/m/011k07,Tortoise\n",
          "labels.csv": "ImageID,Source,LabelName,Confidence\na,verification,/m/011k07,1\n",
        ], path: "labels.csv")
      #expect(one.photos == ["a.jpg: Tortoise"], "\(header)")
    }
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
          + "Car px[387.63 181.54 36.18 21.58], Car px[1 2 2 2] 0.75",
        "training/image_2/000002.jpg",
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

  @Test(
    "reads the boxes of YOLO's poses, and counts their key points",
    arguments: [
      ("[2, 2]", "0.45 0.45 0.55 0.6"), ("[2, 3]", "0.45 0.45 2 0.55 0.6 1"),
    ])
  func poses(shape: String, points: String) throws {
    let read = try ReadFiles(
      .yolo,
      [
        "data.yaml": "kpt_shape: \(shape)\nnames: [deer]\n",
        "labels/a.txt": """
        0 0.5 0.5 0.4 0.4 \(points)
        0 0.5 0.5 0.2 0.4 \(points) 0.75
        0 0.5 0.5 0.2 0.2
        0 0.5 0.5 0.4 0.4 \(points) 0.5 0.5
        """,
      ])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "images/a: deer [0.3 0.3 0.4 0.4], deer [0.4 0.3 0.2 0.4] 0.75, deer [0.4 0.4 0.2 0.2]"
      ])
    let count = 5 + points.split(separator: " ").count
    #expect(
      read.problems == [
        "labels/a.txt, line 4: \(count + 2) columns, but with this “kpt_shape”, an object has "
          + "\(count)"
      ])
    #expect(read.notes == ["ignored: the key points of objects, 2 times"])
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
        "ImageSets/Main/train.txt": "# a comment\n2008_000001\n2008_000002\n",
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
}
