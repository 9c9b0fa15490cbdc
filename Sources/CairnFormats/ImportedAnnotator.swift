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
