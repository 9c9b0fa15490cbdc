internal import CairnBase
internal import CairnDocument

/// A writer of a text file of boxes or outlines per image, and of `data.yaml` with the class names.
///
/// Source: Ultralytics “Object Detection Datasets”: `class x-center y-center width height`, in
/// fractions; “Instance Segmentation Datasets”: `class x y x y …`, one object per line. A reader
/// that finds both in a dataset uses only the boxes, so an export has one kind. `data.yaml` without `path` is read relative to itself, and has to name a `val`.
final class YOLOWriter: FormatWriter {
  private let output: FormatOutput
  private let classes: [AnnotationClass]
  private let numbers: [ClassKey: Int]
  private let writesOutlines: Bool
  private var splits: Set<String> = []

  /// - Parameter writesOutlines: Whether to write outlines instead of boxes.
  init(_ output: FormatOutput, _ classes: [AnnotationClass], writesOutlines: Bool = false) {
    self.writesOutlines = writesOutlines
    (self.output, self.classes) = (output, classes)
    numbers = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1.key, $0) })
  }

  func write(_ photo: AnnotatedPhoto) throws {
    let split = photo.split ?? "train"
    splits.insert(split)
    _ = try output.placeImage(photo, in: "images/\(split)")
    var rows = ""
    for label in photo.labels {
      for region in label.boxes.map(\.region) {
        let values =
          writesOutlines
          ? region.polygons.singleRing.flatMap { [$0.x, $0.y] }
          : [
            region.x + region.width / 2, region.y + region.height / 2, region.width,
            region.height,
          ]
        let numbers = values.map { JSONNumber($0).text }
        rows += "\(self.numbers[label.labelClass.key] ?? 0) "
        rows += numbers.joined(separator: " ") + "\n"
      }
    }
    try output.write(Array(rows.utf8), to: "labels/\(split)/\(photo.id).txt")
  }

  func finish() throws {
    // Training on a test split would leak the answers.
    guard splits.count < 2 || splits.isSuperset(of: ["train", "val"]) else {
      throw FormatError(
        ImportedLocation("data.yaml"),
        "yolo requires the subsets “train” and “val”, but the split has "
          + splits.sorted().joined(separator: ", "))
    }
    var directories: [(split: String, path: String)] = []
    for split in ["train", "val"] {
      let other = splits.contains(split) ? split : splits.sorted().first ?? split
      directories.append((split, "images/\(other)"))
    }
    for split in splits.subtracting(["train", "val"]).sorted() {
      directories.append((split, "images/\(split)"))
    }
    let text = try ClassYAML.text(directories: directories, names: classes.map(\.key.text))
    try output.write(Array(text.utf8), to: "data.yaml")
  }
}
