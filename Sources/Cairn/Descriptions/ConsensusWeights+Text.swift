internal import CairnBase
public import CairnDocument
public import CairnMerge

// What `cairn why` shows of the estimate of the policy `dawid-skene`.

extension ConsensusWeights {
  /// The weights as `cairn why --json` prints them.
  public var json: JSON {
    let categories = shownCategories
    return [
      "candidates": .array(
        candidates.map {
          [
            "category": JSON($0.category?.text), "evenProbability": JSON($0.evenProbability),
            "probability": JSON($0.probability),
          ]
        }), "categories": .array(categories.map { JSON($0?.text) }),
      "people": .array(
        people.map { person in
          [
            "annotator": .string(person.description),
            "matrix": .array(
              categories.map { truth in
                .array(
                  categories.map { JSON(probability(person, truth: truth, vote: $0)) })
              }),
          ]
        }), "photos": JSON(photos),
      "prior": .array(categories.map { JSON(prior($0)) }),
      "threshold": JSON(ConsensusWeights.threshold),
    ]
  }

  /// All categories if they are at most 20, otherwise those with votes.
  private var shownCategories: [ClassKey?] {
    let candidates = self.candidates.map(\.category)
    return self.categories.count <= 20 && candidates.allSatisfy(self.categories.contains)
      ? self.categories : candidates
  }

  /// How likely each candidate is, and how often each person votes for it.
  ///
  /// - Parameter classNames: Returns the display name of a class.
  public func text(_ classNames: (ClassKey) -> String) -> ReportText {
    var text = ReportText()
    func name(_ category: ClassKey?) -> String {
      // A class outside of exclusive sets has two categories: absent and present.
      guard let category else { return "absent" }
      return self.categories.contains(nil) ? "present" : classNames(category)
    }
    let likely = candidates.map {
      "\(name($0.category)) \(percent($0.probability)) "
        + "(\(percent($0.evenProbability)) if all were equally frequent)"
    }
    text.line("  Given each person's error rates: " + likely.joined(separator: ", "))
    let shown = candidates.map(\.category)
    let header = ["  person", "truth"] + shown.map { "votes \(name($0))" }
    let rows = people.flatMap { person in
      shown.map { truth in
        ["  " + person.identity, name(truth)]
          + shown.map { percent(probability(person, truth: truth, vote: $0)) }
      }
    }
    text.table(header, rows)
    text.line("  Estimated from \(counted(photos, "photo")) labeled by two or more people.")
    return text
  }
}
