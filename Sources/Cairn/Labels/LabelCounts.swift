internal import CairnDocument
internal import CairnMerge

/// The number of labels that an edit would write, and of those that are there already.
///
/// A class and those that were merged into it count as one, and so do the addresses of a person.
public struct LabelCounts: Equatable, Sendable {
  /// Labels of classes that the annotator has not labeled, or has withdrawn.
  public private(set) var new = 0
  /// Labels that are there already, exactly as they would be written.
  public private(set) var known = 0
  /// Labels that would take the place of an earlier one of the same annotator.
  public private(set) var changed = 0
  /// Those of the new and changed labels that contradict the verdict of another person.
  public private(set) var contradictions = 0

  /// - Parameter labels: All labels of the photo.
  fileprivate mutating func add(
    _ result: LabelResult, to labels: [Label], _ rules: ResolutionRules
  ) {
    guard result.changed else {
      known += 1
      return
    }
    let label = result.label
    let key = rules.classes.canonicalKey(of: label.classKey)
    let person = rules.mailmap.person(label.annotator)
    let ofClass = labels.filter { rules.classes.canonicalKey(of: $0.classKey) == key }
    let last = ofClass.filter {
      rules.mailmap.person($0.annotator) == person && $0.region?.id == label.region?.id
    }.max { $0.stamp < $1.stamp }
    if let last, last.verdict != .withdrawn { changed += 1 } else { new += 1 }
    guard label.annotator.isHuman, label.verdict != .withdrawn else { return }
    let others = Set(ofClass.map { rules.mailmap.person($0.annotator) })
      .filter { $0.isHuman && $0 != person }
    let verdicts = Set(others.compactMap { rules.verdicts(of: $0, in: labels)[key] })
    if verdicts.contains(label.verdict == .present ? .absent : .present) { contradictions += 1 }
  }
}

extension Dataset {
  /// Counts the labels that ``label(_:_:_:)`` with the same arguments would write, without writing
  /// them.
  public func labelCounts(
    labeling photos: [PhotoID], _ classNames: [String],
    _ assertion: LabelAssertion = LabelAssertion()
  ) throws(CairnError) -> LabelCounts {
    let outer = isDryRun
    isDryRun = true
    defer { isDryRun = outer }
    let results = try label(Array(Set(photos)), classNames, assertion)
    return try translating {
      var labels: [PhotoID: [Label]] = [:]
      for photo in Set(results.map(\.label.photo)) { labels[photo] = try self.labels(of: photo) }
      // Once for all photos: they read the manifest, the mailmap, classes and runs.
      let rules = try rules(of: labels.values.flatMap { $0 })
      var counts = LabelCounts()
      for result in results { counts.add(result, to: labels[result.label.photo] ?? [], rules) }
      return counts
    }
  }
}
