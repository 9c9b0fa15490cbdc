/// A format that photos and labels are exported to.
public enum ExportFormat: String, Sendable, CaseIterable {
  case csv, jsonl, imagefolder, createml, coco, yolo
  case yoloSegment = "yolo-segment"
  case yoloClassify = "yolo-classify"
  case voc, labelme
  case labelStudio = "label-studio"
  case huggingface, webdataset, geojson, croissant, fiftyone, cvat
  case darwinCore = "darwin-core"

  /// Whether an export without images is useless. Photos without their image are left out.
  package var isMadeOfImages: Bool {
    switch self {
    case .imagefolder, .createml, .yolo, .yoloSegment, .yoloClassify, .labelme, .huggingface,
      .webdataset, .fiftyone:
      true
    case .csv, .jsonl, .coco, .voc, .labelStudio, .geojson, .croissant, .cvat, .darwinCore: false
    }
  }

  /// Whether its writer numbers the classes before it receives the photos.
  var needsClasses: Bool {
    switch self {
    case .coco, .yolo, .yoloSegment, .labelStudio, .webdataset, .fiftyone, .cvat: true
    default: false
    }
  }

  var limits: FormatCapabilities {
    var limits = capabilities
    // The imports of these read other layouts than their exports write.
    let isOneWay = self == .createml || self == .huggingface
    limits.isImportable = ImportFormat(rawValue: rawValue) != nil && !isOneWay
    return limits
  }

  private var capabilities: FormatCapabilities {
    switch self {
    case .jsonl, .webdataset, .geojson: .everything
    case .csv, .croissant: .table
    case .imagefolder, .createml, .yoloClassify:
      FormatCapabilities(hasSeveralClasses: false, hasUnlabeledPhotos: false)
    case .coco:
      // Next to a box of a class, an annotation without a box would be a second object.
      FormatCapabilities(
        boxes: .replacing, outlines: .additional, hasCrowds: true, absence: .withoutDetails,
        hasConfidence: true, hasAnnotators: true, states: [.predicted, .disputed], hasTexts: true,
        hasPhotoMetadata: true)
    case .yolo: FormatCapabilities(boxes: .required, hasUnlabeledPhotos: false)
    case .yoloSegment:
      FormatCapabilities(boxes: .required, outlines: .required, hasUnlabeledPhotos: false)
    case .voc: FormatCapabilities(boxes: .additional, absence: .withoutDetails)
    case .labelme: FormatCapabilities(boxes: .additional, outlines: .additional)
    case .labelStudio:
      FormatCapabilities(
        boxes: .additional, hasConfidence: true, states: [.predicted], hasPhotoMetadata: true)
    case .huggingface:
      FormatCapabilities(
        boxes: .additional, absence: .withoutDetails, hasConfidence: true, hasAnnotators: true,
        states: [.predicted, .disputed], hasPhotoMetadata: true)
    case .fiftyone:
      FormatCapabilities(
        boxes: .additional, hasConfidence: true, hasAnnotators: true,
        states: [.predicted, .disputed])
    case .cvat:
      FormatCapabilities(boxes: .additional, outlines: .additional, states: [.predicted])
    case .darwinCore:
      FormatCapabilities(
        absence: .withDetails, hasAnnotators: true, states: [.predicted, .disputed],
        hasUnlabeledPhotos: false, hasPhotoMetadata: true)
    }
  }

  /// - Parameters:
  ///   - classes: The classes of the photos, if the format needs them.
  ///   - subsets: The subsets that the photos are divided into, if the format needs the classes.
  func writer(
    _ output: FormatOutput, classes: [AnnotationClass], subsets: Set<String>
  ) throws -> any FormatWriter {
    switch self {
    case .csv: try CSVWriter(output)
    case .jsonl: try JSONLinesWriter(output)
    case .imagefolder, .createml: ImageFolderWriter(output)
    case .coco: COCOWriter(output, classes)
    case .yolo: try YOLOWriter(output, classes, subsets)
    case .yoloSegment: try YOLOWriter(output, classes, subsets, writesOutlines: true)
    case .yoloClassify: ImageFolderWriter(output, defaultSplit: "train")
    case .voc: VOCWriter(output)
    case .labelme: LabelMeWriter(output)
    case .labelStudio: try LabelStudioWriter(output, classes)
    case .huggingface: HuggingFaceWriter(output)
    case .webdataset: WebDatasetWriter(output, classes)
    case .geojson: try GeoJSONWriter(output)
    case .croissant: try CroissantWriter(output)
    case .fiftyone: try FiftyOneWriter(output, classes)
    case .cvat: try CVATWriter(output, classes)
    case .darwinCore: try DarwinCoreWriter(output)
    }
  }
}

/// A writer of photos in one format, one at a time.
protocol FormatWriter: AnyObject {
  /// Writes a photo, already reduced to what the format can hold.
  func write(_ photo: AnnotatedPhoto) throws
  /// Writes the end of the files; called once, after the last photo.
  func finish() throws
}
