internal import CairnDocument
internal import CairnFiles
internal import CairnIndex
internal import CairnMerge
internal import CairnStore
internal import CairnSync

/// The dataset's policy for resolving labels.
public struct Policy: Equatable, Sendable {
  /// The method that resolves people's verdicts.
  public let people: PeoplePolicy
  /// Minimum confidence for a model's label to count.
  public let threshold: Double
  /// The thresholds of models that have their own, by name.
  public let thresholds: [String: Double]

  init(_ manifest: Manifest) {
    people = manifest.people.value
    threshold = manifest.threshold.value.value
    thresholds = manifest.thresholds.compactMapValues { $0.value?.value }
  }
}

/// The policy after an edit, and whether the edit changed anything.
public struct PolicyEdit: Sendable {
  /// The policy as it is now.
  public let policy: Policy
  /// Whether the edit changed it.
  public let changed: Bool
}

extension Dataset {
  /// Returns the rules that apply to some labels. Reads only the classes and runs of these labels,
  /// so the cost does not depend on the size of the dataset.
  func rules(of labels: [Label]) throws -> ResolutionRules {
    var classes: [ClassKey: LabelClass] = [:]
    for key in Set(labels.map(\.classKey)) { try readClasses(from: key, into: &classes) }
    let runs = try Set(labels.compactMap(\.run)).filter { id in
      guard case .run(let run)? = try readableDocument(at: .run(id)) else { return false }
      return run.withdrawn.value
    }
    return ResolutionRules(
      try replica.manifest(), classes: classes.values, withdrawnRuns: runs,
      mailmap: try mailmapText())
  }

  /// Returns the rules that apply to some labels, with people's error rates if the policy uses
  /// them; those depend on the whole dataset and come from the index.
  func resolvingRules(of labels: [Label]) throws -> ResolutionRules {
    var rules = try rules(of: labels)
    if rules.people == .dawidSkene,
      Set(labels.filter(\.annotator.isHuman).map(\.annotator)).count > 1
    {
      rules.consensus = try query(resolved: true) { try $0.consensus() }
    }
    return rules
  }

  /// Returns the rules by which labels are resolved: classes and runs from the index, the manifest
  /// and `.mailmap` from the work tree.
  func rules() throws -> ResolutionRules {
    try query(resolved: try replica.manifest().people.value == .dawidSkene) {
      try rules(from: $0)
    }
  }

  /// - Parameter index: The index; if the policy uses error rates, with resolutions up to date.
  func rules(from index: IndexReader) throws -> ResolutionRules {
    var rules = ResolutionRules(
      try replica.manifest(), classes: try index.classes(),
      withdrawnRuns: try index.withdrawnRuns(), mailmap: try mailmapText())
    if rules.people == .dawidSkene { rules.consensus = try index.consensus() }
    return rules
  }

  /// Maximum size of a `.mailmap` in bytes; a larger one was not written by people.
  private static let mailmapLimit = 1 << 20

  /// Returns the text of `.mailmap` at the top of the work tree; empty if there is none. A symbolic
  /// link is not followed, as in git.
  func mailmapText() throws -> String {
    let path = try directory.location(".mailmap")
    guard let status = try directory.files.status(path), status.kind == .regular,
      status.size <= Dataset.mailmapLimit, let bytes = try directory.files.read(path)
    else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Policy

  /// Returns the policy for resolving labels.
  public func policy() throws(CairnError) -> Policy {
    try translating { Policy(try replica.manifest()) }
  }

  /// Changes the policy for resolving labels; nil leaves a value unchanged.
  ///
  /// Two people who independently set the same policy write the same bytes: the new stamps derive
  /// from the replaced ones, not from clocks.
  /// - Parameter models: Thresholds of models, by name; nil to return to the general one.
  @discardableResult
  public func editPolicy(
    people: PeoplePolicy? = nil, threshold: Double? = nil, models: [String: Double?] = [:]
  ) throws(CairnError) -> PolicyEdit {
    try edit("policy set") { session in
      let old = try replica.manifest(forEditing: true)
      var manifest = old
      if let people, people != old.people.value {
        manifest.people = Register(people, old.people.stamp.successor())
      }
      if let threshold = try threshold.map(fraction), threshold != old.threshold.value {
        manifest.threshold = Register(threshold, old.threshold.stamp.successor())
      }
      for (model, threshold) in models.sorted(by: { $0.key < $1.key }) {
        guard Annotator(model: "\(model)@1")?.model?.name == model else {
          throw CairnError(
            .invalidInput, "“\(model)” cannot be the name of a model.",
            hint: "A threshold applies to all versions: `--model-threshold resnet50=0.8`.")
        }
        let (value, register) = (try threshold.map(fraction), old.thresholds[model])
        if value == register?.value { continue }
        manifest.setThreshold(
          of: model, Register(value, register?.stamp.successor() ?? .given))
      }
      if manifest != old { try session.write([.manifest(manifest)]) }
      return PolicyEdit(policy: Policy(manifest), changed: manifest != old)
    }
  }

  private func fraction(_ value: Double) throws -> Fraction {
    guard let fraction = Fraction(value) else {
      throw CairnError(.invalidInput, "The threshold \(value) is not between 0 and 1.")
    }
    return fraction
  }
}
