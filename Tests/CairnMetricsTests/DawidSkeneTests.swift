import CairnMetrics
import Foundation
import TestSupport
import Testing

@Suite("Dawid-Skene estimate")
struct DawidSkeneTests {
  private func table(_ random: RandomRatings) -> VoteTable {
    var table = VoteTable()
    for unit in random.units { table.addItem(RandomRatings.ratings(unit)) }
    return table
  }

  @Test(
    "equals crowd-kit's after the same number of iterations",
    .enabled(if: Oracle.isInstalled, Oracle.missing))
  func crowdKit() throws {
    var questions: [[String: Any]] = []
    var models: [(DawidSkene, VoteTable)] = []
    for seed in UInt64(0)..<24 {
      let random = RandomRatings(seed: seed)
      let table = table(random)
      let iterations = [1, 2, 7, 30][Int(seed % 4)]
      questions.append([
        "kind": "dawid-skene", "categories": random.categories, "iterations": iterations,
        "votes": table.votes.map { [$0.item, $0.annotator, $0.category] },
      ])
      let model = try #require(
        DawidSkene(
          table, annotators: random.raters, categories: random.categories,
          iterationLimit: iterations, tolerance: nil))
      #expect(model.iterations == iterations)
      models.append((model, table))
    }
    for (index, answer) in try Oracle.answers(questions).enumerated() {
      let (model, table) = models[index]
      let answer = try #require(answer as? [String: Any])
      let posteriors = try #require(answer["posteriors"] as? [[Double]])
      #expect(posteriors.count == table.itemCount)
      for (item, wanted) in posteriors.enumerated() {
        let posterior = model.posterior(of: item, in: table)
        #expect(zip(posterior, wanted).allSatisfy { abs($0 - $1) < 1e-6 }, "\(index) \(item)")
      }
      let priors = try #require(answer["priors"] as? [Double])
      #expect(zip(model.priors, priors).allSatisfy { abs($0 - $1) < 1e-6 })
      for row in try #require(answer["errors"] as? [[Any]]) {
        let (annotator, vote) = (try #require(row[0] as? Int), try #require(row[1] as? Int))
        for (truth, share) in try #require(row[2] as? [Double]).enumerated() {
          let own = model.probability(annotator: annotator, truth: truth, vote: vote)
          #expect(abs(own - share) < 1e-6)
        }
      }
    }
  }

  @Test(
    "converges to the same result every time, with probabilities that add up to 1",
    arguments: 0..<12)
  func converges(seed: UInt64) throws {
    let random = RandomRatings(seed: seed)
    let table = table(random)
    func estimate() throws -> DawidSkene {
      try #require(
        DawidSkene(
          table, annotators: random.raters, categories: random.categories, iterationLimit: 5000))
    }
    let (model, again) = (try estimate(), try estimate())
    #expect(model.hasConverged && model.priors == again.priors)
    #expect(abs(model.priors.reduce(0, +) - 1) < 1e-9)
    for item in 0..<table.itemCount {
      let posterior = model.posterior(of: item, in: table)
      #expect(abs(posterior.reduce(0, +) - 1) < 1e-9)
      #expect(posterior == again.posterior(of: item, in: table))
    }
  }

  @Test("detects an annotator who usually says the opposite")
  func contrary() throws {
    var (table, random) = (VoteTable(), XorshiftGenerator(7))
    for _ in 0..<300 {
      let truth = random.below(2)
      table.addItem(
        (0..<4).map { annotator in
          let isRight = annotator == 3 ? random.below(10) == 0 : random.below(10) > 0
          return RatingTally.Rating(rater: annotator, category: isRight ? truth : 1 - truth)
        })
    }
    let model = try #require(DawidSkene(table, annotators: 4, categories: 2))
    #expect(model.hasConverged)
    #expect((0..<3).allSatisfy { model.accuracy(annotator: $0) > 0.8 })
    #expect(model.accuracy(annotator: 3) < 0.2)
  }

  @Test("computes finite probabilities from thousands of votes on one item")
  func manyVotes() throws {
    var table = VoteTable()
    for truth in 0..<2 {
      table.addItem((0..<3000).map { RatingTally.Rating(rater: $0, category: truth) })
    }
    let model = try #require(DawidSkene(table, annotators: 3000, categories: 2))
    #expect(model.posterior(of: 0, in: table) == [1, 0])
    #expect(model.posterior(of: 1, in: table) == [0, 1])
  }

  @Test("is nil when there is nothing, or too much, to estimate")
  func refused() {
    #expect(DawidSkene(VoteTable(), annotators: 1, categories: 2) == nil)
    var table = VoteTable()
    table.addItem([RatingTally.Rating(rater: 0, category: 0)])
    #expect(DawidSkene(table, annotators: 10, categories: 1000) == nil)
    #expect(DawidSkene(table, annotators: 1, categories: .max) == nil)
    #expect(DawidSkene(table, annotators: 1, categories: 1000) != nil)
  }
}
