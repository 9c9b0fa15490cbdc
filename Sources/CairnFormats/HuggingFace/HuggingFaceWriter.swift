internal import CairnBase
internal import CairnDocument

/// A writer of a directory per split, with its images and a `metadata.parquet` with a row per
/// image.
///
/// The reader compares the column types of all splits, and infers those of JSON and CSV from the
/// first rows: it cannot infer them for a split without boxes or locations. Parquet declares them.
/// Boxes are in pixels from the top left corner. Source: Hugging Face Datasets, “Create an image
/// dataset”, and its `folder_based_builder.py`.
final class HuggingFaceWriter: FormatWriter {
  private let output: FormatOutput
  private var tables: [String: Table] = [:]

  init(_ output: FormatOutput) { self.output = output }

  func write(_ photo: AnnotatedPhoto) throws {
    let split = photo.split ?? "train"
    let table = try tables[split] ?? Table(output.open("\(split)/metadata.parquet"))
    tables[split] = table
    let path = try output.placeImage(photo, in: split)
    try table.write(photo, path.split(separator: "/").last.map(String.init) ?? path)
  }

  func finish() throws { for table in tables.values { try table.close() } }

  private final class Table {
    private let file = ParquetColumn("file_name", .text, .one)
    private let photo = ParquetColumn("photo", .text, .one)
    private let label = ParquetColumn("label", .text, .oneOrNone)
    private let labels = ParquetColumn("labels", .text, .list)
    private let confidences = ParquetColumn("confidences", .number, .list)
    private let states = ParquetColumn("states", .text, .list)
    private let annotators = ParquetColumn("annotators", .text, .list)
    private let rejected = ParquetColumn("rejected", .text, .list)
    private let boxes = ParquetColumn("bbox", in: "objects", .number, .listOfLists)
    private let categories = ParquetColumn("categories", in: "objects", .text, .list)
    private let scores = ParquetColumn("scores", in: "objects", .number, .list)
    private let boxAnnotators = ParquetColumn("annotators", in: "objects", .text, .list)
    private let metadata = PhotoColumn.allCases.map {
      ParquetColumn($0.rawValue, $0.isNumber ? .number : .text, .oneOrNone)
    }
    private let width = ParquetColumn("width", .integer, .one)
    private let height = ParquetColumn("height", .integer, .one)
    private let output: ParquetOutput

    init(_ file: OutputFile) throws {
      output = try ParquetOutput(
        file,
        [
          self.file, photo, label, labels, confidences, states, annotators, rejected, boxes,
          categories, scores, boxAnnotators,
        ] + metadata + [width, height])
    }

    func write(_ row: AnnotatedPhoto, _ fileName: String) throws {
      file.add(fileName)
      photo.add(row.id.description)
      label.add(row.best?.labelClass.key.text)
      let present = row.labels.filter { $0.state != .rejected }
      let keys = present.map(\.labelClass.key.text)
      labels.add(keys)
      confidences.add(present.map(\.confidence))
      states.add(present.map(\.state.rawValue))
      annotators.add(present.map { $0.annotators.map(\.description).joined(separator: " ") })
      rejected.add(row.labels.filter { $0.state == .rejected }.map(\.labelClass.key.text))
      let drawn = present.flatMap { label in label.boxes.map { (label: label, box: $0) } }
      boxes.add(
        drawn.map { $0.box.region.pixels(row.image) }.map { [$0.x, $0.y, $0.width, $0.height] })
      categories.add(drawn.map(\.label.labelClass.key.text))
      scores.add(drawn.map(\.box.confidence))
      boxAnnotators.add(drawn.map(\.box.annotator.description))
      for (photoColumn, column) in zip(PhotoColumn.allCases, metadata) {
        let value = photoColumn.value(of: row)
        if photoColumn.isNumber { column.add(value?.double) } else { column.add(value?.string) }
      }
      width.add(row.image.width)
      height.add(row.image.height)
      try output.endRow()
    }

    func close() throws { try output.close() }
  }
}
