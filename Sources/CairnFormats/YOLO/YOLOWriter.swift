internal import CairnBase
internal import CairnDocument

/// A format requires subsets of which it can hold no photo.
package struct EmptySubsetsError: Error {
  package let missing: [String]
  /// The subsets with photos that the format can hold, sorted.
  package let filled: [String]
}

/// A writer of a text file of boxes or outlines per image, and of `data.yaml` with the class names.
///
/// Source: Ultralytics “Object Detection Datasets”: `class x-center y-center width height`, in
/// fractions; “Instance Segmentation Datasets”: `class x y x y …`, one object per line. A reader
/// that finds both in a dataset uses only the boxes, so an export has one kind. `data.yaml` without `path` is read relative to itself, and has to name a `val`.
final class YOLOWriter: FormatWriter {
  private let output: FormatOutput
  private let classes: [AnnotationClass]
  private let numbers: [ClassKey: Int]
  private let subsets: Set<String>
  private let writesOutlines: Bool

  /// - Parameters:
  ///   - subsets: The subsets with photos; none if the dataset is not divided, which is then for
  ///     training and validation.
  ///   - writesOutlines: Whether to write outlines instead of boxes.
  init(
    _ output: FormatOutput, _ classes: [AnnotationClass], _ subsets: Set<String>,
    writesOutlines: Bool = false
  ) throws {
    let missing = ["train", "val"].filter { !subsets.contains($0) }
    // Training on a test split would leak the answers, and so would validation on what was trained.
    guard subsets.isEmpty || missing.isEmpty else {
      throw EmptySubsetsError(missing: missing, filled: subsets.sorted())
    }
    (self.output, self.classes, self.subsets) = (output, classes, subsets)
    self.writesOutlines = writesOutlines
    numbers = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1.key, $0) })
  }

  func write(_ photo: AnnotatedPhoto) throws {
    let split = photo.split ?? "train"
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
    var directories = [
      ("train", "images/train"), ("val", "images/\(subsets.isEmpty ? "train" : "val")"),
    ]
    for split in subsets.subtracting(["train", "val"]).sorted() {
      directories.append((split, "images/\(split)"))
    }
    let text = try ClassYAML.text(directories: directories, names: classes.map(\.key.text))
    try output.write(Array(text.utf8), to: "data.yaml")
  }
}
