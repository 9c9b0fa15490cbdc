internal import CairnIndex
internal import CairnMerge
public import CairnReview

extension Dataset {
  /// Returns the completion for class names being typed: the classes of the dataset by display
  /// name, key and alias.
  public func classCompletion() throws(CairnError) -> ClassCompletion {
    try translating {
      ClassCompletion(ClassTable(try query { try $0.classes() }, indexingNames: true))
    }
  }
}
