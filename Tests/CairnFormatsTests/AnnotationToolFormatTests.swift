import CairnFormats
import Foundation
import Testing

@Suite("Import formats of annotation tools")
struct AnnotationToolFormatTests {
  private static func cvat(_ meta: String, _ images: String) -> [String: String] {
    [
      "annotations.xml": """
      <?xml version="1.0" encoding="utf-8"?>
      <annotations>
        <version>1.1</version>
        <meta>\(meta)<dumped>2018-09-25 11:38:28.799808+03:00</dumped></meta>
      \(images)
      </annotations>
      """
    ]
  }

  @Test("reads CVAT's tags and shapes, and who drew them")
  func cvat() throws {
    let read = try ReadFiles(
      .cvat,
      Self.cvat(
        """
        <job><id>7</id><owner><username>boss</username><email></email></owner>
        <assignee><username>ann</username><email>ann@example.org</email></assignee></job>
        """,
        """
          <image id="0" name="a/oak &amp; elm.jpg" width="1600" height="1200">
            <tag label="hill" source="manual"></tag>
            <box label="plate" source="manual" xtl="797.33" ytl="870.92" xbr="965.52" ybr="928.94" occluded="1" z_order="4">
              <attribute name="make">Honda</attribute>
              <attribute name="parked">false</attribute>
            </box>
            <polygon label="car" source="semi-auto" occluded="0" points="561.30,916.23;561.30,842.77;554.72,761.63" z_order="0">
            </polygon>
            <box label="car" source="auto" occluded="0" xtl="0" ytl="0" xbr="10" ybr="20" rotation="90"/>
            <ellipse label="dial" cx="100" cy="110" rx="50" ry="60"/>
            <mask label="cat" source="manual" occluded="0" rle="1, 3, 1, 1, 2, 2, 4, 1" left="10" top="20" width="5" height="3"/>
            <mask label="cat" rle="0, 5, 3" left="10" top="20" width="30" height="40"/>
            <polyline label="lane" points="1,2;3,8;5,4"/>
            <polygon label="car" points="1,2;3,8"/>
            <points label="wheel" source="manual" points="1,2"/>
            <box label="plate" xtl="x" ytl="1" xbr="2" ybr="2"/>
            <cuboid label="box" xtl1="1"/>
            <box xtl="1" ytl="1" xbr="2" ybr="2"/>
          </image>
          <image id="1" name="b.jpg" width="1600" height="1200" subset="val"></image>
        """))
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "a/oak & elm.jpg: hill by ann@example.org, "
          + "plate px[797.33 870.92 168.19 58.02] by ann@example.org, "
          + "car px{554.72 761.63 6.58 154.6: 241.683} by ann@example.org, "
          + "car px{-5 5 20 10: 200} by model , dial px{50 50 100 120: 9409.65}, "
          + "cat px{10 20 5 3: 6 + 1} by ann@example.org, lane px[1 2 4 6]", "images/val/b.jpg",
      ])
    #expect(read.items[0].labels[0].annotator?.names.contains("ann") == true)
    // An ellipse without a source is not said to be drawn by hand.
    #expect(read.items[0].labels[4].annotator?.email == "ann@example.org")
    #expect(!read.items[0].labels[4].isByPerson)
    #expect(read.items[0].extent?.width == 1600)
    #expect(read.items[1].otherFiles == ["val/b.jpg", "b.jpg"])
    #expect(
      read.problems.map { $0.split(separator: ": ", maxSplits: 1).last } == [
        "“mask” without the coordinates of an area",
        "“polygon” without the coordinates of an area",
        "“points” without the coordinates of an area",
        "“box” without the coordinates of an area",
        "“cuboid”, which is not imported", "“box” without a label",
      ])
    #expect(
      read.notes == [
        "ignored: the attribute “make” of shapes, once",
        "ignored: the exact form of ellipses: they become polygons of 64 points, once",
        "ignored: the exact form of polylines: their bounding boxes are imported, once",
        "ignored: “occluded” of shapes, once",
      ])
  }

  @Test("reads the assignee of each task of a CVAT project")
  func cvatProject() throws {
    let read = try ReadFiles(
      .cvat,
      Self.cvat(
        """
        <project><tasks>
        <task><id>3</id><assignee><username>ann</username><email></email></assignee></task>
        <task><id>4</id><assignee></assignee></task></tasks></project>
        """,
        """
        <image id="0" name="a.jpg" subset="train" task_id="3"><tag label="oak" source="manual"/></image>
        <image id="1" name="b.jpg" subset="train" task_id="4"><tag label="oak" source="manual"/></image>
        <image id="2" name="c.jpg"><tag label="oak" source="file"/></image>
        """))
    #expect(
      read.photos == [
        "images/train/a.jpg: oak by ann", "images/train/b.jpg: oak by a person", "c.jpg: oak",
      ])
  }

  @Test("refuses CVAT videos, other XML and XML that is cut off")
  func cvatRefusals() throws {
    for (files, message) in [
      (Self.cvat("", #"<track id="0" label="car"></track>"#), "line 5: it is a video"),
      (["a.xml": "<svg/>"], "the root element is not “annotations”"),
      (["a.xml": "<annotations><image id=\"0\" name=\"a.jpg\">"], "“image” has no end tag"),
      (["a.xml": "<annotations><image name=\"a"], "is missing"),
      (["a.xml": "<!DOCTYPE a><annotations/>"], "a document type"), ([:], "no XML file"),
    ] {
      let read = try ReadFiles(.cvat, files)
      #expect(read.error?.contains(message) == true, "\(read.error ?? "no error")")
    }
  }

  @Test("reads Datumaro's items with scores, sizes and subsets")
  func datumaro() throws {
    let read = try ReadFiles(
      .datumaro,
      [
        "annotations/train.json": """
        {"dm_format_version": "1.0", "media_type": 2, "infos": {},
         "items": [
          {"id": "frame_0", "attr": {"frame": 0, "light": "dusk"},
           "image": {"path": "frame_0.PNG", "size": [30, 40]},
           "annotations": [
            {"id": 0, "type": "label", "attributes": {}, "group": 0, "label_id": 1},
            {"id": 1, "type": "bbox", "attributes": {"occluded": false, "score": 0.5}, "group": 1,
             "label_id": 0, "z_order": 0, "bbox": [1.5, 2, 10, 12]},
            {"id": 2, "type": "polygon", "attributes": {"is_crowd": true}, "group": 2, "label_id": 0,
             "points": [0.0, 1.0, 10.0, 1.0, 10.0, 21.0], "z_order": 0},
            {"id": 3, "type": "caption", "attributes": {}, "group": 0, "caption": "Two dogs"},
            {"id": 4, "type": "mask", "label_id": 0, "rle": {"counts": "b", "size": [30, 40]}},
            {"id": 8, "type": "mask", "attributes": {}, "group": 3, "label_id": 0, "z_order": 0,
             "rle": {"counts": [61, 2, 28, 2, 1107], "size": [30, 40]}},
            {"id": 9, "type": "polygon", "attributes": {}, "group": 4, "label_id": 1,
             "points": [0, 0, 4, 0, 4, 4], "z_order": 0},
            {"id": 10, "type": "polygon", "attributes": {}, "group": 4, "label_id": 1,
             "points": [10, 0, 14, 0, 14, 2], "z_order": 0},
            {"id": 11, "type": "ellipse", "label_id": 1, "group": 0, "points": [0, 0, 20, 10]},
            {"id": 5, "type": "bbox", "label_id": 9, "bbox": [1, 2, 3, 4]},
            {"id": 6, "type": "bbox", "label_id": 0, "bbox": [1, 2, 3]},
            {"id": 7, "type": "label", "label_id": 0, "attributes": {"score": 7}}]},
          {"id": "b/frame_1", "annotations": []}, {"annotations": []},
          {"id": "cloud", "point_cloud": {"path": "a.pcd"}}],
         "categories": {"label": {"labels": [
           {"name": "dog", "parent": "", "attributes": []}, {"name": "hill", "parent": ""}]},
          "mask": {"colormap": []}}}
        """
      ])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "images/train/frame_0.PNG: hill, dog px[1.5 2 10 12] 0.5, dog px{0 1 10 20: 100}, "
          + "dog {0.05 0.033333 0.05 0.066667: 0.003333}, hill px{0 0 14 4: 8 + 4}, "
          + "hill px{0 0 20 10: 156.827}",
        "images/train/b/frame_1.jpg",
      ])
    let photo = read.items[0]
    #expect(photo.otherFiles == ["train/frame_0.PNG", "images/frame_0.PNG", "frame_0.PNG"])
    #expect(photo.extent?.width == 40 && photo.extent?.height == 30)
    #expect(photo.metadata.caption == "Two dogs")
    #expect(photo.labels.map(\.isScored) == [false, true, false, false, false, false])
    #expect(photo.labels.map(\.isCrowd) == [false, false, true, false, false, false])
    #expect(
      read.problems.map { $0.split(separator: ": ", maxSplits: 1).last } == [
        "“mask” without the coordinates of an area in the image",
        "“bbox” without a known “label_id”",
        "“bbox” without the coordinates of an area in the image",
        "“score” is not between 0 and 1", "an item without “id”",
      ])
    #expect(
      read.notes == [
        "ignored: point clouds, once", "ignored: the attribute “light” of items, once",
        "ignored: the exact form of ellipses: they become polygons of 64 points, once",
      ])
    #expect(
      try ReadFiles(.datumaro, ["a.json": "{}"]).error?.contains("neither items nor categories")
        == true)
  }

  private static let via = """
    {"a.jpg1200": {"filename": "a.jpg", "size": 1200, "file_attributes": {"caption": "A hill"},
      "regions": [
       {"shape_attributes": {"name": "rect", "x": 10, "y": 20, "width": 30, "height": 40},
        "region_attributes": {"type": "oak", "image_quality": {"blur": true, "good": false}}},
       {"shape_attributes": {"name": "polygon", "all_points_x": [1, 5, 3],
         "all_points_y": [2, 2, 9]}, "region_attributes": {"leaf": {"elm": true, "ash": true}}},
       {"shape_attributes": {"name": "circle", "cx": 10, "cy": 10, "r": 5},
        "region_attributes": {"name": "ball"}},
       {"shape_attributes": {"name": "polyline", "all_points_x": [1, 5, 3, 1],
         "all_points_y": [2, 2, 9, 2]}, "region_attributes": {"name": "fir"}},
       {"shape_attributes": {"name": "polyline", "all_points_x": [1, 5], "all_points_y": [2, 6]},
        "region_attributes": {"name": "fir"}},
       {"shape_attributes": {"name": "point", "cx": 1, "cy": 2}, "region_attributes": {"name": "x"}},
       {"shape_attributes": {"name": "rect", "x": 1, "y": 2, "width": 3, "height": 4},
        "region_attributes": {"mood": "glad", "size": "big"}},
       {"shape_attributes": {"name": "rect", "x": 1, "y": 2, "width": 3, "height": 4},
        "region_attributes": {"name": ""}}]},
     "b.jpg-1": {"filename": "b.jpg", "size": -1, "file_attributes": {"class": "hill"},
      "regions": {"0": {"shape_attributes": {"name": "rect", "x": 1, "y": 2, "width": 3,
       "height": 4}, "region_attributes": {"label": 7}}}}}
    """

  @Test("reads VIA's regions, from annotations and from a saved project")
  func viaJSON() throws {
    let project = """
      {"_via_settings": {"project": {"name": "x"}}, "_via_img_metadata": \(Self.via),
       "_via_attributes": {"region": {}, "file": {}}, "_via_data_format_version": "2.0.10",
       "_via_image_id_list": ["a.jpg1200", "b.jpg-1"]}
      """
    let read = try ReadFiles(.via, ["via_region_data.json": Self.via])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "a.jpg: oak px[10 20 30 40], ash px{1 2 4 7: 14}, elm px{1 2 4 7: 14}, "
          + "ball px{5 5 10 10: 78.4137}, fir px{1 2 4 7: 14}, fir px[1 2 4 4]",
        "b.jpg: hill, 7 px[1 2 3 4]",
      ])
    #expect(read.items[0].metadata.caption == "A hill")
    #expect(
      read.problems == [
        "via_region_data.json, line 1: “point” without the coordinates of an area",
        "via_region_data.json, line 1: none of the attributes “mood”, “size” is recognized as "
          + "the class; rename the right one to “label”",
        "via_region_data.json, line 1: a region without a class; give it an attribute “label” in VIA",
      ])
    #expect(
      read.notes == [
        "ignored: the attribute “image_quality” of regions, once",
        "ignored: the exact form of circles: they become polygons of 64 points, once",
        "ignored: the exact form of polylines: their bounding boxes are imported, once",
      ])
    let saved = try ReadFiles(.via, ["via_project.json": project])
    #expect(saved.photos == read.photos)
    #expect(saved.notes == read.notes && saved.problems.count == 3)
    #expect(
      try ReadFiles(.via, ["a.json": "{}"]).error?.contains("no image with “filename”") == true)
  }

  @Test("reads VIA's table of regions")
  func viaCSV() throws {
    let read = try ReadFiles(
      .via,
      [
        "via_region_data.csv": #"""
        #filename,file_size,file_attributes,region_count,region_id,region_shape_attributes,region_attributes
        a.jpg,1200,"{""caption"":""A hill"",""class"":""hill""}",2,0,"{""name"":""rect"",""x"":10,""y"":20,""width"":30,""height"":40}","{""name"":""oak""}"
        a.jpg,1200,"{""caption"":""A hill"",""class"":""hill""}",2,1,"{""name"":""ellipse"",""cx"":10,""cy"":10,""rx"":5,""ry"":4}","{""name"":""elm""}"
        b.jpg,1300,"{}",0,0,"{}","{}"
        c.jpg,1300,"{}",1,0,"{""name""","{}"
        """#
      ])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "a.jpg: hill, oak px[10 20 30 40]", "a.jpg: elm px{5 6 10 8: 62.731}", "b.jpg",
      ])
    #expect(read.items.map(\.hasReportedMetadata) == [false, true, false])
    #expect(read.problems.count == 1)
    #expect(read.problems[0].hasPrefix("via_region_data.csv, line 5: "))
    #expect(
      try ReadFiles(.via, ["a.csv": "#filename,x\na,b\n"]).error?.contains(
        "there is no column “region_shape_attributes”") == true)
  }

  /// A ring of eight pixels, as `Bitmap.data_2_base64` of the Supervisely SDK packs it.
  private static let bitmap =
    "eJzrDPBz5+WS4mJgYOD19HAJAtLMIMwIInOeqf8BUmwBPiGuQPr///9Lb86/C2QxlgT5BTM4PLuRBuTwebo4hlTMSa44UNLwkJGBvY+pWTreAaSBwdPVz2WdU0ITAMeCGxs="

  /// An integer that no double can represent.
  private static let digits = String(repeating: "9", count: 400)

  @Test("reads Supervisely's tags and objects with their labelers")
  func supervisely() throws {
    let read = try ReadFiles(
      .supervisely,
      [
        "meta.json": #"{"classes": [{"title": "bike", "shape": "rectangle"}], "tags": []}"#,
        "ds0/ann/IMG_1.jpeg.json": """
        {"description": "A street",
         "tags": [{"id": 1, "tagId": 2, "name": "dusk", "value": null, "labelerLogin": "alexxx",
           "createdAt": "2020-08-07T11:09:51.054Z", "updatedAt": "2020-08-07T11:09:51.054Z"},
          {"name": "cars", "value": 3}, {"name": "atoms", "value": \(Self.digits)}],
         "size": {"height": 900, "width": 600},
         "objects": [
          {"id": 497521358, "classId": 1661574, "description": "", "geometryType": "rectangle",
           "labelerLogin": "alexxx", "createdAt": "2020-08-07T11:09:51.054Z",
           "updatedAt": "2020-08-07T11:09:52.054Z", "tags": [{"name": "parked"}],
           "classTitle": "bike", "points": {"exterior": [[582, 872], [0, 236]], "interior": []}},
          {"geometryType": "polygon", "classTitle": "person", "tags": {}, "description": "far",
           "objectId": 7, "nnCreated": true, "nnUpdated": false, "labelerLogin": "bo",
           "points": {"exterior": [[1, 2], [9, 2], [9, 10], [1, 10]],
            "interior": [[[3, 4], [5, 4], [5, 6], [3, 6]]]}},
          {"geometryType": "bitmap", "classTitle": "person",
           "bitmap": {"data": "\(Self.bitmap)", "origin": [535, 66]}},
          {"geometryType": "bitmap", "classTitle": "person",
           "bitmap": {"data": "eJw", "origin": [535, 66]}},
          {"geometryType": "line", "classTitle": "person", "nnCreated": true, "nnUpdated": true,
           "labelerLogin": "alexxx", "points": {"exterior": [[1, 2], [4, 9]], "interior": []}},
          {"geometryType": "cuboid", "classTitle": "person"},
          {"geometryType": "rectangle", "classTitle": "person", "points": {"exterior": [[1, 2]]}},
          {"geometryType": "rectangle"}]}
        """,
        "ds0/ann/IMG_2.jpeg.json": "{", "ds0/ann/IMG_3.jpeg.json": "{}",
      ])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "ds0/img/IMG_1.jpeg: dusk by alexxx at 1596798591054, cars “3”, "
          + "atoms “\(Self.digits)”, bike px[0 236 582 636] by alexxx at 1596798592054, person px{1 2 8 8: 60} by bo “far”, "
          + "person px{535 66 3 3: 8}, person px[1 2 3 7] by model "
      ])
    #expect(read.items[0].metadata.caption == "A street")
    #expect(read.items[0].extent?.height == 900)
    let expected = [
      "“bitmap” without the coordinates of an area", "a cuboid, which is not imported",
      "“rectangle” without the coordinates of an area",
      "an object without “classTitle”", "ds0/ann/IMG_2.jpeg.json, line 1",
      "ds0/ann/IMG_3.jpeg.json: there is no “size” and no object: not a Supervisely file",
    ]
    #expect(read.problems.count == expected.count)
    for (problem, text) in zip(read.problems, expected) { #expect(problem.contains(text)) }
    #expect(
      read.notes == [
        "ignored: the exact form of lines: their bounding boxes are imported, once",
        "ignored: the tag “parked” of objects, once",
      ])
  }

  @Test("reads Create ML's boxes, given by their centers, and classes")
  func createML() throws {
    let read = try ReadFiles(
      .createml,
      [
        "train/_annotations.createml.json": """
        [{"image": "a.jpg", "annotations": [
           {"label": "dog", "coordinates": {"x": 120, "y": 164.5, "width": 230, "height": 119}},
           {"label": "hill"}, {"coordinates": {}}, {"label": "cat", "coordinates": {"x": 1}}]},
         {"image": "b.jpg", "annotations": []},
         {"imagefilename": "c.jpg", "annotation": [
           {"label": "elm", "coordinates": {"x": 5, "y": 5, "width": 10, "height": 10}}]},
         {"image": "d.jpg", "annotations": "oak"}, {"verified": true}]
        """
      ])
    #expect(
      read.photos == [
        "train/a.jpg: dog px[5 105 230 119], hill", "train/b.jpg", "train/c.jpg: elm px[0 0 10 10]",
        "train/d.jpg: oak",
      ])
    #expect(
      read.problems.map { $0.split(separator: ": ", maxSplits: 1).last } == [
        "an annotation without “label”", "“coordinates” without x, y, width or height",
        "an element without “image”",
      ])
  }
}
