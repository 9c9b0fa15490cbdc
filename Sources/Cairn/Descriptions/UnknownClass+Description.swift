extension UnknownClass {
  /// “There is no class “hemlok”.”
  public var sentence: String { "There is no class “\(name)”." }

  /// “Did you mean “hemlock”?” Nil when no class is similar.
  public var suggestion: String? {
    guard let last = suggestions.last else { return nil }
    let others = suggestions.dropLast().map { "“\($0)”" }.joined(separator: ", ")
    return "Did you mean \(others.isEmpty ? "" : others + " or ")“\(last)”?"
  }
}
