import Cairn

// The help texts of `cairn import` for the formats of annotation tools and collections.

enum CVATImport: ImportFormatHelp {
  static let format = ImportFormat.cvat
  static let abstract = "Import CVAT for images 1.1: one XML file."
  static let discussion = """
    Reads a file, or all .xml files of a directory: tags, boxes, polygons, ellipses and masks. Lines
    and points become their bounding boxes. Shapes drawn by hand are a person's; those with the
    source “auto” are a model's, which --as names. Videos, cuboids and skeletons are not imported.
    """
  static let example = "cairn import cvat ../job/annotations.xml --image-dir ../photos"
}

enum DatumaroImport: ImportFormatHelp {
  static let format = ImportFormat.datumaro
  static let abstract = "Import Datumaro JSON: annotations/SUBSET.json and images/SUBSET/."
  static let discussion = """
    Reads a file, or all files in annotations/ of a directory: labels, boxes, polygons, ellipses and
    masks. Lines are imported as their bounding boxes. Labels with a score below 1 are assumed to
    be a model's; --as names it.
    """
  static let example = "cairn import datumaro ../dataset --dry-run"
}

enum OpenImagesImport: ImportFormatHelp {
  static let format = ImportFormat.openImages
  static let abstract = "Import Open Images: tables of boxes and of labels of whole images."
  static let discussion = """
    Reads a table, or all .csv files below a directory; the class descriptions must be next to them.
    A person's confidence of 0 means that the class is absent. Labels with the source “machine” are
    a model's; --as names it. Boxes of groups become crowds; masks are not imported.
    """
  static let example = "cairn import open-images ../validation --image-dir ../validation/data"
}

enum VIAImport: ImportFormatHelp {
  static let format = ImportFormat.via
  static let abstract = "Import VGG Image Annotator: JSON, CSV or a saved project."
  static let discussion = """
    Reads a file, or the only .json or .csv file of a directory: rectangles, polygons, circles and
    ellipses. Lines are imported as their bounding boxes. The class is the attribute label, class,
    class_name, category, name, type, species, object, object_name or tag, in this order, or the
    only attribute.
    """
  static let example = "cairn import via ../via_region_data.json --image-dir ../photos"
}

enum SuperviselyImport: ImportFormatHelp {
  static let format = ImportFormat.supervisely
  static let abstract = "Import a Supervisely project: DATASET/ann/ next to DATASET/img/."
  static let discussion = """
    Reads a file, or all files in ann/ below a directory: tags of images, rectangles, polygons and
    bitmaps. Lines are imported as their bounding boxes. Cuboids and points are not imported.
    """
  static let example = "cairn import supervisely ../project --skip-invalid"
}

enum KITTIImport: ImportFormatHelp {
  static let format = ImportFormat.kitti
  static let abstract = "Import KITTI: one text file per image, with boxes in pixels."
  static let discussion = """
    Reads a file, or all files in label_2/ or labels/ below a directory, with the images in image_2/
    or images/. A sixteenth number in a row is a model's score. DontCare regions are left out and
    counted.
    """
  static let example = "cairn import kitti ../training --as pointnet@2"
}

enum CreateMLImport: ImportFormatHelp {
  static let format = ImportFormat.createml
  static let abstract = "Import Create ML: JSON with classes or boxes of images."
  static let discussion = """
    Reads a file, or all .json files below a directory. For a folder of images per class, use
    `cairn import imagefolder`.
    """
  static let example = "cairn import createml ../train/_annotations.createml.json"
}

enum HuggingFaceImport: ImportFormatHelp {
  static let format = ImportFormat.huggingface
  static let abstract = "Import a Hugging Face image folder: metadata.jsonl or metadata.csv."
  static let discussion = """
    Reads a file, or all files of these names below a directory: label, labels, text, and the boxes
    of objects. If categories are numbers, classes.txt next to the file has their names, one per
    line. Parquet is not read.
    """
  static let example = "cairn import huggingface ../fruit --dry-run"
}

enum FiftyOneImport: ImportFormatHelp {
  static let format = ImportFormat.fiftyone
  static let abstract = "Import FiftyOne: samples.json, or labels.json and detections.json."
  static let discussion = """
    Reads a file, or these files of a directory: classifications, detections with masks, and closed
    polylines. Open polylines become their bounding boxes. Labels with a confidence below 1 are
    assumed to be a model's; --as names it.
    """
  static let example = "cairn import fiftyone ../dataset --as yolo11n@8.4"
}

enum WebDatasetImport: ImportFormatHelp {
  static let format = ImportFormat.webdataset
  static let abstract = "Import WebDataset: tar archives with images, .cls, .txt and .json."
  static let discussion = """
    Reads an archive, or all .tar files below a directory. If .cls contains the number of a class,
    classes.txt next to the archive has the class names, one per line; .txt is the caption; .json
    has labels and metadata as in jsonl.
    """
  static let example = "cairn import webdataset ../shards/train-000000.tar"
}

enum CroissantImport: ImportFormatHelp {
  static let format = ImportFormat.croissant
  static let abstract = "Import Croissant: croissant.json, and the tables it describes."
  static let discussion = """
    Reads a file, or croissant.json in a directory, and the tables of its record sets in the same
    directory, in CSV or JSON Lines, with the columns that `cairn import csv` and `cairn import
    jsonl` read.
    """
  static let example = "cairn import croissant ../dataset/croissant.json"
}
