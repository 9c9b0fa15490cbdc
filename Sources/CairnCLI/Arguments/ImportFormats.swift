import Cairn

// The commands of the formats, with what there is to know of each.

enum CSVImport: ImportFormatHelp {
  static let format = ImportFormat.csv
  static let abstract = "A table with a row for each label."
  static let discussion = """
    Reads a file, or labels.csv in a directory, with a header: file_name (or filename, file, image,
    path), label (or class, class_name, category), and where they are there photo, confidence (or
    score), state, and x, y, width and height in fractions of the image.
    """
  static let example =
    "cairn import csv ../predictions.csv --as resnet50@2026-01 --images ../photos"
}

enum JSONLinesImport: ImportFormatHelp {
  static let format = ImportFormat.jsonl
  static let abstract = "A line of JSON for each photo, with its labels."
  static let discussion = """
    Reads a file, or photos.jsonl in a directory: objects with file_name or photo, and labels, a list
    of names or of objects with label, confidence, state and regions.
    """
  static let example = "cairn import jsonl ../photos.jsonl --annotator alice@example.org"
}

enum ImageFolderImport: ImportFormatHelp {
  static let format = ImportFormat.imagefolder
  static let abstract = "One folder of images per class, for torchvision."
  static let discussion = """
    Reads CLASS/…/IMAGE below a directory, or PART/CLASS/…/IMAGE where all at the top are called as
    parts (train, val, test …) and hold directories; --top says which of the two it is.
    """
  static let example = "cairn import imagefolder ../animals -m \"Animals of the first survey\""
}

enum COCOImport: ImportFormatHelp {
  static let format = ImportFormat.coco
  static let abstract = "COCO JSON: images, categories and annotations."
  static let discussion = """
    Reads a file, or all in annotations/ of a directory. An annotation without “bbox” is of the whole
    photo. Scores are a model's: name it with --as. Crowds cannot be taken in, outlines and key points
    are not.
    """
  static let example = "cairn import coco ../annotations/instances_val2017.json --images ../val2017"
}

enum YOLOImport: ImportFormatHelp {
  static let format = ImportFormat.yolo
  static let abstract = "YOLO detection: one text file per image, and data.yaml."
  static let discussion = """
    Reads data.yaml (or classes.txt) of a directory, and labels/ beside images/, wherever the two lie
    in it. A sixth number of a row is a model's score; polygons cannot be taken in.
    """
  static let example = "cairn import yolo ../fruit --as yolo11n@8.4 --skip-invalid"
}

enum YOLOClassifyImport: ImportFormatHelp {
  static let format = ImportFormat.yoloClassify
  static let abstract = "YOLO classification: one folder of images per split and class."
  static let discussion = "Reads PART/CLASS/…/IMAGE below a directory."
  static let example = "cairn import yolo-classify ../animals"
}

enum VOCImport: ImportFormatHelp {
  static let format = ImportFormat.voc
  static let abstract = "Pascal VOC: one XML file per image."
  static let discussion = """
    Reads one file, or Annotations/ of a directory, and the lists of classes in ImageSets/Main, whose
    -1 says that a class is not there.
    """
  static let example = "cairn import voc ../VOC2012 --dry-run"
}

enum LabelStudioImport: ImportFormatHelp {
  static let format = ImportFormat.labelStudio
  static let abstract = "Tasks exported from Label Studio as JSON."
  static let discussion = """
    Reads a file, or tasks.json in a directory. Annotations are what a person says; predictions are of
    the model that “model_version” names as NAME@VERSION, or that --as names.
    """
  static let example = "cairn import label-studio ../project-1.json --images ../media/upload"
}

enum LabelMeImport: ImportFormatHelp {
  static let format = ImportFormat.labelme
  static let abstract = "A file of JSON beside each image, from labelme."
  static let discussion =
    "Reads a file, or all below a directory: flags that are set, and rectangles."
  static let example = "cairn import labelme ../boxes --annotator bo@example.org"
}

enum GeoJSONImport: ImportFormatHelp {
  static let format = ImportFormat.geojson
  static let abstract = "Points as pins."
  static let discussion = """
    Reads a file, or photos.geojson in a directory. A point becomes a pin with its name; photos that
    `cairn export geojson` wrote bring their labels.
    """
  static let example = "cairn import geojson ../trees.geojson"
}
