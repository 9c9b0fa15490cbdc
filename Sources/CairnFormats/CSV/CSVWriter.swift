internal import CairnBase
internal import CairnDocument

/// A writer of CSV with a row per box and per label of a whole photo; a photo without labels has
/// one row without a class. Source: RFC 4180.
final class CSVWriter: FormatWriter {
  static let columns =
    [
      "file_name", "photo", "label", "name", "state", "confidence", "x", "y", "width", "height",
      "annotators", "text", "split",
    ] + PhotoColumn.allCases.map(\.rawValue) + ["image_width", "image_height"]

  private let output: FormatOutput
  private let file: OutputFile

  init(_ output: FormatOutput, name: String = "labels.csv") throws {
    self.output = output
    file = try output.open(name)
    try file.write(csvRow(CSVWriter.columns))
  }

  func write(_ photo: AnnotatedPhoto) throws {
    let path = try output.placeImage(photo, in: "images")
    if photo.labels.isEmpty { try write(path, photo, nil) }
    for label in photo.labels {
      for exported in label.exportedLabels { try write(path, photo, exported) }
    }
  }

  private func write(
    _ path: String, _ photo: AnnotatedPhoto, _ exported: ExportedLabel?
  ) throws {
    let label = exported?.label
    let box = exported?.region.map {
      [$0.x, $0.y, $0.width, $0.height].map { JSONNumber($0).text }
    }
    var cells = [
      path, photo.id.description, label?.labelClass.key.text ?? "",
      label?.labelClass.name ?? "", label?.state.rawValue ?? "",
      exported.map { JSONNumber($0.confidence).text } ?? "",
    ]
    cells += box ?? ["", "", "", ""]
    cells += [
      (exported?.annotators ?? []).map(\.description).joined(separator: " "),
      exported?.text ?? "", photo.split ?? "",
    ]
    for column in PhotoColumn.allCases {
      let value = column.value(of: photo)
      cells.append(value?.string ?? value?.double.map { JSONNumber($0).text } ?? "")
    }
    try file.write(csvRow(cells + [String(photo.image.width), String(photo.image.height)]))
  }

  func finish() throws { try file.close() }
}
