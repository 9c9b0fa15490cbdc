import Cairn

// The output of `cairn why` about the estimate of the policy `dawid-skene`.

extension ConsensusWeights {
  var rendered: JSON {
    let categories = shownCategories
    return [
      "candidates": .array(
        result.candidates.map {
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
                  categories.map { JSON(consensus.probability(person, truth: truth, vote: $0)) })
              }),
          ]
        }), "photos": JSON(consensus.estimate.items),
      "prior": .array(categories.map { JSON(consensus.prior($0)) }),
      "threshold": JSON(Consensus.threshold),
    ]
  }

  /// All categories if they are at most 20, otherwise those with votes.
  private var shownCategories: [ClassKey?] {
    let candidates = result.candidates.map(\.category)
    return consensus.categories.count <= 20 && candidates.allSatisfy(consensus.categories.contains)
      ? consensus.categories : candidates
  }

  func print(_ classes: ClassTable) {
    func name(_ category: ClassKey?) -> String {
      // A class outside of exclusive sets has two categories: absent and present.
      guard let category else { return "absent" }
      return consensus.categories.contains(nil) ? "present" : classes.name(of: category)
    }
    let likely = result.candidates.map {
      "\(name($0.category)) \(percent($0.probability)) "
        + "(\(percent($0.evenProbability)) if all were equally frequent)"
    }
    Console.print(
      "  Given each person's error rates: " + Console.printable(likely.joined(separator: ", ")))
    let shown = result.candidates.map(\.category)
    let header = ["person", "truth"] + shown.map { "votes \(name($0))" }
    let rows = people.flatMap { person in
      shown.map { truth in
        [person.identity, name(truth)]
          + shown.map { percent(consensus.probability(person, truth: truth, vote: $0)) }
      }
    }
    for line in Console.table([header] + rows) { Console.print("  " + line) }
    Console.print(
      "  Estimated from \(count(consensus.estimate.items, "photo")) labeled by two or more people.")
  }
}
