internal import CairnDocument

/// A mask as COCO has it: the lengths of runs of background and foreground by turns, beginning with
/// background, down the columns from left to right.
///
/// Source: pycocotools, `common/maskApi.h` and `maskApi.c`.
struct RunLengthMask: Equatable {
  let width: Int
  let height: Int
  let counts: [Int]

  /// The maximum width and height in pixels, and the maximum number of runs.
  static let sideLimit = 100_000
  static let runLimit = 4_000_000

  /// Creates a mask; nil unless the runs fill the image exactly.
  init?(width: Int, height: Int, counts: [Int]) {
    let sides = 1...RunLengthMask.sideLimit
    guard sides ~= width, sides ~= height, counts.count <= RunLengthMask.runLimit else {
      return nil
    }
    var sum = 0
    for count in counts {
      // A sum of so many numbers of so few bits does not overflow.
      guard 0...(width * height) ~= count else { return nil }
      sum += count
    }
    guard sum == width * height else { return nil }
    (self.width, self.height, self.counts) = (width, height, counts)
  }

  /// Reads `{"size": [height, width], "counts": …}`, with counts as a list or as text; nil if it is
  /// not a mask.
  init?(json: JSON) {
    guard let size = json["size"]?.array?.compactMap(\.int), size.count == 2 else { return nil }
    if let text = json["counts"]?.string {
      guard let counts = RunLengthMask.counts(of: text) else { return nil }
      self.init(width: size[1], height: size[0], counts: counts)
    } else if let array = json["counts"]?.array {
      let counts = array.compactMap(\.int)
      guard counts.count == array.count else { return nil }
      self.init(width: size[1], height: size[0], counts: counts)
    } else {
      return nil
    }
  }

  /// The mask as `{"size": [height, width], "counts": [1, 2, …]}`, which every reader of COCO takes.
  var json: JSON {
    ["size": [JSON(height), JSON(width)], "counts": .array(counts.map { JSON($0) })]
  }

  /// Returns the counts of a compressed mask; nil if the text is not one.
  ///
  /// Each number is written in groups of five bits, the lowest first, in characters from “0” on; the
  /// sixth bit says that another group follows, and the highest bit of the last one is the sign.
  /// From the fourth number on, the difference to the last but one is written. Source: `rleFrString`
  /// in `maskApi.c`.
  static func counts(of text: String) -> [Int]? {
    var counts: [Int] = []
    var (value, shift) = (0, 0)
    for byte in text.utf8 {
      guard 48..<112 ~= byte, shift <= 30, counts.count < runLimit else { return nil }
      let group = Int(byte) - 48
      value |= (group & 0x1F) << shift
      shift += 5
      if group & 0x20 != 0 { continue }
      if group & 0x10 != 0 { value |= -1 << shift }
      if counts.count > 2 { value += counts[counts.count - 2] }
      counts.append(value)
      (value, shift) = (0, 0)
    }
    return shift == 0 ? counts : nil
  }

  /// The number of pixels in the foreground.
  var area: Int { stride(from: 1, to: counts.count, by: 2).reduce(0) { $0 + counts[$1] } }

  /// The foreground of each column, from left to right: sorted ranges of rows that do not touch.
  var columns: [[Range<Int>]] {
    var columns = [[Range<Int>]](repeating: [], count: width)
    var position = 0
    for (index, count) in counts.enumerated() {
      let end = position + count
      if !index.isMultiple(of: 2) {
        while position < end {
          let column = position / height
          let columnEnd = min(end, (column + 1) * height)
          let start = column * height
          columns[column].appendMerging(position - start..<columnEnd - start)
          position = columnEnd
        }
      }
      position = end
    }
    return columns
  }
}

extension [Range<Int>] {
  /// Appends a range that starts no earlier than the last one; joins the two if they touch.
  mutating func appendMerging(_ range: Range<Int>) {
    if let last, range.lowerBound <= last.upperBound {
      self[count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
    } else if !range.isEmpty {
      append(range)
    }
  }
}
