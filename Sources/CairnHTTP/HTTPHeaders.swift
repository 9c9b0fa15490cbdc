/// The ordered header fields of a request or response, with case-insensitive names.
///
/// Their values may be secret, so no description shows them.
package struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral, CustomStringConvertible,
  CustomReflectable
{
  package private(set) var fields: [(name: String, value: String)]

  package init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { (name: $0.0, value: $0.1) }
  }

  /// The first value of a field; setting it replaces all fields with that name.
  package subscript(name: String) -> String? {
    get { fields.first { HTTPHeaders.isSame($0.name, name) }?.value }
    set {
      fields.removeAll { HTTPHeaders.isSame($0.name, name) }
      if let newValue { fields.append((name, newValue)) }
    }
  }

  package mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

  /// Whether every name and value fits on one line: values taken from a server may be hostile.
  var isSafe: Bool {
    fields.allSatisfy { name, value in
      !name.isEmpty
        && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
        && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
  }

  private static func isSame(_ a: String, _ b: String) -> Bool {
    a.utf8.elementsEqual(b.utf8) || a.lowercased() == b.lowercased()
  }

  package var description: String { fields.map(\.name).joined(separator: ", ") }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
