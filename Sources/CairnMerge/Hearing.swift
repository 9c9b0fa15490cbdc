internal import CairnDocument

/// The labels of one photo while the rules weigh them: one rule after the other strikes out what does
/// not count, with the reason.
struct Hearing {
  struct Statement {
    let label: Label
    /// Whom it counts for: a person under their proper address, or a model.
    let speaker: Annotator
    /// The name of the model that it is, without its version.
    let model: String?
    let classKey: ClassKey
    let set: ClassKey?
    /// Why it does not count; nil while it does.
    var struck: Standing?
  }

  /// One speaker's say on classes, by key or by set.
  struct Say: Hashable {
    let speaker: Annotator
    let of: ClassKey
  }

  let rules: ResolutionRules
  /// Sorted by time, and whatever else tells labels apart, so that their order never matters.
  private(set) var statements: [Statement]
  /// Of people, the last statement that a class of the exclusive set is present, by its index.
  private(set) var choices: [Say: Int] = [:]
  /// The places of the statements on each class.
  private(set) var byClass: [ClassKey: [Int]] = [:]

  init(_ labels: some Sequence<Label>, rules: ResolutionRules) {
    self.rules = rules
    statements = labels.map { label in
      let key = rules.classes.canonicalKey(of: label.classKey)
      let speaker = rules.mailmap.person(label.annotator)
      return Statement(
        label: label, speaker: speaker, model: speaker.model?.name, classKey: key,
        set: rules.classes.set(of: key))
    }
    // Whose favourite a photo is settles nothing of it.
    .filter { $0.classKey != .favorite }
    statements.sort { $0.label.precedes($1.label) }
    for index in statements.indices {
      byClass[statements[index].classKey, default: []].append(index)
    }
    strikeWithdrawn()
    strikeOlderVersions()
    strikeOwnEarlier()
    strikeOwnOtherClasses()
  }

  mutating func strike(_ index: Int, _ reason: Standing) { statements[index].struck = reason }

  /// The places of statements that still count.
  var live: [Int] { statements.indices.filter { statements[$0].struck == nil } }

  // MARK: What counts as not said

  private mutating func strikeWithdrawn() {
    for (index, statement) in statements.enumerated() {
      let label = statement.label
      if label.verdict == .withdrawn {
        strike(index, .withdrawn)
      } else if let run = label.run, !statement.speaker.isHuman, rules.withdrawnRuns.contains(run) {
        strike(index, .runWithdrawn(run))
      }
    }
  }

  // MARK: Who spoke again

  /// Of each model the version that spoke last of this photo speaks for it: what a newer version no
  /// longer finds there is not to stand on the older one's word.
  private mutating func strikeOlderVersions() {
    var latest: [String: Annotator] = [:]
    for index in live {
      if let model = statements[index].model {
        latest[model] = statements[index].speaker
      }
    }
    for index in live {
      let speaker = statements[index].speaker
      guard let name = statements[index].model, let newest = latest[name], newest != speaker else {
        continue
      }
      strike(index, .olderVersion(than: newest))
    }
  }

  /// Of what one speaker says of a whole photo, under whichever key and address, the last stands, and
  /// takes back own regions of before that say otherwise.
  private mutating func strikeOwnEarlier() {
    var last: [Say: Int] = [:]
    // To take it back is a last word, too: under another key they may have said it before.
    for index in statements.indices where statements[index].label.region == nil {
      let struck = statements[index].struck
      if struck == nil || struck == .withdrawn { last[say(index)] = index }
    }
    for index in live {
      guard let later = last[say(index)], later != index else { continue }
      let (label, whole) = (statements[index].label, statements[later].label)
      // Regions are taken back one by one.
      let isContrary = whole.verdict != .withdrawn && label.verdict != whole.verdict
      if label.region == nil || label.stamp < whole.stamp && isContrary {
        strike(index, .superseded(by: whole))
      }
    }
  }

  private func say(_ index: Int) -> Say {
    Say(speaker: statements[index].speaker, of: statements[index].classKey)
  }

  /// A person who names a class of an exclusive set takes back what they named of it before.
  private mutating func strikeOwnOtherClasses() {
    let named = live.filter {
      statements[$0].speaker.isHuman && statements[$0].label.verdict == .present
    }
    for index in named {
      guard let set = statements[index].set else { continue }
      choices[Say(speaker: statements[index].speaker, of: set)] = index
    }
    for index in named {
      let statement = statements[index]
      guard let set = statement.set, let choice = choices[Say(speaker: statement.speaker, of: set)],
        statements[choice].classKey != statement.classKey
      else { continue }
      strike(index, .superseded(by: statements[choice].label))
    }
  }
}

extension Label {
  /// A total order: by time, then by whatever tells two labels apart.
  fileprivate func precedes(_ other: Label) -> Bool {
    if stamp != other.stamp { return stamp < other.stamp }
    if annotator != other.annotator { return annotator < other.annotator }
    if classKey != other.classKey { return classKey < other.classKey }
    return canonicalBytes.lexicographicallyPrecedes(other.canonicalBytes)
  }
}
