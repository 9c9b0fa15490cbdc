internal import CairnDocument
internal import GRDB

/// A query for rows of labels, converted to labels.
final class LabelRows {
  private let rows: PreparedStatement
  private let names: KeyCache
  /// Numbers by value: their texts are expensive to make, and most have few digits.
  private var confidences: [Double: JSONNumber] = [:]

  /// - Parameter selection: The end of the statement, from WHERE on.
  init(_ db: Database, _ names: KeyCache, _ selection: String) throws {
    self.names = names
    rows = try PreparedStatement(
      db,
      """
      SELECT photo, class, annotator, verdict, said, tick, confidence, run, region, words, source
      FROM label
      \(selection)
      """)
  }

  /// Returns a photo's labels, sorted by the names of their documents.
  func all(of photo: PhotoID, key: Int64) throws -> [Label] {
    rows.bind(key, at: 1)
    var labels: [(name: String, label: Label)] = []
    while try rows.step() {
      guard let (label, tag) = try label(of: photo) else { continue }
      let region = label.region.map { "~\($0.id)" } ?? ""
      labels.append(("\(label.classKey)~\(tag)\(region)", label))
    }
    return labels.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }.map(\.label)
  }

  /// Calls `visit` with the labels of each photo, unsorted, by row key.
  func forEachPhoto(
    id: (Int64) throws -> PhotoID?, _ visit: (Int64, [Label]) throws -> Void
  ) throws {
    var current: (key: Int64, id: PhotoID)?
    var labels: [Label] = []
    while try rows.step() {
      let key = rows.int(0)
      if current?.key != key {
        if let current { try visit(current.key, labels) }
        labels.removeAll(keepingCapacity: true)
        current = try id(key).map { (key, $0) }
      }
      if let current, let (label, _) = try label(of: current.id) { labels.append(label) }
    }
    if let current { try visit(current.key, labels) }
  }

  /// Returns the label of the current row, and its annotator's tag.
  private func label(of photo: PhotoID) throws -> (Label, tag: String)? {
    guard let classKey = try names.classKey(rows.int(1)),
      let (annotator, tag) = try names.annotator(rows.int(2)),
      let verdict = Verdict(number: rows.int(3))
    else { return nil }
    var label = Label(
      photo: photo, classKey: classKey, annotator: annotator, verdict: verdict,
      region: rows.isNull(8) ? nil : try Region(json: try JSON(bytes: rows.blob(8))),
      run: rows.isNull(7) ? nil : try names.run(rows.int(7)),
      stamp: Stamp(milliseconds: rows.int(4), tick: rows.int(5)))
    label.exactConfidence = confidence(rows.double(6))
    if !rows.isNull(9) { label.text = rows.text(9) }
    if !rows.isNull(10) { label.source = rows.text(10) }
    return (label, tag)
  }

  private func confidence(_ value: Double) -> JSONNumber {
    if let known = confidences[value] { return known }
    if confidences.count > 20_000 { confidences = [:] }
    let number = JSONNumber(value)
    confidences[value] = number
    return number
  }
}
