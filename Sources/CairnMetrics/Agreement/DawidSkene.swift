internal import LibC

/// The votes of fallible annotators on items.
package struct VoteTable: Sendable {
  /// One vote of one annotator.
  package struct Vote: Sendable {
    package let item: Int32
    package let annotator: Int32
    package let category: Int32

    package init(item: Int, annotator: Int, category: Int) {
      self.item = Int32(item)
      self.annotator = Int32(annotator)
      self.category = Int32(category)
    }
  }

  /// All votes, grouped by item.
  package private(set) var votes: [Vote] = []
  /// The start of each item's votes.
  private var starts: [Int] = []

  package init() {}

  package var itemCount: Int { starts.count }

  /// Adds an item with its votes, each an annotator and a category; does nothing without votes.
  package mutating func addItem(_ ratings: [RatingTally.Rating]) {
    if ratings.isEmpty { return }
    starts.append(votes.count)
    for rating in ratings {
      votes.append(
        Vote(item: starts.count - 1, annotator: rating.rater, category: rating.category))
    }
  }

  func votes(of item: Int) -> ArraySlice<Vote> {
    votes[starts[item]..<(item + 1 < starts.count ? starts[item + 1] : votes.count)]
  }
}

/// The most likely categories of items and each annotator's error rates, estimated from votes
/// alone.
///
/// It is the EM algorithm, starting from the shares of the votes. The result depends only on the
/// votes in their order: no randomness, one thread.
///
/// Source: A. P. Dawid and A. M. Skene, “Maximum likelihood estimation of observer error-rates
/// using the EM algorithm”, 1979; as in crowd-kit 1.4, where every share of an occurring vote is at
/// least 1e-10.
package struct DawidSkene: Sendable {
  /// The share of items in each category.
  package private(set) var priors: [Double]
  package let annotatorCount: Int
  package let categoryCount: Int
  /// The number of times that the parameters were estimated.
  package private(set) var iterations = 0
  /// Whether it converged before the limit.
  package private(set) var hasConverged = false
  /// The shares of annotators' votes, by annotator, then true category, then vote.
  private var confusion: [Double]
  /// The parameters that the posteriors are based on: those before the last estimate.
  private var logPriors: [Double] = []
  private var logConfusion: [Double] = []

  private static let minimumProbability = 1e-10

  /// The maximum number of shares to estimate: 64 MiB of them.
  package static let parameterLimit = 1 << 23

  /// - Parameter iterationLimit: The maximum number of iterations.
  /// - Parameter tolerance: The iterations end when the log-likelihood grows by less than this per
  ///   vote; nil for as many iterations as the limit allows.
  /// - Returns: Nil if there are no votes, or more than ``parameterLimit`` shares to estimate.
  package init?(
    _ table: VoteTable, annotators: Int, categories: Int, iterationLimit: Int = 200,
    tolerance: Double? = 1e-9
  ) {
    let (square, isLarge) = categories.multipliedReportingOverflow(by: categories)
    guard table.itemCount > 0, annotators > 0, !isLarge,
      square <= DawidSkene.parameterLimit / annotators
    else { return nil }
    (annotatorCount, categoryCount) = (annotators, categories)
    let first = DawidSkene.estimate(table, annotators, categories) { item, posterior in
      DawidSkene.voteFractions(table.votes(of: item), &posterior)
      return 0
    }
    (priors, confusion) = (first.priors, first.confusion)
    var last = -Double.infinity
    while iterations < iterationLimit, !hasConverged {
      logPriors = priors.map { log(max($0, DawidSkene.minimumProbability)) }
      // Votes that never occur are not looked up.
      logConfusion = confusion.map { $0 > 0 ? log($0) : 0 }
      let next = DawidSkene.estimate(table, annotators, categories) {
        posterior(table.votes(of: $0), &$1)
      }
      (priors, confusion) = (next.priors, next.confusion)
      iterations += 1
      if let tolerance {
        hasConverged = next.likelihood - last < tolerance * Double(table.votes.count)
      }
      last = next.likelihood
    }
  }

  /// Returns the share of items of category `truth` that an annotator puts into `vote`.
  package func probability(annotator: Int, truth: Int, vote: Int) -> Double {
    confusion[(annotator * categoryCount + truth) * categoryCount + vote]
  }

  /// Returns the probability that an annotator is right about an item of which nothing is known.
  package func accuracy(annotator: Int) -> Double {
    (0..<categoryCount).reduce(0) {
      $0 + priors[$1] * probability(annotator: annotator, truth: $1, vote: $1)
    }
  }

  /// Returns the probability of each category, from the votes on an item.
  package func posterior(of item: Int, in table: VoteTable) -> [Double] {
    var posterior = [Double](repeating: 0, count: categoryCount)
    if iterations == 0 {
      DawidSkene.voteFractions(table.votes(of: item), &posterior)
    } else {
      _ = self.posterior(table.votes(of: item), &posterior)
    }
    return posterior
  }

  // MARK: E-step and M-step

  private static func voteFractions(
    _ votes: ArraySlice<VoteTable.Vote>, _ posterior: inout [Double]
  ) {
    for vote in votes { posterior[Int(vote.category)] += 1 / Double(votes.count) }
  }

  /// Computes the E-step of one item.
  ///
  /// - Returns: The logarithm of the likelihood of its votes.
  private func posterior(
    _ votes: ArraySlice<VoteTable.Vote>, _ posterior: inout [Double]
  ) -> Double {
    for truth in 0..<categoryCount {
      var sum = logPriors[truth]
      for vote in votes {
        sum +=
          logConfusion[
            (Int(vote.annotator) * categoryCount + truth) * categoryCount + Int(vote.category)]
      }
      posterior[truth] = sum
    }
    // The greatest becomes 1, so that no value that counts underflows.
    let greatest = posterior.max() ?? 0
    var sum = 0.0
    for truth in 0..<categoryCount {
      posterior[truth] = exp(posterior[truth] - greatest)
      sum += posterior[truth]
    }
    for truth in 0..<categoryCount { posterior[truth] /= sum }
    return greatest + log(sum)
  }

  private struct Estimate {
    var priors: [Double]
    var confusion: [Double]
    /// The logarithm of the likelihood of all votes, by the previous parameters.
    var likelihood = 0.0
  }

  /// Computes the M-step over all items. Posteriors are computed one by one and not kept, so that
  /// only the parameters use memory.
  private static func estimate(
    _ table: VoteTable, _ annotators: Int, _ categories: Int,
    _ fill: (Int, inout [Double]) -> Double
  ) -> Estimate {
    let none = [Double](repeating: 0, count: categories)
    var estimate = Estimate(
      priors: none, confusion: [Double](repeating: 0, count: annotators * categories * categories))
    var isUsed = [Bool](repeating: false, count: annotators * categories)
    var posterior = none
    for item in 0..<table.itemCount {
      for truth in 0..<categories { posterior[truth] = 0 }
      estimate.likelihood += fill(item, &posterior)
      for truth in 0..<categories { estimate.priors[truth] += posterior[truth] }
      for vote in table.votes(of: item) {
        let (annotator, category) = (Int(vote.annotator), Int(vote.category))
        isUsed[annotator * categories + category] = true
        for truth in 0..<categories {
          let row = (annotator * categories + truth) * categories
          estimate.confusion[row + category] += posterior[truth]
        }
      }
    }
    for truth in 0..<categories { estimate.priors[truth] /= Double(table.itemCount) }
    normalize(&estimate.confusion, categories, isUsed)
    return estimate
  }

  /// Scales the shares of an annotator's votes so that they sum to 1 for each true category.
  private static func normalize(_ confusion: inout [Double], _ categories: Int, _ isUsed: [Bool]) {
    for annotator in 0..<isUsed.count / categories {
      let used = (0..<categories).filter { isUsed[annotator * categories + $0] }
      for truth in 0..<categories {
        let row = (annotator * categories + truth) * categories
        var sum = 0.0
        for category in used {
          confusion[row + category] = max(confusion[row + category], minimumProbability)
          sum += confusion[row + category]
        }
        for category in used { confusion[row + category] /= sum }
      }
    }
  }
}
