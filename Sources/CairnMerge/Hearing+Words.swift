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

  private static func names(_ voices: [Voice]) -> String {
    let names = voices.map(\.person.identity)
    return names.count < 2
      ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
  }

  /// Returns why a statement counted or did not.
  func words(for standing: Standing, of statement: Statement) -> String {
    switch standing {
    case .counted: return "counts"
    case .outvoted: return "counts, and is outvoted"
    case .spokenOver(let last):
      return "does not decide: \(last.identity) spoke later, and the last word decides"
    case .withdrawn: return "taken back"
    case .runWithdrawn(let run): return "does not count: its run \(run.text.prefix(8)) is withdrawn"
    case .superseded(let last): return "superseded: \(later(last, than: statement))"
    case .olderVersion(let newer): return "does not count: \(newer.identity) spoke later"
    case .overruled: return "does not count: people decide over models"
    case .absence: return "settles nothing: only a person can say that it is absent"
    case .belowThreshold(let threshold):
      return "does not count: below the threshold of \(threshold)"
    case .secondChoice(let best):
      return "does not count: it is surer of \(name(best)) (\(best.confidence.text)), "
        + onlyOne(of: statement)
    case .lessSure(let best):
      return "does not count: \(best.annotator.identity) is surer of \(name(best)) "
        + "(\(best.confidence.text)), \(onlyOne(of: statement))"
    }
  }

  private func later(_ label: Label, than statement: Statement) -> String {
    let isOther = rules.classes.canonicalKey(of: label.classKey) != statement.classKey
    var said = isOther ? "said \(name(label))" : "said \(label.verdict.rawValue)"
    if !isOther, label.classKey != statement.label.classKey { said += " of “\(label.classKey)”" }
    if !isOther, statement.label.region != nil, label.region == nil {
      said += " of the whole photo"
    }
    said += " later"
    if label.annotator != statement.label.annotator { said += " as \(label.annotator.identity)" }
    return isOther ? "\(said), \(onlyOne(of: statement))" : said
  }

  private func name(_ label: Label) -> String {
    rules.classes.name(of: rules.classes.canonicalKey(of: label.classKey))
  }

  private func onlyOne(of statement: Statement) -> String {
    statement.set.map { "and only one of “\($0)” can stand" } ?? "and only one can stand"
  }
}
