import Cairn

// The commands of the formats, with what there is to know of each.

enum CSVWords: ExportFormatWords {
  static let format = ExportFormat.csv
  static let abstract = "A table with a row for each label and box."
  static let discussion = "Writes labels.csv, and images/. A table holds all there is to a label."
  static let example = "cairn export csv ../out --states confirmed,rejected --images none"
}

enum JSONLinesWords: ExportFormatWords {
  static let format = ExportFormat.jsonl
  static let abstract = "A line of JSON for each photo."
  static let discussion = "Writes photos.jsonl, and images/. It holds all there is to a label."
  static let example = "cairn export jsonl ../out --find 'near:57.5,-3.9,10km' --images none"
}

enum ImageFolderWords: ExportFormatWords {
  static let format = ExportFormat.imagefolder
  static let abstract = "A folder of images for each class, as torchvision reads it."
  static let discussion = """
    Writes CLASS/PHOTO.jpg, or PART/CLASS/PHOTO.jpg. A photo has one class, the one it is surest of;
    boxes and photos without a label are left out.
    """
  static let example = "cairn export imagefolder ../out --split train=80,val=20 --images link"
}

enum CreateMLWords: ExportFormatWords {
  static let format = ExportFormat.createml
  static let abstract = "A folder of images for each class, as Create ML reads it."
  static let discussion = "What imagefolder writes: the data source “labeled directories”."
  static let example = "cairn export createml ../out --split training=80,testing=20"
}

enum COCOWords: ExportFormatWords {
  static let format = ExportFormat.coco
  static let abstract = "Images, categories and annotations in one file of JSON."
  static let discussion = """
    Writes annotations/instances_all.json, or one file for each part, and images/. A label of a whole
    photo is an annotation without “bbox”; a confidence below 1 is its “score”; classes that are not
    there stand in “neg_category_ids”.
    """
  static let example = "cairn export coco ../out --states confirmed,predicted --min 0.8"
}

enum YOLOWords: ExportFormatWords {
  static let format = ExportFormat.yolo
  static let abstract = "Boxes in a text file for each image, and data.yaml."
  static let discussion = """
    Writes images/PART/, labels/PART/ and data.yaml. Only boxes are written, and only photos that have
    one: a photo whose label has no box would be taken for one without the class.
    """
  static let example = "cairn export yolo ../out --split train=80,val=20"
}

enum YOLOClassifyWords: ExportFormatWords {
  static let format = ExportFormat.yoloClassify
  static let abstract = "A folder of images for each part and class."
  static let discussion = "Writes train/CLASS/PHOTO.jpg and so on; else it is like imagefolder."
  static let example = "cairn export yolo-classify ../out --split train=80,val=10,test=10"
}

enum VOCWords: ExportFormatWords {
  static let format = ExportFormat.voc
  static let abstract = "Objects in a file of XML for each image."
  static let discussion = """
    Writes Annotations/, JPEGImages/ and ImageSets/Main/. What is said of whole photos stands in the
    lists of ImageSets/Main. Some readers take every image for a JPEG, whatever its name.
    """
  static let example = "cairn export voc ../out --states confirmed,rejected"
}

enum LabelStudioWords: ExportFormatWords {
  static let format = ExportFormat.labelStudio
  static let abstract = "Tasks of Label Studio, with annotations and predictions."
  static let discussion = """
    Writes tasks.json, config.xml (the labelling interface) and images/, which Label Studio serves
    where LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT is the directory. What models say is a prediction.
    """
  static let example = "cairn export label-studio ../out --states confirmed,predicted,disputed"
}

enum HuggingFaceWords: ExportFormatWords {
  static let format = ExportFormat.huggingface
  static let abstract = "Images with their metadata, as Hugging Face Datasets reads it."
  static let discussion = "Writes PART/PHOTO.jpg and PART/metadata.parquet; without parts, train/."
  static let example = "cairn export huggingface ../out --split train=90,test=10 --split-by pin"
}

enum WebDatasetWords: ExportFormatWords {
  static let format = ExportFormat.webdataset
  static let abstract = "Tar archives of images with their labels."
  static let discussion = """
    Writes PART-000000.tar and so on, with PHOTO.jpg, PHOTO.cls and PHOTO.json for each photo, and
    classes.txt, whose lines are the classes that .cls counts from 0; -1 is a photo without a class.
    """
  static let example = "cairn export webdataset ../out --split train=80,val=20"
}

enum GeoJSONWords: ExportFormatWords {
  static let format = ExportFormat.geojson
  static let abstract = "Pins and photos with their labels on the map."
  static let discussion = "Writes photos.geojson, and images/. A photo lies where its pin is."
  static let example = "cairn export geojson ../out --find pin:harbour --images none"
}

enum CroissantWords: ExportFormatWords {
  static let format = ExportFormat.croissant
  static let abstract = "A table, described as MLCommons Croissant."
  static let discussion = "Writes croissant.json, labels.csv as csv does, and images/."
  static let example = "cairn export croissant ../out --images none"
}

enum FiftyOneWords: ExportFormatWords {
  static let format = ExportFormat.fiftyone
  static let abstract = "Images with classifications and detections of FiftyOne."
  static let discussion = """
    Writes data/, labels.json (FiftyOneImageClassificationDataset) and detections.json
    (FiftyOneImageDetectionDataset, with labels_path="detections.json").
    """
  static let example = "cairn export fiftyone ../out --images link"
}
