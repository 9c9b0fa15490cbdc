internal import CairnDocument

/// The person that an imported file names as the author of a label.
package struct ImportedAnnotator: Hashable, Sendable, CustomStringConvertible {
  /// What the file calls the person: an email address, a user name, an id. Never empty.
  package let names: [String]

  /// Creates an annotator; nil when every name is missing or blank.
  package init?(_ names: String?...) {
    let given = names.compactMap { $0?.trimmingSpaces() }.filter { !$0.isEmpty }
    if given.isEmpty { return nil }
    self.names = given
  }

  /// The email address, if the file has one.
  package var email: String? { names.first { ImportedAnnotator.isAddress($0) } }

  /// The name to show in messages: the address, otherwise the first name.
  package var description: String { email ?? names[0] }

  /// Returns whether a text has the form of an email address.
  package static func isAddress(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty && !text.contains(" ")
  }
}

extension ImportedLabel {
  /// Attributes the label to the annotators in the file: `human:ADDRESS` and `model:NAME@VERSION`,
  /// as cairn's own exports write them, or any other name of a person. People come before models: a
  /// label that both gave is the people's. Without names, the label stays unchanged.
  mutating func attribute(to texts: [String]) {
    let names = texts.map { $0.trimmingSpaces() }.filter { !$0.isEmpty }
    let models = names.filter { $0.hasPrefix(ImportedLabel.model) }
    let people = names.filter { !$0.hasPrefix(ImportedLabel.model) }.compactMap { name in
      ImportedAnnotator(
        name.hasPrefix(ImportedLabel.human)
          ? String(name.dropFirst(ImportedLabel.human.count)) : name)
    }
    if !people.isEmpty {
      (annotators, isByPerson, model) = (people, true, nil)
    } else if models.count == 1 {
      (annotators, isByPerson) = ([], false)
      model = String(models[0].dropFirst(ImportedLabel.model.count))
    }
  }

  private static let human = "human:"
  private static let model = "model:"
}
