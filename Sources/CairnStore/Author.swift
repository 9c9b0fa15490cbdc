/// The name and email address of a person, recorded with labels and commits.
public struct Author: Equatable, Sendable {
  /// The name, as git records it.
  public let name: String
  /// The email address, which identifies the annotator.
  public let email: String

  /// Creates an author of labels and commits.
  public init(name: String, email: String) { (self.name, self.email) = (name, email) }
}
