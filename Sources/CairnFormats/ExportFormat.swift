/// The formats that photos and labels are written in.
public enum ExportFormat: String, Sendable, CaseIterable {
  case csv, jsonl, imagefolder, createml, coco, yolo
  case yoloClassify = "yolo-classify"
  case voc
  case labelStudio = "label-studio"
  case huggingface, webdataset, geojson, croissant, fiftyone

  /// Whether it is nothing without the images.
  public var isMadeOfImages: Bool {
    switch self {
    case .imagefolder, .createml, .yolo, .yoloClassify, .huggingface, .webdataset, .fiftyone: true
    case .csv, .jsonl, .coco, .voc, .labelStudio, .geojson, .croissant: false
    }
  }

  /// Whether its writer numbers the classes before it has seen the photos.
  var needsClasses: Bool {
    switch self {
    case .coco, .yolo, .labelStudio, .webdataset, .fiftyone: true
    default: false
    }
  }

  var limits: FormatLimits {
    var limits = held
    limits.isReadBack = ImportFormat(rawValue: rawValue) != nil
    return limits
  }

  private var held: FormatLimits {
    switch self {
    case .csv, .jsonl, .croissant, .webdataset, .geojson: .everything
    case .imagefolder, .createml, .yoloClassify:
      FormatLimits(hasSeveralClasses: false, hasBarePhotos: false)
    case .coco:
      // Where a photo has a box of a class, an annotation without one would be a second thing.
      FormatLimits(
        boxes: .instead, absence: .bare, hasConfidence: true, hasAnnotators: true,
        states: [.predicted, .disputed], hasWords: true, aboutPhotos: true)
    case .yolo: FormatLimits(boxes: .alone, hasBarePhotos: false)
    case .voc: FormatLimits(boxes: .beside, absence: .bare)
    case .labelStudio:
      FormatLimits(boxes: .beside, hasConfidence: true, states: [.predicted], aboutPhotos: true)
    case .huggingface:
      FormatLimits(
        boxes: .beside, absence: .bare, hasConfidence: true, hasAnnotators: true,
        states: [.predicted, .disputed], aboutPhotos: true)
    case .fiftyone:
      FormatLimits(
        boxes: .beside, hasConfidence: true, hasAnnotators: true, states: [.predicted, .disputed])
    }
  }

  func writer(_ output: FormatOutput, classes: [AnnotationClass]) throws -> any FormatWriter {
    switch self {
    case .csv: try CSVWriter(output)
    case .jsonl: try JSONLinesWriter(output)
    case .imagefolder, .createml: ImageFolderWriter(output)
    case .coco: COCOWriter(output, classes)
    case .yolo: YOLOWriter(output, classes)
    case .yoloClassify: ImageFolderWriter(output, splitWhenWhole: "train")
    case .voc: VOCWriter(output)
    case .labelStudio: try LabelStudioWriter(output, classes)
    case .huggingface: HuggingFaceWriter(output)
    case .webdataset: WebDatasetWriter(output, classes)
    case .geojson: try GeoJSONWriter(output)
    case .croissant: try CroissantWriter(output)
    case .fiftyone: try FiftyOneWriter(output, classes)
    }
  }
}

/// Writes photos in one format, as they come.
protocol FormatWriter: AnyObject {
  /// Takes a photo that the format can hold all of.
  func write(_ photo: AnnotatedPhoto) throws
  /// Writes what stands at the end; called once, after the last photo.
  func finish() throws
}
