/// The name and email address of a person, recorded with labels and commits.
public struct Author: Equatable, Sendable {
  public let name: String
  public let email: String

  public init(name: String, email: String) { (self.name, self.email) = (name, email) }
}
