internal import CairnDocument
internal import CairnMerge
internal import CairnStore
internal import CairnSync

/// A person's verdict that an edit would reverse. Programs ask for confirmation before reversing
/// many at once.
public struct VerdictChange: Equatable, Sendable {
  /// The photo that the verdict is about.
  public let photo: PhotoID
  /// The class that the verdict is about.
  public let classKey: ClassKey
  /// The display name of the class.
  public let className: String
  /// Present or absent.
  public let before: Verdict
  /// Present, absent, or withdrawn if the edit withdraws.
  public let after: Verdict
}

extension Dataset {
  /// Returns the current user's verdicts that ``label(_:_:_:)`` with the same arguments would
  /// reverse. A class of an exclusive set reverses the one chosen before; a model's label reverses
  /// nothing.
  public func verdictChanges(
    labeling photos: [PhotoID], _ classNames: [String],
    _ assertion: LabelAssertion = LabelAssertion()
  ) throws(CairnError) -> [VerdictChange] {
    try translating {
      guard assertion.annotator?.isHuman ?? (assertion.run == nil) else { return [] }
      let annotator = try assertion.annotator ?? replica.person()
      let keys = try classNames.compactMap { try knownClassKey(named: $0) }
      let mailmap = Mailmap(try mailmapText())
      let person = mailmap.person(annotator)
      return try photos.flatMap { photo -> [VerdictChange] in
        let labels = try labels(of: photo)
        guard labels.contains(where: { mailmap.person($0.annotator) == person }) else { return [] }
        return try changes(of: labels, on: photo, by: annotator, labeling: keys, assertion)
      }
    }
  }

  /// Returns the current user's verdicts that ``review(_:_:accepting:)`` with the same arguments
  /// would reverse.
  public func verdictChanges(
    reviewing photos: [PhotoID], _ className: String, accepting: Bool
  ) throws(CairnError) -> [VerdictChange] {
    var changes: [VerdictChange] = []
    for (verdict, photos) in try reviewedVerdicts(of: photos, className, accepting: accepting) {
      changes += try verdictChanges(labeling: photos, [className], LabelAssertion(verdict))
    }
    return changes
  }

  /// Returns the current user's verdicts that ``unlabel(_:_:annotator:)`` would withdraw.
  public func verdictChanges(
    withdrawing photos: [PhotoID], _ className: String
  ) throws(CairnError) -> [VerdictChange] {
    try translating {
      let key = try existingClassKey(named: className)
      let mailmap = Mailmap(try mailmapText())
      let person = try mailmap.person(replica.person())
      return try photos.compactMap { photo in
        let labels = try labels(of: photo)
        guard labels.contains(where: { mailmap.person($0.annotator) == person }) else { return nil }
        let rules = try rules(of: labels)
        let own = labels.filter { label in
          label.verdict != .withdrawn && mailmap.person(label.annotator) == person
            && rules.classes.canonicalKey(of: label.classKey) == key
        }
        return own.max { $0.stamp < $1.stamp }.map {
          VerdictChange(
            photo: photo, classKey: key, className: rules.classes.name(of: key),
            before: $0.verdict, after: .withdrawn)
        }
      }
    }
  }

  private func changes(
    of labels: [Label], on photo: PhotoID, by annotator: Annotator, labeling keys: [ClassKey],
    _ assertion: LabelAssertion
  ) throws -> [VerdictChange] {
    let last = labels.map(\.stamp).max()
    let stamp = Stamp(
      milliseconds: (last?.milliseconds ?? 0) + 1, counter: 0, replica: ReplicaID(rawValue: 0))
    let new = try keys.map { key in
      Label(
        photo: photo, classKey: key, annotator: annotator, verdict: assertion.verdict,
        confidence: assertion.confidence, region: try assertion.shape.map(region), run: nil,
        stamp: stamp)
    }
    let names = Set(new.map(\.name))
    let edited = labels.filter { !names.contains($0.name) } + new
    let rules = try rules(of: labels + new)
    let after = rules.verdicts(of: annotator, in: edited)
    return rules.verdicts(of: annotator, in: labels).sorted { $0.key < $1.key }.compactMap {
      let (key, before) = $0
      let now = after[key] ?? .absent
      if now == before { return nil }
      return VerdictChange(
        photo: photo, classKey: key, className: rules.classes.name(of: key), before: before,
        after: now)
    }
  }
}
