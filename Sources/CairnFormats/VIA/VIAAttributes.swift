internal import CairnDocument

/// The class among the attributes of a region or a file, which people name freely.
struct VIAAttributes {
  /// The names for the attribute of the class, in order of preference.
  private static let names = [
    "label", "class", "class_name", "category", "name", "type", "species", "object", "object_name",
    "tag",
  ]

  /// The value as text or as the set options of a checkbox.
  private static func values(_ json: JSON) -> [String] {
    if let text = json.string {
      return text.trimmingSpaces().isEmpty ? [] : [text.trimmingSpaces()]
    }
    if let number = json.int { return [String(number)] }
    return (json.object?.members ?? []).filter { $0.value.bool == true }.map(\.key)
  }

  enum Classes {
    /// The classes; empty when no attribute has a value.
    case named([String])
    /// Several attributes, none of which is known to be the class.
    case ambiguous([String])
  }

  /// Returns the classes: the attribute with a known name, otherwise the only one. Counts the others.
  static func classes(
    of attributes: JSONObject, in source: ImportReader, _ what: String
  ) -> Classes {
    let given = attributes.members.filter { !values($0.value).isEmpty }
    if given.isEmpty { return .named([]) }
    let known = names.lazy.compactMap { name in
      given.first { $0.key.lowercased() == name }
    }.first
    guard let chosen = known ?? (given.count == 1 ? given[0] : nil) else {
      return .ambiguous(given.map(\.key))
    }
    for other in given where other.key != chosen.key {
      source.ignore("the attribute “\(other.key.prefix(64))” of \(what)")
    }
    return .named(values(chosen.value))
  }
}
