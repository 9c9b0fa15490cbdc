import CairnDocument
import CairnFormats
import Foundation
import Testing

@Suite("Import formats of field naturalists")
struct FieldFormatTests {
  @Test("reads COCO Camera Traps, whose ids are strings")
  func cameraTraps() throws {
    let read = try ReadFiles(
      .coco,
      [
        "traps.json": """
        {
         "info": {"version": "1.0", "description": "A survey", "year": 2023},
         "images": [
          {"id": "59a4b2c1-0001", "file_name": "loc_01/IMG_0001.JPG", "width": 2048, "height": 1536,
           "rights_holder": "A. Warden", "datetime": "2023-05-02 06:11:04", "seq_id": "s-17",
           "seq_num_frames": 2, "frame_num": 0, "location": "loc_01"},
          {"id": "59a4b2c1-0002", "file_name": "loc_01/IMG_0002.JPG", "width": 2048, "height": 1536,
           "datetime": "2023-05-02 06:11:05", "seq_id": "s-17", "seq_num_frames": 2,
           "frame_num": 1, "location": "loc_01", "corrupt": false}],
         "annotations": [
          {"id": "a1", "image_id": "59a4b2c1-0001", "category_id": 7,
           "bbox": [480.5, 602, 300, 211.25], "sequence_level_annotation": false},
          {"id": "a2", "image_id": "59a4b2c1-0002", "category_id": 0,
           "sequence_level_annotation": true},
          {"id": "a3", "image_id": "59a4b2c1-0003", "category_id": 0}],
         "categories": [{"id": 0, "name": "empty"}, {"id": 7, "name": "red deer"}]
        }
        """
      ])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "loc_01/IMG_0001.JPG: red deer px[480.5 602 300 211.25]", "loc_01/IMG_0002.JPG: empty",
      ])
    #expect(read.items[0].metadata.taken?.description == "2023-05-02T06:11:04")
    #expect(read.items[0].metadata.credit == ["author": "A. Warden"])
    #expect(read.problems == ["traps.json, line 15: an annotation of an unknown image"])
    #expect(
      read.notes == [
        "ignored: “frame_num” of images, 2 times", "ignored: “location” of images, 2 times",
        "ignored: “seq_id” of images, 2 times", "ignored: “seq_num_frames” of images, 2 times",
        "ignored: “sequence_level_annotation” of annotations, once",
      ])
  }

  private static let detections = """
    {
     "info": {"format_version": "1.4", "detector": "md_v5a.0.0.pt",
      "detection_completion_time": "2023-06-01 19:11:27",
      "detector_metadata": {"megadetector_version": "v5a.0.0", "image_size": 1280},
      "classifier": "kaggle:google/speciesnet/pyTorch/v4.0.2a/1"},
     "detection_categories": {"1": "animal", "2": "person", "3": "vehicle"},
     "classification_categories": {"0": "fox", "1": "elk"},
     "images": [
      {"file": "a/IMG_1.JPG", "max_detection_conf": 0.926, "detections": [
       {"category": "1", "conf": 0.926, "bbox": [0.0, 0.25, 0.125, 0.5],
        "classifications": [["1", 0.875], ["0", 0.125]]},
       {"category": "7", "conf": 0.5, "bbox": [0, 0, 1, 1]}]},
      {"file": "a\\\\IMG_2.JPG", "detections": []},
      {"file": "a/IMG_3.JPG", "failure": "Failure image access", "detections": null},
      {"file": "a/clip.mp4", "frame_rate": 20, "frames_processed": [0],
       "detections": [{"category": "2", "conf": 0.9, "bbox": [0, 0, 1, 1], "frame_number": 0}]},
      {"file": "a/IMG_4.JPG", "failure": null, "detections": [
       {"category": "2", "conf": 1.5, "bbox": [0, 0, 1, 1]},
       {"category": "2", "conf": 0.5, "bbox": [0, 0, 1]}]}
     ]
    }
    """

  @Test("reads MegaDetector's boxes and classes as those of models")
  func megadetector() throws {
    let read = try ReadFiles(.megadetector, ["md.json": Self.detections])
    #expect(read.error == nil)
    let time = 1_685_646_687_000
    #expect(
      read.photos == [
        "a/IMG_1.JPG: animal [0 0.25 0.125 0.5] 0.926 by model megadetector@v5a.0.0 at \(time), "
          + "elk [0 0.25 0.125 0.5] 0.875 by model , fox [0 0.25 0.125 0.5] 0.125 by model ",
        "a\\IMG_2.JPG", "a/IMG_4.JPG",
      ])
    #expect(
      read.notes == [
        "ignored: detections of unlisted categories, once",
        "ignored: images that the detector failed on (“Failure image access”), once",
        "ignored: videos, once",
      ])
    #expect(
      read.problems == [
        "md.json, line 17: a detection whose “conf” is not between 0 and 1",
        "md.json, line 17: a detection whose “bbox” is not four numbers",
      ])
  }

  @Test("reads MegaDetector's version from the names of its files")
  func megadetectorVersions() throws {
    for (name, model) in [
      ("md_v4.1.0.pb", "megadetector@v4.1.0"), ("megadetector_v4.1", "megadetector@v4.1"),
      ("MDV5A", ""), ("net@3", "net@3"),
    ] {
      let read = try ReadFiles(
        .megadetector,
        [
          "md.json": """
          {"images": [{"file": "a.jpg",
            "detections": [{"category": "1", "conf": 1, "bbox": [0, 0, 1, 1]}]}],
           "detection_categories": {"1": "animal"}, "info": {"detector": "\(name)"}}
          """
        ])
      #expect(read.photos == ["a.jpg: animal [0 0 1 1] 1 by model \(model)"])
    }
    #expect(
      try ReadFiles(.megadetector, ["a.json": "{}", "b.json": "{}"]).error?.contains(
        "it contains 2 JSON files") == true)
    #expect(
      try ReadFiles(.megadetector, ["a.json": "{}"]).error?.contains("neither images nor") == true)
  }

  @Test("reads the results of SpeciesNet: boxes, and the class of the ensemble or the classifier")
  func speciesNet() throws {
    let elephant = "55631055;mammalia;proboscidea;elephantidae;loxodonta;africana;african elephant"
    let none = "f2efdae9" + String(repeating: ";no cv result", count: 6)
    let read = try ReadFiles(
      .megadetector,
      [
        "predictions.json": """
        {"predictions": [
          {"filepath": "C:\\\\traps\\\\a.JPG", "country": "KEN",
           "classifications": {"classes": ["\(elephant)"], "scores": [0.99]},
           "detections": [{"category": "1", "label": "animal", "conf": 0.5,
             "bbox": [0.25, 0.5, 0.5, 0.25]}],
           "prediction": "\(elephant)", "prediction_score": 0.75,
           "prediction_source": "classifier", "model_version": "4.0.0a_pt"},
          {"filepath": "b.JPG", "detections": [],
           "prediction": "\(none)",
           "prediction_score": 0.5, "model_version": "4.0.0a_pt"},
          {"filepath": "c.JPG",
           "classifications": {"classes": ["1;aves;;;;;", "2;aves;x;y;corvus;corax;"],
           "scores": [0.5, 0.25]}},
          {"filepath": "missing.jpg", "failures": ["CLASSIFIER", "DETECTOR"],
           "model_version": "4.0.0a_pt"},
          {"filepath": "d.JPG", "failures": ["CLASSIFIER"], "detections": [
            {"category": "2", "label": "human", "conf": 2, "bbox": [0, 0, 1, 1]},
            {"category": "3", "conf": 1, "bbox": [0, 0, 1, 1]}]},
          {"filepath": "e.JPG", "prediction": "bird", "prediction_score": 0.5}
        ]}
        """
      ])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "C:\\traps\\a.JPG: animal [0.25 0.5 0.5 0.25] 0.5 by model speciesnet@4.0.0a_pt, "
          + "african elephant 0.75 by model speciesnet@4.0.0a_pt",
        "b.JPG", "c.JPG: aves 0.5 by model , corvus corax 0.25 by model ", "d.JPG", "e.JPG",
      ])
    #expect(
      read.notes == [
        "ignored: failures of “CLASSIFIER”, 2 times", "ignored: failures of “DETECTOR”, once",
        "ignored: photos without an answer (“no cv result”), once",
        "ignored: “country” of predictions, once",
      ])
    #expect(
      read.problems == [
        "predictions.json, line 16: a detection whose “conf” is not between 0 and 1",
        "predictions.json, line 16: a detection without “label”",
        "predictions.json, line 19: a class of SpeciesNet that is not a name and a score",
      ])
  }

  private static let package = [
    "datapackage.json": """
    {"profile": "https://raw.githubusercontent.com/tdwg/camtrap-dp/1.0/camtrap-dp-profile.json",
     "name": "ducks", "id": "7cca70f5", "resources": [
      {"name": "deployments", "path": "deployments.csv", "profile": "tabular-data-resource"},
      {"name": "media", "path": "media.csv", "profile": "tabular-data-resource"},
      {"name": "observations", "path": "observations.csv", "profile": "tabular-data-resource"},
      {"name": "individuals", "path": "individuals.csv"}]}
    """,
    "deployments.csv": """
    deploymentID,locationID,locationName,latitude,longitude,deploymentStart,baitUse
    00a2,e254,B_HS_val 2,51.496,4.774,2020-05-30T04:57:37+02:00,false
    29b7,e254,B_HS_val 2,51.496,4.774,2020-07-29T07:29:41+02:00,
    577b,,,,,2020-06-19T23:00:00+02:00,
    """,
    "media.csv": """
    mediaID,deploymentID,captureMethod,timestamp,filePath,filePublic,fileName,fileMediatype,favorite,mediaComments
    07840dcc,00a2,activityDetection,2020-05-30T04:57:37+02:00,media/RCNX0031.JPG,true,RCNX0031.JPG,image/jpeg,,
    401386c7,29b7,activityDetection,2020-05-30T04:57:40+02:00,https://multimedia.agouti.eu/assets/401386c7/file,true,20200530-RCNX0032.JPG,image/jpeg,true,hazy
    ca3ff293,577b,activityDetection,2020-05-30T04:57:40+02:00,media/RCNX0033.JPG,true,RCNX0033.JPG,image/jpeg,,
    e8b8e44c,577b,timeLapse,2020-05-30T04:57:41+02:00,media/RCNX0034.MP4,true,RCNX0034.MP4,video/mp4,,
    """,
    "observations.csv": """
    observationID,deploymentID,mediaID,eventID,eventStart,eventEnd,observationLevel,observationType,cameraSetupType,scientificName,count,lifeStage,sex,behavior,individualID,bboxX,bboxY,bboxWidth,bboxHeight,classificationMethod,classifiedBy,classificationTimestamp,classificationProbability,observationTags,observationComments
    705e6036,00a2,,4bb69c45,2020-05-30T02:57:37Z,2020-05-30T02:57:44Z,event,animal,,Anas platyrhynchos,1,adult,female,,,,,,,human,Danny V,2020-07-09T09:39:52Z,,,
    o1,00a2,07840dcc,4bb69c45,2020-05-30T02:57:37Z,2020-05-30T02:57:37Z,media,animal,,Anas platyrhynchos,2,,,,,0.25,0.5,0.125,0.25,human,Peter D,2023-02-02T13:56:25Z,,,eclipse plumage
    o2,00a2,07840dcc,4bb69c45,2020-05-30T02:57:37Z,2020-05-30T02:57:37Z,media,human,,,,,,,,,,,,machine,megadetector@v5a,,0.75,,
    o3,29b7,401386c7,4bb69c45,2020-05-30T02:57:40Z,2020-05-30T02:57:40Z,media,blank,,,,,,,,,,,,human,,,,,
    o4,577b,e8b8e44c,4bb69c45,2020-05-30T02:57:41Z,2020-05-30T02:57:41Z,media,blank,,,,,,,,,,,,human,,,,,
    o5,577b,ca3ff293,4bb69c45,2020-05-30T02:57:41Z,2020-05-30T02:57:41Z,media,unclassified,,,,,,,,,,,,,,,,,
    o6,577b,ca3ff293,4bb69c45,2020-05-30T02:57:41Z,2020-05-30T02:57:41Z,media,unknown,,,,,,,,0.25,0.5,,,human,,,,,
    o7,577b,gone,4bb69c45,2020-05-30T02:57:41Z,2020-05-30T02:57:41Z,media,vehicle,,,,,,,,,,,,machine,,,1.5,,
    o8,577b,gone,4bb69c45,2020-05-30T02:57:41Z,2020-05-30T02:57:41Z,media,vehicle,,,,,,,,,,,,machine,,,1,,
    """,
  ]

  @Test("reads a Camera Trap Data Package with its authors, boxes and deployments")
  func camtrapDP() throws {
    let read = try ReadFiles(.camtrapDP, Self.package)
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "media/RCNX0031.JPG: Anas platyrhynchos [0.25 0.5 0.125 0.25] by Peter D at 1675346185000 "
          + "“eclipse plumage”",
        "media/RCNX0031.JPG: human 0.75 by model megadetector@v5a",
        "20200530-RCNX0032.JPG: blank by a person", "media/RCNX0033.JPG",
      ])
    #expect(
      read.problems == [
        "observations.csv, line 8: the box has a cell that is not a number",
        "observations.csv, line 9: “classificationProbability” is not between 0 and 1",
        "observations.csv, line 10: an observation of the unknown medium “gone”",
      ])
    #expect(
      read.notes == [
        "ignored: media of the type video/mp4, once",
        "ignored: observations of events, which do "
          + "not say on which photos the animal is, once",
        "ignored: observations of media of other types, once",
        "ignored: the column “baitUse”, once", "ignored: the column “captureMethod”, 3 times",
        "ignored: the column “count”, once", "ignored: the column “deploymentStart”, 3 times",
        "ignored: the column “favorite”, once",
        "ignored: the table “individuals”, once", "ignored: unclassified media, once",
      ])
    // Deployments at one location have one pin, which another import finds again.
    let pins = read.items.map(\.metadata.pin)
    #expect(pins.map { $0?.name } == ["B_HS_val 2", nil, "B_HS_val 2", nil])
    #expect(pins[0]?.coordinate.latitude == 51.496)
    #expect(pins[0]?.id != nil && pins[0]?.id == pins[2]?.id)
    #expect(try ReadFiles(.camtrapDP, Self.package).items[0].metadata.pin?.id == pins[0]?.id)
    #expect(read.items.map(\.hasReportedMetadata) == [false, true, false, false])
    #expect(read.items[2].metadata.caption == "hazy")
    #expect(read.items[2].metadata.taken?.description == "2020-05-30T04:57:40+02:00")
  }

  @Test("reads a package of a version before 1.0, without levels of observations")
  func earlyCamtrapDP() throws {
    var files = Self.package
    files["media.csv"] = """
      mediaID,deploymentID,sequenceID,captureMethod,timestamp,filePath,fileName,fileMediatype,exifData,favourite,comments,_id
      m1,00a2,s1,,2020-07-29T05:29:41Z,https://multimedia.agouti.eu/assets/m1/file,RCNX0061.JPG,image/jpeg,,,hazy,
      """
    files["observations.csv"] = """
      observationID,deploymentID,sequenceID,mediaID,timestamp,observationType,scientificName,count,classificationMethod,classifiedBy,classificationTimestamp,classificationConfidence,comments,_id
      o1,00a2,s1,,2020-07-29T05:29:41Z,animal,Anas strepera,1,human,,,,,
      o2,00a2,s1,m1,2020-07-29T05:29:41Z,animal,Anas strepera,1,machine,net@1,,0.5,flying,
      """
    let read = try ReadFiles(.camtrapDP, files)
    #expect(read.error == nil && read.problems.isEmpty)
    #expect(read.photos == ["RCNX0061.JPG: Anas strepera 0.5 by model net@1 “flying”"])
    #expect(read.items[0].metadata.caption == "hazy")
    #expect(read.items[0].metadata.taken?.description == "2020-07-29T05:29:41Z")
  }

  @Test(
    "refuses tables of a data package that are not in its directory",
    arguments: ["https://example.org/media.csv", "../media.csv", "/etc/media.csv"])
  func foreignTables(path: String) throws {
    var files = Self.package
    files["datapackage.json"] = #"{"resources": [{"name": "media", "path": "\#(path)"}]}"#
    let read = try ReadFiles(.camtrapDP, files)
    #expect(
      read.error?.contains("the table “media” is not a single file in this directory") == true)
  }

  @Test("reads iNaturalist's observations, and the names that their photos may have")
  func inaturalist() throws {
    let header =
      "id,observed_on,time_observed_at,user_login,user_name,created_at,updated_at,quality_grade,"
      + "license,url,image_url,tag_list,description,latitude,longitude,coordinates_obscured,"
      + "species_guess,scientific_name,common_name,taxon_id,field:interaction->visited flower of"
    let read = try ReadFiles(
      .inaturalist,
      [
        "observations-9.csv": #"""
        \#(header)
        123456,2024-01-15,2024-01-15 10:30:00 -0500,ann_s,Ann S.,2024-01-15 12:00:00 UTC,2024-01-16 12:00:00 UTC,research,CC-BY,https://www.inaturalist.org/observations/123456,https://inaturalist-open-data.s3.amazonaws.com/photos/251/medium.jpg,"wet, hill","A beautiful
        ""cardinal""",40.785,-73.968,true,Northern Cardinal,Cardinalis cardinalis,Northern Cardinal,9083,
        123457,2024-01-15,,ann_s,,2024-01-15 12:00:00 UTC,2024-01-16 12:00:00 UTC,needs_id,,https://www.inaturalist.org/observations/123457,https://static.inaturalist.org/photos/252/medium.jpeg,,,,,false,,,,,Salvia
        123458,2024-01-15,,ann_s,,,,casual,,,,,,,,false,,Quercus robur,,1,
        """#
      ])
    #expect(read.error == nil)
    #expect(read.problems.isEmpty)
    #expect(
      read.photos == [
        "251.jpg: Cardinalis cardinalis by ann_s at 1705406400000, wet by ann_s, hill by ann_s",
        "252.jpeg",
      ])
    #expect(
      read.items[0].otherFiles == [
        "123456_251.jpg", "photos/251/medium.jpg", "251/medium.jpg", "123456.jpg", "123456.jpeg",
        "123456.png", "123456.JPG",
      ])
    #expect(read.items[0].metadata.caption == "A beautiful\n\"cardinal\"")
    #expect(
      read.items[0].metadata.credit == [
        "author": "Ann S.", "licence": "CC-BY", "service": "inaturalist",
        "page": "https://www.inaturalist.org/observations/123456",
        "url": "https://inaturalist-open-data.s3.amazonaws.com/photos/251/medium.jpg",
      ])
    #expect(read.items[1].metadata.credit["author"] == "ann_s")
    #expect(read.items[0].metadata.taken?.description == "2024-01-15T10:30:00-05:00")
    #expect(read.items[1].metadata.taken?.description == "2024-01-15")
    #expect(read.items[0].metadata.place?.coordinate.latitude == 40.785)
    #expect(read.items[0].metadata.place?.isObscured == true)
    #expect(read.items[1].metadata.place == nil)
    #expect(
      read.notes == [
        "ignored: observations without a photo, once",
        "ignored: observations without a taxon, once", "ignored: the column “common_name”, once",
        "ignored: the column “field:interaction->visited flower of”, once",
        "ignored: the column “quality_grade”, 2 times",
      ])
  }

  static let occurrences = """
    gbifID\tidentifiedBy\tdateIdentified\toccurrenceStatus\tscientificName\tgenericName\tspecificEpithet\tinfraspecificEpithet\trecordedBy\treferences\teventDate\tdecimalLatitude\tdecimalLongitude\tcoordinateUncertaintyInMeters\tkingdom
    4018\tAnn S.\t2023-04-05T10:00:00\tPRESENT\tQuercus robur L.\tQuercus\trobur\t\tBo "the oak" K.\thttps://example.org/4018\t2023-04-02T11:25\t51.5\t-0.125\t30.5\tPlantae
    4019\t\t\tABSENT\tFagaceae\t\t\t\tBo\t\t2023-04-01/2023-04-03\t51.5\t\t\tPlantae
    4020\t\t\tPRESENT\t\t\t\t\t\t\t\t\t\t\t
    4021\t\t\tPRESENT\tAnas sp.\tAnas\t\t\t\t\t\t\t\t\t
    """

  static func meta(
    _ location: String = "multimedia.txt", separator: String = "\\t",
    ofMedia: [String] = ["type", "format", "identifier", "title", "creator", "license"]
  ) -> String {
    let terms = [
      "http://rs.gbif.org/terms/1.0/gbifID", "http://rs.tdwg.org/dwc/terms/identifiedBy",
      "http://rs.tdwg.org/dwc/terms/dateIdentified",
      "http://rs.tdwg.org/dwc/terms/occurrenceStatus",
      "http://rs.tdwg.org/dwc/terms/scientificName", "http://rs.gbif.org/terms/1.0/genericName",
      "http://rs.tdwg.org/dwc/terms/specificEpithet",
      "http://rs.tdwg.org/dwc/terms/infraspecificEpithet",
      "http://rs.tdwg.org/dwc/terms/recordedBy", "http://purl.org/dc/terms/references",
      "http://rs.tdwg.org/dwc/terms/eventDate", "http://rs.tdwg.org/dwc/terms/decimalLatitude",
      "http://rs.tdwg.org/dwc/terms/decimalLongitude",
      "http://rs.tdwg.org/dwc/terms/coordinateUncertaintyInMeters",
      "http://rs.tdwg.org/dwc/terms/kingdom",
    ]
    func fields(_ terms: [String], from first: Int) -> String {
      terms.enumerated().map { "<field index=\"\($0 + first)\" term=\"\($1)\"/>" }.joined()
    }
    return """
      <archive xmlns="http://rs.tdwg.org/dwc/text/" metadata="metadata.xml">
        <core encoding="UTF-8" fieldsTerminatedBy="\(separator)" linesTerminatedBy="\\n"
            fieldsEnclosedBy="" ignoreHeaderLines="1"
            rowType="http://rs.tdwg.org/dwc/terms/Occurrence">
          <files><location>occurrence.txt</location></files>
          <id index="0" />\(fields(terms, from: 0))
        </core>
        <extension encoding="UTF-8" fieldsTerminatedBy="\\t" linesTerminatedBy="\\n"
            fieldsEnclosedBy="" ignoreHeaderLines="1"
            rowType="http://rs.gbif.org/terms/1.0/Multimedia">
          <files><location>\(location)</location></files>
          <coreid index="0" />\(fields(ofMedia.map { "http://purl.org/dc/terms/\($0)" }, from: 1))
          <field default="A museum" term="http://purl.org/dc/terms/publisher"/>
        </extension>
        <extension encoding="UTF-8" fieldsTerminatedBy="\\t" linesTerminatedBy="\\n"
            fieldsEnclosedBy="" ignoreHeaderLines="1"
            rowType="http://rs.tdwg.org/dwc/terms/MeasurementOrFact">
          <files><location>verbatim.txt</location></files><coreid index="0" />
        </extension>
      </archive>
      """
  }

  @Test("reads a GBIF download, with taxa without their authors")
  func darwinCore() throws {
    let read = try ReadFiles(
      .darwinCore,
      [
        "meta.xml": Self.meta(), "occurrence.txt": Self.occurrences,
        "multimedia.txt": """
        gbifID\ttype\tformat\tidentifier\ttitle\tcreator\tlicense
        4018\tStillImage\timage/jpeg\thttps://inaturalist-open-data.s3.amazonaws.com/photos/251/original.jpg\tAn "oak\tAnn S.\thttp://creativecommons.org/licenses/by/4.0/
        4018\tStillImage\timage/jpeg\thttps://images.example.org/oak%20leaf.JPG?size=2\t\t\t
        4018\tSound\taudio/mpeg\thttps://example.org/a.mp3\t\t\t
        4019\t\t\tfagaceae-19.png\t\t\t
        4020\tStillImage\t\thttps://example.org/b.jpg\t\t\t
        4021\tStillImage\t\t\t\t\t
        """,
      ])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "251.jpg: Quercus robur by Ann S. at 1680688800000",
        "oak leaf.JPG: Quercus robur by Ann S. at 1680688800000",
        "fagaceae-19.png: -Fagaceae by Bo",
      ])
    #expect(read.items[0].metadata.title == "An \"oak")
    #expect(
      read.items[0].metadata.credit == [
        "author": "Ann S.", "licence": "http://creativecommons.org/licenses/by/4.0/",
        "page": "https://example.org/4018", "service": "A museum",
        "url": "https://inaturalist-open-data.s3.amazonaws.com/photos/251/original.jpg",
      ])
    let place = read.items[0].metadata.place
    #expect(place?.coordinate.longitude == -0.125 && place?.accuracy == 30.5)
    #expect(read.items[0].metadata.taken?.description == "2023-04-02T11:25:00")
    #expect(read.items[2].metadata.taken == nil && read.items[2].metadata.place == nil)
    #expect(read.items[0].otherFiles.contains("4018_251.jpg"))
    #expect(read.items[2].otherFiles == ["4019.jpg", "4019.jpeg", "4019.png", "4019.JPG"])
    #expect(read.problems == ["multimedia.txt, line 7: a media record without “identifier”"])
    #expect(
      read.notes == [
        "ignored: media of occurrences that have no scientific name or are not listed, once",
        "ignored: media of the type Sound, once", "ignored: occurrences without a photo, once",
        "ignored: occurrences without a scientific name, once",
        "ignored: the column “kingdom”, 2 times",
        "ignored: the table of the type “MeasurementOrFact”, once",
        "ignored: times of photos that are not ISO 8601 times, once",
      ])
  }

  @Test("joins tables without declared ids by gbifID, and finds media by the id in their URLs")
  func undeclaredIds() throws {
    let meta = Self.meta(ofMedia: ["identifier"])
      .replacing(/<(id|coreid) index="0" \/>/, with: #"<field index="0" term="gbifID"/>"#)
    let read = try ReadFiles(
      .darwinCore,
      [
        "meta.xml": meta, "occurrence.txt": Self.occurrences,
        "multimedia.txt": """
        gbifID\tidentifier
        4018\thttps://multimedia.agouti.eu/assets/07840dcc-0d99/file
        """,
      ])
    #expect(read.photos == ["07840dcc-0d99.jpg: Quercus robur by Ann S. at 1680688800000"])
  }

  @Test("refuses archives whose tables are elsewhere or have no single separator")
  func hostileArchives() throws {
    for (meta, message) in [
      (Self.meta("../secret.txt"), "is not a single file in this directory"),
      (Self.meta("http://example.org/a.txt"), "is not a single file in this directory"),
      (Self.meta(separator: "||"), "“||” is not a single character"),
      (Self.meta().replacing("<coreid index=\"0\"", with: "<coreid index=\"-1\""), "“-1” is not"),
      (Self.meta().replacing("UTF-8", with: "ISO-8859-1"), "convert occurrence.txt to UTF-8"),
      ("<archive/>", "it describes no table of occurrences"), ("<svg/>", "not “archive”"),
      ("<!DOCTYPE a><archive/>", "a document type"),
    ] {
      let read = try ReadFiles(
        .darwinCore, ["meta.xml": meta, "occurrence.txt": Self.occurrences])
      #expect(read.error?.contains(message) == true, "\(read.error ?? "no error")")
    }
  }
}
