import CairnMetrics
import Foundation
import TestSupport
import Testing

@Suite("Dawid and Skene's estimate")
struct DawidSkeneTests {
  private func table(_ random: RandomRatings) -> VoteTable {
    var table = VoteTable()
    for unit in random.units { table.addItem(RandomRatings.ratings(unit)) }
    return table
  }

  @Test(
    "it is that of crowd-kit after as many iterations",
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
    for (place, answer) in try Oracle.answers(questions).enumerated() {
      let (model, table) = models[place]
      let answer = try #require(answer as? [String: Any])
      let posteriors = try #require(answer["posteriors"] as? [[Double]])
      #expect(posteriors.count == table.itemCount)
      for (item, wanted) in posteriors.enumerated() {
        let posterior = model.posterior(of: item, in: table)
        #expect(zip(posterior, wanted).allSatisfy { abs($0 - $1) < 1e-6 }, "\(place) \(item)")
      }
      let priors = try #require(answer["priors"] as? [Double])
      #expect(zip(model.priors, priors).allSatisfy { abs($0 - $1) < 1e-6 })
      for row in try #require(answer["errors"] as? [[Any]]) {
        let (annotator, said) = (try #require(row[0] as? Int), try #require(row[1] as? Int))
        for (truth, share) in try #require(row[2] as? [Double]).enumerated() {
          let own = model.share(annotator: annotator, truth: truth, said: said)
          #expect(abs(own - share) < 1e-6)
        }
      }
    }
  }

  @Test("it comes to rest, at the same whenever it is asked, and shares add up", arguments: 0..<12)
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

  @Test("one who always says the opposite is found out by the others")
  func contrary() throws {
    var (table, random) = (VoteTable(), Seeded(7))
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

  @Test("thousands of votes on one item leave numbers that are numbers")
  func manyVotes() throws {
    var table = VoteTable()
    for truth in 0..<2 {
      table.addItem((0..<3000).map { RatingTally.Rating(rater: $0, category: truth) })
    }
    let model = try #require(DawidSkene(table, annotators: 3000, categories: 2))
    #expect(model.posterior(of: 0, in: table) == [1, 0])
    #expect(model.posterior(of: 1, in: table) == [0, 1])
  }

  @Test("nothing to estimate, and too much of it, is no estimate")
  func refused() {
    #expect(DawidSkene(VoteTable(), annotators: 1, categories: 2) == nil)
    var table = VoteTable()
    table.addItem([RatingTally.Rating(rater: 0, category: 0)])
    #expect(DawidSkene(table, annotators: 10, categories: 1000) == nil)
    #expect(DawidSkene(table, annotators: 1, categories: .max) == nil)
    #expect(DawidSkene(table, annotators: 1, categories: 1000) != nil)
  }
}
