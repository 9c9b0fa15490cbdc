import Cairn

// The help texts of `cairn export`, for each format.

enum CSVExport: ExportFormatHelp {
  static let format = ExportFormat.csv
  static let abstract = "Export a table with one row per label and box."
  static let discussion = "Writes labels.csv and images/. The table contains all fields of a label."
  static let example = "cairn export csv ../out --states confirmed,rejected --images none"
}

enum JSONLinesExport: ExportFormatHelp {
  static let format = ExportFormat.jsonl
  static let abstract = "Export one JSON line per photo."
  static let discussion = "Writes photos.jsonl and images/. The lines contain all fields of labels."
  static let example = "cairn export jsonl ../out --find 'near:57.5,-3.9,10km' --images none"
}

enum ImageFolderExport: ExportFormatHelp {
  static let format = ExportFormat.imagefolder
  static let abstract = "Export one folder of images per class, for torchvision."
  static let discussion = """
    Writes CLASS/PHOTO.jpg, or SUBSET/CLASS/PHOTO.jpg. Boxes and unlabeled photos are left out. If
    photos have several classes, the export is refused unless --several says what to do: “first”
    writes a photo once (a confirmed class before a predicted one, then the highest confidence, then
    the first by name), “copy” once for each class, and “skip” not at all.
    """
  static let example = "cairn export imagefolder ../out --split train=80,val=20 --images link"
}

enum CreateMLExport: ExportFormatHelp {
  static let format = ExportFormat.createml
  static let abstract =
    "Export one folder of images per class (labeled directories), for Create ML."
  static let discussion = "Writes the same files as imagefolder."
  static let example = "cairn export createml ../out --split training=80,testing=20"
}

enum COCOExport: ExportFormatHelp {
  static let format = ExportFormat.coco
  static let abstract = "Export COCO JSON: images, categories and annotations."
  static let discussion = """
    Writes annotations/instances_all.json, or one file per subset, and images/. A label of a whole
    photo is an annotation without “bbox”; a confidence below 1 becomes “score”; absent classes are
    listed in “neg_category_ids”. An outline becomes “segmentation”: a list of polygons, or a
    run-length mask if it has holes or is a crowd.
    """
  static let example = "cairn export coco ../out --states confirmed,predicted --min 0.8"
}

enum YOLOExport: ExportFormatHelp {
  static let format = ExportFormat.yolo
  static let abstract = "Export YOLO detection: one text file per image, and data.yaml."
  static let discussion = """
    Writes images/SUBSET/, labels/SUBSET/ and data.yaml. Only boxes are written, and only photos
    with a box: a labeled photo without a box would be read as a negative example. An outline is
    written as its box; yolo-segment writes outlines.
    """
  static let example = "cairn export yolo ../out --split train=80,val=20"
}

enum YOLOSegmentExport: ExportFormatHelp {
  static let format = ExportFormat.yoloSegment
  static let abstract =
    "Export YOLO segmentation: one text file of polygons per image, and data.yaml."
  static let discussion = """
    Writes images/SUBSET/, labels/SUBSET/ and data.yaml. Only outlines are written, and only photos
    with an outline; boxes are left out. The parts and holes of an outline are connected by lines
    into one polygon, as Ultralytics does.
    """
  static let example = "cairn export yolo-segment ../out --split train=80,val=20"
}

enum YOLOClassifyExport: ExportFormatHelp {
  static let format = ExportFormat.yoloClassify
  static let abstract = "Export YOLO classification: one folder of images per subset and class."
  static let discussion = "Writes train/CLASS/PHOTO.jpg and so on; otherwise like imagefolder."
  static let example = "cairn export yolo-classify ../out --split train=80,val=10,test=10"
}

enum VOCExport: ExportFormatHelp {
  static let format = ExportFormat.voc
  static let abstract = "Export Pascal VOC: one XML file per image."
  static let discussion = """
    Writes Annotations/, JPEGImages/ and ImageSets/Main/. Labels of whole photos are listed in
    ImageSets/Main. Some readers treat every image as a JPEG, regardless of its name.
    """
  static let example = "cairn export voc ../out --states confirmed,rejected"
}

