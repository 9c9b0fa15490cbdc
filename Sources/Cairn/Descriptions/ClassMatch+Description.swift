package import CairnDocument
package import CairnMerge

extension ClassMatch {
  /// Describes the classes that a name matches: `“tree” matches 2 classes: ash, elm`.
  package static func ambiguity(of name: String, _ keys: [ClassKey]) -> String {
    let list = keys.prefix(5).map(\.text).joined(separator: ", ")
    return "“\(name)” matches \(keys.count) classes: \(list)"
  }
}
