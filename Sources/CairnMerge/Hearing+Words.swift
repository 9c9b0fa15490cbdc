internal import CairnDocument

extension Hearing {
  /// Returns `ann@x says present`, `ann@x and bob@x say absent`, `ann@x says beagle, and only one of
  /// “breed” can stand`.
  func agreement(of voices: [Voice], on classKey: ClassKey) -> String {
    if let set = rules.classes.set(of: classKey), voices.allSatisfy({ $0.instead != nil }) {
      let named = insteads(voices).map { "\(says($0.voices)) \(rules.classes.name(of: $0.key))" }
      return named.joined(separator: ", ") + ", and only one of “\(set)” can stand"
    }
    return stated(voices.filter { !$0.isPresent }, voices.filter(\.isPresent))
  }

  /// Returns `ann@x against bob@x`; `ann@x says present, bob@x says beagle instead` where somebody
  /// names another class.
  func sides(_ present: [Voice], _ absent: [Voice]) -> String {
    absent.allSatisfy { $0.instead == nil }
      ? "\(Hearing.names(present)) against \(Hearing.names(absent))" : stated(absent, present)
  }

  private func stated(_ absent: [Voice], _ present: [Voice]) -> String {
    let denying = absent.filter { $0.instead == nil }
    let parts =
      [
        present.isEmpty ? nil : "\(says(present)) present",
        denying.isEmpty ? nil : "\(says(denying)) absent",
      ]
      + insteads(absent).map {
        "\(says($0.voices)) \(rules.classes.name(of: $0.key)) instead"
      }
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  /// Returns the classes that people name instead, sorted, with who does.
  private func insteads(_ voices: [Voice]) -> [(key: ClassKey, voices: [Voice])] {
    Dictionary(grouping: voices.filter { $0.instead != nil }) { $0.instead }
      .compactMap { key, voices in key.map { ($0, voices) } }
      .sorted { $0.key < $1.key }
  }

  private func says(_ voices: [Voice]) -> String {
    "\(Hearing.names(voices)) \(voices.count == 1 ? "says" : "say")"
  }

  private static func names(_ voices: [Voice]) -> String { voices.map(\.person.identity).inWords }
}

extension [String] {
  /// `a`, `a and b`, `a, b and c`.
  package var inWords: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " and " + last
  }
}