enum LabelMeExport: ExportFormatHelp {
  static let format = ExportFormat.labelme
  static let abstract = "Export labelme: one JSON file next to each image."
  static let discussion = """
    Writes PHOTO.jpg and PHOTO.json, below SUBSET/ if there is a split. Boxes are rectangles,
    outlines are polygons (their parts have the same “group_id”), and classes of whole photos are
    flags.
    """
  static let example = "cairn export labelme ../out --images link"
}

enum LabelStudioExport: ExportFormatHelp {
  static let format = ExportFormat.labelStudio
  static let abstract = "Export Label Studio tasks, with annotations and predictions."
  static let discussion = """
    Writes tasks.json, config.xml (the labeling interface) and images/. Label Studio serves the
    images if LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT is set to the directory. Labels of models
    become predictions.
    """
  static let example = "cairn export label-studio ../out --states confirmed,predicted,disputed"
}

enum HuggingFaceExport: ExportFormatHelp {
  static let format = ExportFormat.huggingface
  static let abstract = "Export Hugging Face Datasets: images with their metadata."
  static let discussion =
    "Writes SUBSET/PHOTO.jpg and SUBSET/metadata.parquet. Without a split, SUBSET is train."
  static let example = "cairn export huggingface ../out --split train=90,test=10 --split-by pin"
}

enum WebDatasetExport: ExportFormatHelp {
  static let format = ExportFormat.webdataset
  static let abstract = "Export WebDataset: tar archives of images with their labels."
  static let discussion = """
    Writes SUBSET-000000.tar and so on, with PHOTO.jpg, PHOTO.cls and PHOTO.json for each photo, and
    classes.txt. A .cls file contains the number of a class in classes.txt, counted from 0, or -1
    for a photo without a class.
    """
  static let example = "cairn export webdataset ../out --split train=80,val=20"
}

enum GeoJSONExport: ExportFormatHelp {
  static let format = ExportFormat.geojson
  static let abstract = "Export GeoJSON: pins and photos with their labels."
  static let discussion = """
    Writes photos.geojson and images/. The location of a photo is that of its pin or, without one,
    that in its metadata; a photo without a location has no geometry.
    """
  static let example = "cairn export geojson ../out --find pin:harbor --images none"
}

enum CroissantExport: ExportFormatHelp {
  static let format = ExportFormat.croissant
  static let abstract = "Export MLCommons Croissant, with a table of labels."
  static let discussion = "Writes croissant.json, labels.csv (the same as for csv) and images/."
  static let example = "cairn export croissant ../out --images none"
}

enum FiftyOneExport: ExportFormatHelp {
  static let format = ExportFormat.fiftyone
  static let abstract = "Export FiftyOne classifications and detections."
  static let discussion = """
    Writes data/, labels.json (FiftyOneImageClassificationDataset) and detections.json
    (FiftyOneImageDetectionDataset, with labels_path="detections.json").
    """
  static let example = "cairn export fiftyone ../out --images link"
}

enum CVATExport: ExportFormatHelp {
  static let format = ExportFormat.cvat
  static let abstract = "Export CVAT for images 1.1: one XML file."
  static let discussion = """
    Writes annotations.xml and images/, with a tag for each class of a whole photo. Labels of models
    have the source “auto”.
    """
  static let example = "cairn export cvat ../out --images none"
}

enum DarwinCoreExport: ExportFormatHelp {
  static let format = ExportFormat.darwinCore
  static let abstract = "Export a Darwin Core Archive: occurrences with their images."
  static let discussion = """
    Writes occurrence.txt, multimedia.txt, meta.xml and images/. The scientific name is the name of
    the class. For GBIF, add eml.xml, which describes the dataset.
    """
  static let example = "cairn export darwin-core ../out --states confirmed,rejected --images none"
}
