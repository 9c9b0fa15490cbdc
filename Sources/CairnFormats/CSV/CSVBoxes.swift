internal import CairnBase
internal import CairnDocument

/// The boxes in a table's rows.
struct CSVBoxes {
  private let roles: [CSVRole]
  private let columns: [Int]
  private let unit: CSVColumns.Unit
  private let allowsDecimalComma: Bool

  /// The number of rows with boxes that show their unit.
  private static let sampleRows = 1000

  /// - Parameter rows: The rows, which show the unit: no number in fractions of an image exceeds 2.
  init?(_ columns: CSVColumns, _ dialect: CSVDialect, rows: CSVTable) {
    guard let roles = columns.box else { return nil }
    self.roles = roles
    self.columns = roles.compactMap { columns.roles[$0] }
    allowsDecimalComma = dialect.allowsDecimalComma
    if let given = columns.unit {
      unit = given
      return
    }
    var (rows, count, hasPixels) = (rows, 0, false)
    while !hasPixels, count < CSVBoxes.sampleRows, let row = try? rows.next("") {
      guard let numbers = CSVBoxes.numbers(row, self.columns, allowsDecimalComma) else { continue }
      count += 1
      hasPixels = numbers.contains { abs($0) > 2 }
    }
    unit = hasPixels ? .pixels : .fractions
  }

  /// A box with a cell that cannot be read.
  struct NoNumber: Error {}

  /// Returns the box of a row; nil when its cells are empty.
  func box(_ row: [String]) throws(NoNumber) -> ImportedBox? {
    let isEmpty = columns.allSatisfy { row[$0].utf8.allSatisfy { $0 == 0x20 } }
    if isEmpty { return nil }
    guard let numbers = CSVBoxes.numbers(row, columns, allowsDecimalComma) else { throw NoNumber() }
    var (x, y, width, height) = (numbers[0], numbers[1], numbers[2], numbers[3])
    if roles.contains(.x1) {
      (x, width) = (min(numbers[0], numbers[2]), abs(numbers[2] - numbers[0]))
      (y, height) = (min(numbers[1], numbers[3]), abs(numbers[3] - numbers[1]))
    } else if roles.contains(.xCenter) {
      (x, y) = (x - width / 2, y - height / 2)
    }
    return switch unit {
    case .fractions: .fractions(NormalizedRect(x: x, y: y, width: width, height: height))
    case .pixels: .pixels(x: x, y: y, width: width, height: height)
    }
  }

  /// Returns the four numbers of a row's box; nil when they are not four finite numbers.
  private static func numbers(
    _ row: [String], _ columns: [Int], _ allowsDecimalComma: Bool
  ) -> [Double]? {
    guard columns.allSatisfy({ $0 < row.count }) else { return nil }
    var cells = columns.map { row[$0] }
    if cells.count == 1 {
      cells = cells[0].split { " ,;[](){}".contains($0) }.map(String.init)
    }
    let numbers = cells.compactMap { csvNumber($0, allowsDecimalComma) }
    return numbers.count == 4 && cells.count == 4 ? numbers : nil
  }
}

/// Returns the finite number in a cell.
func csvNumber(_ cell: String, _ allowsDecimalComma: Bool) -> Double? {
  var text = cell.trimmingSpaces()
  if allowsDecimalComma, !text.contains(".") { text = text.replacing(",", with: ".") }
  return Double(text).flatMap { $0.isFinite ? $0 : nil }
}
