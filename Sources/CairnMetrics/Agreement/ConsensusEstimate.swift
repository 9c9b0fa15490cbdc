/// An estimate of annotators' error rates and of the true categories of items that several of them
/// rated, for the policy `dawid-skene`.
///
/// It is Dawid and Skene's method, adapted to few votes and to results that people can predict:
/// - Only items with two votes or more count. A single vote shows nothing about its annotator's
///   errors, and would make everyone who works alone look infallible.
/// - Only categories with a vote can be true of an item. Therefore, if all votes on an item agree,
///   they are right.
/// - Priors: each annotator has been right ``right`` times and wrong ``wrong`` times for each
///   category, and each category has been true once.
///
/// It starts from the shares of the votes. It uses only additions, multiplications and divisions of
/// IEEE doubles, in the order of the items and their votes: equal votes give equal bits on every
/// machine.
///
/// Source: A. P. Dawid and A. M. Skene, “Maximum likelihood estimation of observer error-rates
/// using the EM algorithm”, 1979, with Dirichlet priors (maximum a posteriori).
package struct ConsensusEstimate: Equatable, Sendable {
  /// A true category and an annotator's vote.
  package struct Cell: Hashable, Comparable, Sendable {
    package let annotator: Int
    package let truth: Int
    package let category: Int

    package init(annotator: Int, truth: Int, category: Int) {
      (self.annotator, self.truth, self.category) = (annotator, truth, category)
    }

    package static func < (a: Cell, b: Cell) -> Bool {
      (a.annotator, a.truth, a.category) < (b.annotator, b.truth, b.category)
    }
  }

  package static let right = 4.0
  package static let wrong = 1.0
  package static let iterationLimit = 100
  /// The iterations end when no probability changes by more than this.
  package static let tolerance = 1e-9

  /// The number of items in the estimate.
  package let items: Int
  /// The estimated number of items in each category.
  package private(set) var classCounts: [Double]
  /// The estimated count of each cell; 0 if missing.
  package private(set) var cells: [Cell: Double]
  private var rows: [Cell: Double] = [:]

  /// Creates an estimate from the stored results of an earlier one.
  package init(items: Int, classCounts: [Double], cells: [Cell: Double]) {
    (self.items, self.classCounts, self.cells) = (items, classCounts, cells)
    // Sorted, since floating-point sums depend on their order.
    for (cell, count) in cells.sorted(by: { $0.key < $1.key }) {
      rows[cell.row, default: 0] += count
    }
  }

  package var categoryCount: Int { classCounts.count }

  /// Returns how often an annotator votes `vote` for items of category `truth`; nil stands for an
  /// annotator without votes.
  package func probability(annotator: Int?, truth: Int, vote: Int) -> Double {
    let others = Double(max(categoryCount, 2) - 1)
    let before = truth == vote ? ConsensusEstimate.right : ConsensusEstimate.wrong / others
    let all = ConsensusEstimate.right + ConsensusEstimate.wrong
    guard let annotator else { return before / all }
    let cell = Cell(annotator: annotator, truth: truth, category: vote)
    return ((cells[cell] ?? 0) + before) / ((rows[cell.row] ?? 0) + all)
  }

  /// Returns the share of items in a category.
  package func prior(_ category: Int) -> Double {
    let known = classCounts.indices.contains(category) ? classCounts[category] : 0
    // All classes of a set without data are equally frequent.
    return (known + 1) / (Double(items) + Double(max(categoryCount, 1)))
  }

  /// Returns the probability of each category with a vote, from votes sorted by annotator.
  ///
  /// A vote never counts against its own category: if its annotator chooses it more often where
  /// another category is true, the vote counts for nothing. Therefore another vote for a category
  /// never makes it less likely.
  /// - Parameter isEven: Whether to assume that all categories are equally frequent.
  package func posterior(
    _ votes: [(annotator: Int?, category: Int)], isEven: Bool = false
  ) -> [(category: Int, probability: Double)] {
    let candidates = Set(votes.map(\.category)).sorted()
    var values = candidates.map { isEven ? 1 : prior($0) }
    for vote in votes {
      let right = probability(annotator: vote.annotator, truth: vote.category, vote: vote.category)
      for (index, truth) in candidates.enumerated() {
        values[index] *= min(
          right, probability(annotator: vote.annotator, truth: truth, vote: vote.category))
      }
      ConsensusEstimate.normalize(&values)
    }
    return Array(zip(candidates, values)).map { (category: $0, probability: $1) }
  }

  fileprivate static func normalize(_ values: inout [Double]) {
    var sum = 0.0
    for value in values { sum += value }
    for index in values.indices { values[index] /= sum }
  }
}

extension ConsensusEstimate.Cell {
  /// The key for the sum of all of an annotator's votes for one true category.
  fileprivate var row: ConsensusEstimate.Cell {
    ConsensusEstimate.Cell(annotator: annotator, truth: truth, category: -1)
  }
}

