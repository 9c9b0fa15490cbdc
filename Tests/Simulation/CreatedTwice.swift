import CairnDocument

/// Two devices created the same class with different bytes.
struct CreatedTwice: Error {
  let path: String

  /// Throws if two versions of a class without a common ancestor conflict though nobody edited them.
  static func check(_ path: String, _ versions: [[UInt8]]) throws {
    guard case .class(Simulation.newClass)? = DocumentPath(path) else { return }
    let isUnedited = versions.allSatisfy {
      guard let json = try? JSON(bytes: $0), let members = json.object?.members else {
        return false
      }
      return members.map(\.key) == ["key", "kind", "name", "parent", "removed"]
        && json["name"]?["value"]?.string == Simulation.newClass.text
    }
    if isUnedited { throw CreatedTwice(path: path) }
  }
}
