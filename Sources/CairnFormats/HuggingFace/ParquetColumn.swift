/// The values of one column of a Parquet file, encoded as a page.
///
/// Levels record which values are null and where lists begin. Source: Apache Parquet, “File
/// Format”: “Nested Encoding”, “Data Pages”, “Plain”, “RLE”; the names of lists from “Nested
/// Types”.
final class ParquetColumn {
  enum Value: Int {
    case integer = 2
    case number = 5
    case text = 6
  }

  /// The number of values in a row.
  enum Shape {
    case one
    case oneOrNone
    case list
    case listOfLists

    var definitionLimit: Int {
      switch self {
      case .one: 0
      case .oneOrNone, .list: 1
      case .listOfLists: 2
      }
    }

    var repetitionLimit: Int { self == .one || self == .oneOrNone ? 0 : definitionLimit }
  }

  /// The name, relative to the group that contains it.
  let name: String
  let group: String?
  let value: Value
  let shape: Shape

  private var values: [UInt8] = []
  private var definitions = LevelRuns()
  private var repetitions = LevelRuns()
  private(set) var count = 0

  init(_ name: String, in group: String? = nil, _ value: Value, _ shape: Shape) {
    (self.name, self.group, self.value, self.shape) = (name, group, value, shape)
  }

  // MARK: Rows

  func add(_ text: String?) {
    if let text { append(text) }
    level(definition: text == nil ? 0 : 1, repetition: 0)
  }

  func add(_ number: Double?) {
    if let number { append(number.bitPattern) }
    level(definition: number == nil ? 0 : 1, repetition: 0)
  }

  func add(_ integer: Int) {
    append(UInt64(bitPattern: Int64(integer)))
    level(definition: 1, repetition: 0)
  }

  func add(_ texts: [String]) {
    texts.forEach(append)
    levels(ofListOf: texts.count)
  }

  func add(_ numbers: [Double]) {
    for number in numbers { append(number.bitPattern) }
    levels(ofListOf: numbers.count)
  }

  /// Adds a list of lists, none of which is empty.
  func add(_ lists: [[Double]]) {
    if lists.isEmpty { level(definition: 0, repetition: 0) }
    for (index, list) in lists.enumerated() {
      for (element, number) in list.enumerated() {
        append(number.bitPattern)
        level(definition: 2, repetition: element > 0 ? 2 : index > 0 ? 1 : 0)
      }
    }
  }

  private func levels(ofListOf size: Int) {
    if size == 0 { level(definition: 0, repetition: 0) }
    for index in 0..<size { level(definition: 1, repetition: index == 0 ? 0 : 1) }
  }

  private func level(definition: UInt8, repetition: UInt8) {
    count += 1
    if shape.definitionLimit > 0 { definitions.append(definition) }
    if shape.repetitionLimit > 0 { repetitions.append(repetition) }
  }

  private func append(_ text: String) {
    withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { values.append(contentsOf: $0) }
    values.append(contentsOf: text.utf8)
  }

  private func append(_ bits: UInt64) {
    withUnsafeBytes(of: bits.littleEndian) { values.append(contentsOf: $0) }
  }

  var size: Int { values.count }

  /// Returns the values as a page with its header, and resets the column.
  func takePage() -> [UInt8] {
    var body: [UInt8] = []
    if shape.repetitionLimit > 0 { body += repetitions.take() }
    if shape.definitionLimit > 0 { body += definitions.take() }
    body += values
    let header = Thrift.structure { page in
      page.i32(1, 0)
      page.i32(2, body.count)
      page.i32(3, body.count)
      page.structure(5) { data in
        data.i32(1, count)
        data.i32(2, 0)
        data.i32(3, 3)
        data.i32(4, 3)
      }
    }
    values.removeAll(keepingCapacity: true)
    count = 0
    return header + body
  }

  // MARK: Schema

  var path: [String] {
    let inner: [String] =
      switch shape {
      case .one, .oneOrNone: []
      case .list: ["list", "element"]
      case .listOfLists: ["list", "element", "list", "element"]
      }
    return (group.map { [$0] } ?? []) + [name] + inner
  }

  /// The schema elements, parents before children.
  var schema: [[UInt8]] {
    let depth = shape.repetitionLimit
    var elements: [[UInt8]] = []
    for level in 0..<depth {
      elements.append(
        ParquetColumn.element(level == 0 ? name : "element", children: 1, converted: 3))
      elements.append(ParquetColumn.element("list", repetition: 2, children: 1))
    }
    let isOptional = shape == .oneOrNone
    return elements + [
      ParquetColumn.element(
        depth == 0 ? name : "element", value, repetition: isOptional ? 1 : 0,
        converted: value == .text ? 0 : nil)
    ]
  }

  /// - Parameters:
  ///   - repetition: 0 required, 1 optional, 2 repeated.
  ///   - converted: The converted type: 0 UTF-8 text, 3 list.
  static func element(
    _ name: String, _ value: Value? = nil, repetition: Int? = 0, children: Int? = nil,
    converted: Int? = nil
  ) -> [UInt8] {
    Thrift.structure { element in
      if let value { element.i32(1, value.rawValue) }
      if let repetition { element.i32(3, repetition) }
      element.text(4, name)
      if let children { element.i32(5, children) }
      if let converted { element.i32(6, converted) }
    }
  }
}

/// Small numbers, run-length encoded.
private struct LevelRuns {
  private var bytes: [UInt8] = []
  private var run: (level: UInt8, count: UInt64)?

  mutating func append(_ level: UInt8) {
    if let run, run.level == level {
      self.run = (level, run.count + 1)
    } else {
      flush()
      run = (level, 1)
    }
  }

  private mutating func flush() {
    if let run { bytes += Thrift.varint(run.count << 1) + [run.level] }
    run = nil
  }

  /// Returns the runs preceded by their length, and resets them.
  mutating func take() -> [UInt8] {
    flush()
    defer { bytes = [] }
    return withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { Array($0) } + bytes
  }
}
