public import CairnFiles
public import SystemPackage

/// The formats that labels are read from.
public enum ImportFormat: String, Sendable, CaseIterable {
  case csv, jsonl, imagefolder, coco, yolo
  case yoloClassify = "yolo-classify"
  case voc
  case labelStudio = "label-studio"
  case labelme, geojson

  /// The names of the files that a directory of this format has; none where it is the directory.
  var fileNames: [String] {
    switch self {
    case .csv: ["labels.csv"]
    case .jsonl: ["photos.jsonl", "metadata.jsonl"]
    case .labelStudio: ["tasks.json"]
    case .geojson: ["photos.geojson"]
    default: []
    }
  }
}

/// What the directories at the top of folders of images are.
public enum FolderLayout: String, Sendable, CaseIterable {
  case classes, parts
}

/// Calls `take` for everything that files of a format say, as they are read.
///
/// - Parameters:
///   - path: A file or a directory.
///   - scratch: A directory for copies of large files, of which nothing is left.
///   - folders: What the directories at the top are, of ``ImportFormat/imagefolder``; nil to tell by
///     their names.
/// - Throws: ``FormatError`` when it cannot be read any further.
public func readForeign(
  _ format: ImportFormat, at path: FilePath, files: FileSystem, scratch: FilePath,
  folders: FolderLayout? = nil, _ take: @escaping (ForeignItem) throws -> Void
) throws {
  let source = try ForeignSource(path, format, files: files, scratch: scratch, take)
  switch format {
  case .csv: try CSVReader(source).read()
  case .jsonl: try JSONLinesReader(source).read()
  case .imagefolder: try ImageFolderReader(source, folders).read()
  case .yoloClassify: try ImageFolderReader(source, .parts).read()
  case .coco: try COCOReader(source).read()
  case .yolo: try YOLOReader(source).read()
  case .voc: try VOCReader(source).read()
  case .labelStudio: try LabelStudioReader(source).read()
  case .labelme: try LabelMeReader(source).read()
  case .geojson: try GeoJSONReader(source).read()
  }
  try source.tellIgnored()
}

/// Why files cannot be read as a format.
public struct FormatError: Error, Equatable, Sendable, CustomStringConvertible {
  public let place: ForeignPlace
  /// Without its full stop.
  public let message: String

  init(_ place: ForeignPlace, _ message: String) { (self.place, self.message) = (place, message) }

  public var description: String { "\(place): \(message)" }
}
