import Cairn

// The help texts of `cairn import`, for each format.

enum CSVImport: ImportFormatHelp {
  static let format = ImportFormat.csv
  static let abstract = "Import a table with one row per label and any columns."
  static let discussion = """
    Reads a file, or labels.csv, labels.tsv, _annotations.csv or _classes.csv in a directory. The
    delimiter can be a comma, semicolon, tab or vertical bar. Columns are found by their usual
    names: file_name (or filename, image, path, image_id), label (or class, category, species),
    confidence (or score), annotator, updated_at, state; boxes as xmin, ymin, xmax, ymax, as x, y,
    width, height, or as bbox, in pixels or fractions; or a column of zeros and ones for each class.
    --map names other columns, with the keys image, photo, label, keywords, confidence, state,
    annotator, time, text, x, y, width, height, x_center, y_center, x1, y1, x2, y2, bbox,
    image_width, image_height, title, caption and other metadata. label==CLASS gives all rows one
    class, units=pixels or units=fractions sets the unit of boxes, and zeros=absent imports zeros as
    absent labels.
    """
  static let example =
    "cairn import csv ../survey.csv --map image=photo,label=taxon,annotator=by"
}

enum JSONLinesImport: ImportFormatHelp {
  static let format = ImportFormat.jsonl
  static let abstract = "Import one JSON line per photo, with its labels."
  static let discussion = """
    Reads a file, or photos.jsonl in a directory: objects with file_name or photo, and labels, a
    list of names or of objects with label, confidence, state and regions.
    """
  static let example = "cairn import jsonl ../photos.jsonl --annotator alice@example.org"
}

enum ImageFolderImport: ImportFormatHelp {
  static let format = ImportFormat.imagefolder
  static let abstract = "Import one folder of images per class, for torchvision."
  static let discussion = """
    Reads CLASS/…/IMAGE below a directory, or SUBSET/CLASS/…/IMAGE if all top-level directories have
    the names of subsets (train, val, test …) and contain directories. --folders chooses between the
    two.
    """
  static let example = "cairn import imagefolder ../animals --annotator alice@example.org"
}

enum COCOImport: ImportFormatHelp {
  static let format = ImportFormat.coco
  static let abstract = "Import COCO JSON: images, categories and annotations."
  static let discussion = """
    Reads a file, or all files in annotations/ of a directory. An annotation without “bbox” is about
    the whole photo. Labels with a score below 1 are assumed to be a model's; --as names it.
    Outlines (polygons and run-length masks) and crowds are kept; key points are ignored. COCO Camera
    Traps files are read, too.
    """
  static let example =
    "cairn import coco ../val2017.json --image-dir ../val2017 --as detr@1"
}

enum YOLOImport: ImportFormatHelp {
  static let format = ImportFormat.yolo
  static let abstract = "Import YOLO detection: one text file per image, and data.yaml."
  static let discussion = """
    Reads data.yaml (or classes.txt, or Darknet's obj.names) of a directory, and labels/ next to
    images/, at any depth. If the YAML file has another name, give its path. Rows of more than six
    numbers are polygons; a number after a box or a polygon is a model's score.
    """
  static let example = "cairn import yolo ../fruit --as yolo11n@8.4 --skip-invalid"
}

enum YOLOClassifyImport: ImportFormatHelp {
  static let format = ImportFormat.yoloClassify
  static let abstract = "Import YOLO classification: one folder of images per subset and class."
  static let discussion = "Reads SUBSET/CLASS/…/IMAGE below a directory."
  static let example = "cairn import yolo-classify ../animals --annotator alice@example.org"
}

enum VOCImport: ImportFormatHelp {
  static let format = ImportFormat.voc
  static let abstract = "Import Pascal VOC: one XML file per image."
  static let discussion = """
    Reads one file, or Annotations/ of a directory. The lists in ImageSets/Main label whole photos,
    including images without an XML file; -1 there means that the class is absent.
    """
  static let example = "cairn import voc ../VOC2012 --annotator alice@example.org"
}

enum LabelStudioImport: ImportFormatHelp {
  static let format = ImportFormat.labelStudio
  static let abstract = "Import tasks exported from Label Studio as JSON."
  static let discussion = """
    Reads a file, or tasks.json in a directory. Annotations become labels of the people who made
    them, with their times; --annotators maps the ids of users to email addresses. Predictions
    become labels of the model that “model_version” names as NAME@VERSION, or that --as names.
    """
  static let example =
    "cairn import label-studio ../project-1.json --annotators ../users.csv"
}

enum LabelMeImport: ImportFormatHelp {
  static let format = ImportFormat.labelme
  static let abstract = "Import labelme: one JSON file next to each image."
  static let discussion =
    "Reads a file, or all files below a directory: polygons, rectangles, circles, and set flags."
  static let example = "cairn import labelme ../boxes --annotator bo@example.org"
}

enum GeoJSONImport: ImportFormatHelp {
  static let format = ImportFormat.geojson
  static let abstract = "Import GeoJSON: points become pins."
  static let discussion = """
    Reads a file, or photos.geojson in a directory. A point becomes a pin with its name; photos
    written by `cairn export geojson` are imported with their labels.
    """
  static let example = "cairn import geojson ../trees.geojson"
}
