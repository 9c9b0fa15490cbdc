internal import CairnDocument
internal import CairnIndex
internal import CairnMerge
package import CairnReview

extension Dataset {
  /// Returns the completion for class names being typed: the classes of the dataset by display
  /// name, key and alias.
  package func classCompletion() throws(CairnError) -> ClassCompletion {
    try translating {
      let classes = try query { try $0.classes() }.filter { !$0.removed.value }
      let table = ClassTable(classes)
      let named = classes.filter {
        table.canonicalKey(of: $0.key) == $0.key && $0.key != .favorite
      }
      return ClassCompletion(
        named.map { labelClass in
          let aliases = table.aliases(of: labelClass.key)
          return (
            labelClass.name.value, labelClass.key,
            aliases.flatMap { [$0.text, table.name(of: $0)] }
          )
        })
    }
  }
}
