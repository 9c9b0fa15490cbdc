import Cairn

// How the estimate behind the policy `dawid-skene` looks in what `cairn why` tells.

extension ConsensusWeights {
  var rendered: JSON {
    let categories = shownCategories
    return [
      "candidates": .array(
        weighed.candidates.map {
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
                  categories.map { JSON(consensus.share(person, truth: truth, said: $0)) })
              }),
          ]
        }), "photos": JSON(consensus.estimate.items),
      "prior": .array(categories.map { JSON(consensus.prior($0)) }),
      "threshold": JSON(Consensus.threshold),
    ]
  }

  /// All categories while they are few, else those that somebody says.
  private var shownCategories: [ClassKey?] {
    let said = weighed.candidates.map(\.category)
    return consensus.categories.count <= 20 && said.allSatisfy(consensus.categories.contains)
      ? consensus.categories : said
  }

  func print(_ classes: ClassTable) {
    func name(_ category: ClassKey?) -> String {
      // Of a single class there are two answers.
      guard let category else { return "absent" }
      return consensus.categories.contains(nil) ? "present" : classes.name(of: category)
    }
    let likely = weighed.candidates.map {
      "\(name($0.category)) \(percent($0.probability)) "
        + "(\(percent($0.evenProbability)) if all were as frequent)"
    }
    Console.print("  By how people err: " + Console.printable(likely.joined(separator: ", ")))
    let shown = weighed.candidates.map(\.category)
    let header = ["who", "of what is"] + shown.map { "says \(name($0))" }
    let rows = people.flatMap { person in
      shown.map { truth in
        [person.identity, name(truth)]
          + shown.map { percent(consensus.share(person, truth: truth, said: $0)) }
      }
    }
    for line in Console.table([header] + rows) { Console.print("  " + line) }
    Console.print(
      "  Estimated from \(count(consensus.estimate.items, "photo")) that two people or more rated.")
  }
}
