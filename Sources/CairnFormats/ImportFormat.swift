package import CairnFiles
package import SystemPackage

/// A format that labels are imported from.
public enum ImportFormat: String, Sendable, CaseIterable {
  case csv, jsonl, imagefolder, coco, yolo
  case yoloClassify = "yolo-classify"
  case voc
  case labelStudio = "label-studio"
  case labelme, geojson, megadetector
  case camtrapDP = "camtrap-dp"
  case inaturalist
  case darwinCore = "darwin-core"
  case cvat, datumaro
  case openImages = "open-images"
  case via, supervisely, kitti, createml, huggingface, fiftyone, webdataset, croissant

  /// The file names looked for in a directory of this format; empty when the format is a directory.
  var fileNames: [String] {
    switch self {
    case .csv: ["labels.csv", "labels.tsv", "_annotations.csv", "_classes.csv"]
    case .jsonl: ["photos.jsonl", "metadata.jsonl"]
    case .labelStudio: ["tasks.json"]
    case .geojson: ["photos.geojson"]
    default: []
    }
  }
}

/// The kind of the top-level directories of an image folder.
public enum FolderLayout: String, Sendable, CaseIterable {
  case classes, subsets
}

/// Calls `take` for each item in files of a format, as it is read.
///
/// - Parameters:
///   - path: A file or a directory.
///   - scratch: A directory for temporary copies of large files, which are removed.
///   - folders: The kind of the top-level directories of ``ImportFormat/imagefolder``; nil to infer
///     it from their names.
///   - columns: The columns of ``ImportFormat/csv`` by role, for ``CSVColumns``.
/// - Throws: ``FormatError`` when reading cannot continue.
package func forEachImportedItem(
  _ format: ImportFormat, at path: FilePath, files: FileSystem, scratch: FilePath,
  folders: FolderLayout? = nil, columns: [String: String] = [:],
  _ take: @escaping (ImportedItem) throws -> Void
) throws {
  let source = try ImportReader(path, format, files: files, scratch: scratch, take)
  switch format {
  case .csv: try CSVReader(source, columns: columns).read()
  case .jsonl: try JSONLinesReader(source).read()
  case .imagefolder: try ImageFolderReader(source, folders).read()
  case .yoloClassify: try ImageFolderReader(source, .subsets).read()
  case .coco: try COCOReader(source).read()
  case .yolo: try YOLOReader(source).read()
  case .voc: try VOCReader(source).read()
  case .labelStudio: try LabelStudioReader(source).read()
  case .labelme: try LabelMeReader(source).read()
  case .geojson: try GeoJSONReader(source).read()
  case .megadetector: try MegaDetectorReader(source).read()
  case .camtrapDP: try CamtrapDPReader(source).read()
  case .inaturalist: try INaturalistReader(source).read()
  case .darwinCore: try DarwinCoreReader(source).read()
  case .cvat: try CVATReader(source).read()
  case .datumaro: try DatumaroReader(source).read()
  case .openImages: try OpenImagesReader(source).read()
  case .via: try VIAReader(source).read()
  case .supervisely: try SuperviselyReader(source).read()
  case .kitti: try KITTIReader(source).read()
  case .createml: try CreateMLReader(source).read()
  case .huggingface: try HuggingFaceReader(source).read()
  case .fiftyone: try FiftyOneReader(source).read()
  case .webdataset: try WebDatasetReader(source).read()
  case .croissant: try CroissantReader(source).read()
  }
  try source.reportIgnored()
}

/// An error that prevents files from being read as a format.
package struct FormatError: Error, Equatable, Sendable, CustomStringConvertible {
  package let location: ImportedLocation
  /// The message without a final period.
  package let message: String
  /// What to do about it; nil when there is no general advice.
  package let hint: String?

  init(_ location: ImportedLocation, _ message: String, hint: String? = nil) {
    (self.location, self.message, self.hint) = (location, message, hint)
  }

  package var description: String { "\(location): \(message)" }
}
