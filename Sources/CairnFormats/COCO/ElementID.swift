internal import CairnDocument

/// The id of an element in a file: a number, or a text in COCO Camera Traps.
enum ElementID: Hashable, Comparable, CustomStringConvertible {
  case number(Int)
  case text(String)

  /// Creates an id; nil unless the value is an integer or a text of at most 256 bytes.
  init?(_ json: JSON?) {
    if let number = json?.int {
      self = .number(number)
    } else if let text = json?.string, text.utf8.count <= 256 {
      self = .text(text)
    } else {
      return nil
    }
  }

  var description: String {
    switch self {
    case .number(let number): String(number)
    case .text(let text): text
    }
  }
}