// MARK: Estimating

extension ConsensusEstimate {
  /// Estimates from votes, each item's sorted by annotator; nil if no item has two.
  package init?(_ table: VoteTable, categories: Int) {
    var state = EMState(categories)
    for item in 0..<table.itemCount { state.add(table.votes(of: item)) }
    guard state.items > 0 else { return nil }
    state.run()
    self.init(
      items: state.items, classCounts: state.classCounts,
      cells: Dictionary(
        uniqueKeysWithValues: state.indices.filter { $0.key.category >= 0 }
          .map { ($0.key, state.counts[$0.value]) }))
  }

  /// The counts during the iteration. Items with unanimous votes are counted once; the others are
  /// visited in each iteration.
  private struct EMState {
    private(set) var items = 0
    private(set) var classCounts: [Double]
    /// The indices in ``counts`` of cells and rows.
    private(set) var indices: [Cell: Int] = [:]
    private(set) var counts: [Double] = []
    private var candidates: [Int] = []
    private var probabilities: [Double] = []
    /// The start of each item's candidates.
    private var starts: [Int] = []
    /// For each item, vote and candidate, the indices of the cell and row counts.
    private var updates: [Update] = []
    private var updateStarts: [Int] = []

    private struct Update {
      let cell: Int
      let row: Int
      let isRight: Bool
    }

    init(_ categories: Int) { classCounts = [Double](repeating: 0, count: categories) }

    mutating func add(_ votes: ArraySlice<VoteTable.Vote>) {
      if votes.count < 2 { return }
      items += 1
      let categories = Set(votes.map { Int($0.category) }).sorted()
      if categories.count > 1 {
        starts.append(candidates.count)
        updateStarts.append(updates.count)
        for category in categories {
          candidates.append(category)
          let count = votes.count { Int($0.category) == category }
          probabilities.append(Double(count) / Double(votes.count))
        }
      } else {
        classCounts[categories[0]] += 1
      }
      for vote in votes {
        for truth in categories {
          let cell = Cell(
            annotator: Int(vote.annotator), truth: truth, category: Int(vote.category))
          let update = Update(
            cell: index(of: cell), row: index(of: cell.row),
            isRight: truth == Int(vote.category))
          if categories.count > 1 {
            updates.append(update)
          } else {
            counts[update.cell] += 1
            counts[update.row] += 1
          }
        }
      }
    }

    private mutating func index(of cell: Cell) -> Int {
      if let known = indices[cell] { return known }
      indices[cell] = counts.count
      counts.append(0)
      return counts.count - 1
    }

    mutating func run() {
      let (unanimousTruths, unanimousCounts) = (classCounts, counts)
      for iteration in 0..<ConsensusEstimate.iterationLimit {
        (classCounts, counts) = (unanimousTruths, unanimousCounts)
        for item in starts.indices { count(item) }
        if iteration == ConsensusEstimate.iterationLimit - 1 { return }
        var change = 0.0
        for item in starts.indices { change = max(change, updateProbabilities(item)) }
        if change <= ConsensusEstimate.tolerance { return }
      }
    }

    private func range(_ item: Int) -> Range<Int> {
      starts[item]..<(item + 1 < starts.count ? starts[item + 1] : candidates.count)
    }

    private func updateRange(_ item: Int) -> Range<Int> {
      updateStarts[item]..<(item + 1 < starts.count ? updateStarts[item + 1] : updates.count)
    }

    private mutating func count(_ item: Int) {
      let range = range(item)
      for index in range { classCounts[candidates[index]] += probabilities[index] }
      for (offset, update) in updates[updateRange(item)].enumerated() {
        let probability = probabilities[range.lowerBound + offset % range.count]
        counts[update.cell] += probability
        counts[update.row] += probability
      }
    }

    /// Updates an item's probabilities and returns the largest change.
    private mutating func updateProbabilities(_ item: Int) -> Double {
      let range = range(item)
      let categories = Double(classCounts.count)
      let wrong = ConsensusEstimate.wrong / (categories - 1)
      let all = ConsensusEstimate.right + ConsensusEstimate.wrong
      var values = candidates[range].map { (classCounts[$0] + 1) / (Double(items) + categories) }
      for (offset, update) in updates[updateRange(item)].enumerated() {
        let before = update.isRight ? ConsensusEstimate.right : wrong
        let index = offset % range.count
        values[index] *= (counts[update.cell] + before) / (counts[update.row] + all)
        if index == range.count - 1 { ConsensusEstimate.normalize(&values) }
      }
      var change = 0.0
      for (offset, index) in range.enumerated() {
        change = max(change, (values[offset] - probabilities[index]).magnitude)
        probabilities[index] = values[offset]
      }
      return change
    }
  }
}
