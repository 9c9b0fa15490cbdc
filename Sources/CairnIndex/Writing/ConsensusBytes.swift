internal import CairnDocument
internal import CairnMerge
internal import CairnMetrics

// A consensus estimate as stored in the index: integers and doubles of eight bytes, little-endian;
// texts preceded by their length. Doubles round-trip exactly.

extension Consensus {
  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.put(people.count)
    for person in people { writer.put(person.description) }
    writer.put(categories.count)
    // The empty text stands for nil, since no key is empty.
    for category in categories { writer.put(category?.text ?? "") }
    writer.put(estimate.items)
    for truth in estimate.classCounts { writer.put(truth) }
    writer.put(estimate.cells.count)
    for (cell, count) in estimate.cells.sorted(by: { $0.key < $1.key }) {
      for number in [cell.annotator, cell.truth, cell.category] { writer.put(number) }
      writer.put(count)
    }
    return writer.bytes
  }

  /// Returns nil when the bytes are not an estimate.
  init?(bytes: [UInt8]) {
    var reader = ByteReader(bytes[...])
    guard
      let people = reader.list({ $0.text().flatMap { Annotator($0) } }),
      let categories = reader.list({ reader -> ClassKey?? in
        reader.text().map { $0.isEmpty ? nil : ClassKey($0) }
      }), let items = reader.number()
    else { return nil }
    var classCounts: [Double] = []
    for _ in categories {
      guard let truth = reader.double() else { return nil }
      classCounts.append(truth)
    }
    guard
      let cells = reader.list({ reader -> (ConsensusEstimate.Cell, Double)? in
        guard let annotator = reader.number(), let truth = reader.number(),
          let category = reader.number(), let count = reader.double()
        else { return nil }
        let cell = ConsensusEstimate.Cell(annotator: annotator, truth: truth, category: category)
        return (cell, count)
      })
    else { return nil }
    self.init(
      people: people, categories: categories,
      estimate: ConsensusEstimate(
        items: items, classCounts: classCounts, cells: Dictionary(cells) { $1 }))
  }
}

private struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ number: Int) { put(UInt64(bitPattern: Int64(number))) }
  mutating func put(_ number: Double) { put(number.bitPattern) }

  mutating func put(_ text: String) {
    put(text.utf8.count)
    bytes += Array(text.utf8)
  }

  private mutating func put(_ bits: UInt64) {
    withUnsafeBytes(of: bits.littleEndian) { bytes.append(contentsOf: $0) }
  }
}

private struct ByteReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func number() -> Int? { bits().map { Int(Int64(bitPattern: $0)) } }

  mutating func double() -> Double? { bits().map { Double(bitPattern: $0) } }

  mutating func text() -> String? {
    guard let count = number(), 0...rest.count ~= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return String(decoding: rest.prefix(count), as: UTF8.self)
  }

  mutating func list<Element>(_ element: (inout ByteReader) -> Element?) -> [Element]? {
    // Each element takes at least eight bytes.
    guard let count = number(), 0...rest.count / 8 ~= count else { return nil }
    var list: [Element] = []
    for _ in 0..<count {
      guard let one = element(&self) else { return nil }
      list.append(one)
    }
    return list
  }

  private mutating func bits() -> UInt64? {
    if rest.count < 8 { return nil }
    defer { rest = rest.dropFirst(8) }
    return rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
