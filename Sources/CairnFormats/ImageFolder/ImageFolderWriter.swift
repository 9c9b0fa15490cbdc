internal import CairnDocument

/// A writer of one directory per class with its photos: `[train/]dog/3fa9….jpg`. A photo that it
/// receives with several classes is in each of them.
///
/// Source: torchvision `datasets/folder.py`; Create ML `MLImageClassifier.DataSource`
/// `labeledDirectories`; Ultralytics “Image Classification Datasets”, where classes are below a
/// split.
final class ImageFolderWriter: FormatWriter {
  private let output: FormatOutput
  private let defaultSplit: String?

  /// - Parameter defaultSplit: The split of all photos when the dataset is not split.
  init(_ output: FormatOutput, defaultSplit: String? = nil) {
    (self.output, self.defaultSplit) = (output, defaultSplit)
  }

  func write(_ photo: AnnotatedPhoto) throws {
    for label in photo.labels {
      let key = label.labelClass.key.text
      let directory = (photo.split ?? defaultSplit).map { "\($0)/\(key)" } ?? key
      _ = try output.placeImage(photo, in: directory)
    }
  }

  func finish() throws {}
}
