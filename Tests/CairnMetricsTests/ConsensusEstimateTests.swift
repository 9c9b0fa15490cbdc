import CairnMetrics
import Foundation
import TestSupport
import Testing

@Suite("Consensus estimate")
struct ConsensusEstimateTests {
  /// Returns votes of six annotators of different skill on 400 items.
  private func votes(_ seed: UInt64, categories: Int) -> VoteTable {
    var (table, random) = (VoteTable(), XorshiftGenerator(seed &+ 11))
    for _ in 0..<400 {
      let truth = random.below(categories)
      table.addItem(
        [95, 90, 85, 80, 70, 55].enumerated().compactMap { annotator, right in
          if random.below(4) == 0 { return nil }
          let category = random.below(100) < right ? truth : random.below(categories)
          return RatingTally.Rating(rater: annotator, category: category)
        })
    }
    return table
  }

  private func items(_ table: VoteTable) -> [[VoteTable.Vote]] {
    Dictionary(grouping: table.votes, by: \.item).sorted { $0.key < $1.key }.map(\.value)
  }

  @Test(
    "agrees with crowd-kit on items that crowd-kit is sure about",
    .enabled(if: Oracle.isInstalled, Oracle.missing), arguments: UInt64(0)..<6)
  func crowdKit(seed: UInt64) throws {
    let categories = 2 + Int(seed % 3)
    let table = votes(seed, categories: categories)
    let estimate = try #require(ConsensusEstimate(table, categories: categories))
    let answer = try #require(
      Oracle.answers([
        [
          "kind": "dawid-skene", "categories": categories, "iterations": 60,
          "votes": table.votes.map { [$0.item, $0.annotator, $0.category] },
        ]
      ]).first as? [String: Any])
    let posteriors = try #require(answer["posteriors"] as? [[Double]])
    var (sure, alike) = (0, 0)
    for (votes, wanted) in zip(items(table), posteriors) where votes.count > 1 {
      let best = try #require(wanted.indices.max { wanted[$0] < wanted[$1] })
      guard wanted[best] > 0.95 else { continue }
      let own = estimate.posterior(
        votes.map { (annotator: Int($0.annotator), category: Int($0.category)) })
      sure += 1
      if own.max(by: { $0.probability < $1.probability })?.category == best { alike += 1 }
    }
    #expect(sure > 250 && Double(alike) / Double(sure) > 0.98, "\(alike) of \(sure)")
  }

  @Test("gives shares and probabilities that add up to 1", arguments: UInt64(0)..<6)
  func sums(seed: UInt64) throws {
    let categories = 2 + Int(seed % 3)
    let table = votes(seed, categories: categories)
    let estimate = try #require(ConsensusEstimate(table, categories: categories))
    #expect(ConsensusEstimate(table, categories: categories) == estimate)
    #expect(abs(estimate.classCounts.reduce(0, +) - Double(estimate.items)) < 1e-9)
    for annotator in [nil, 0, 5, 99] as [Int?] {
      for truth in 0..<categories {
        let shares = (0..<categories).map {
          estimate.probability(annotator: annotator, truth: truth, vote: $0)
        }
        #expect(abs(shares.reduce(0, +) - 1) < 1e-12)
      }
    }
    #expect(abs((0..<categories).map(estimate.prior).reduce(0, +) - 1) < 1e-12)
    for votes in items(table).prefix(50) {
      let ballots = votes.map { (annotator: Int?(Int($0.annotator)), category: Int($0.category)) }
      for isEven in [false, true] {
        let posterior = estimate.posterior(ballots, isEven: isEven)
        #expect(abs(posterior.reduce(0) { $0 + $1.probability } - 1) < 1e-12)
      }
    }
  }

  @Test("is restored exactly from its counts")
  func kept() throws {
    let estimate = try #require(ConsensusEstimate(votes(1, categories: 3), categories: 3))
    let again = ConsensusEstimate(
      items: estimate.items, classCounts: estimate.classCounts, cells: estimate.cells)
    #expect(again == estimate)
    #expect(ConsensusEstimate(VoteTable(), categories: 2) == nil)
  }

  @Test("computes finite probabilities from thousands of votes on one item")
  func manyVotes() throws {
    var table = VoteTable()
    table.addItem((0..<4000).map { RatingTally.Rating(rater: $0, category: $0 % 4 == 0 ? 1 : 0) })
    let estimate = try #require(ConsensusEstimate(table, categories: 2))
    let posterior = estimate.posterior(
      (0..<4000).map { (annotator: $0, category: $0 % 4 == 0 ? 1 : 0) })
    #expect(posterior.map(\.probability) == [1, 0])
  }
}
