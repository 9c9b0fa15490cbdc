/// An estimate of annotators' error rates and of the true categories of items that several of them
/// rated, for the policy `dawid-skene`.
///
/// It is Dawid and Skene's method, adapted to few votes and to results that people can predict:
/// - Only items with two votes or more count. One vote alone says nothing about its annotator's
///   errors, and would make everybody who works alone look infallible.
/// - Only categories with a vote can be true of an item. So if all agree on an item, they are
///   right.
/// - Priors: everybody has been right ``right`` times and wrong ``wrong`` times for each category,
///   and each category has been true once.
///
/// It starts from the shares of the votes. It uses only additions, multiplications and divisions of
/// IEEE doubles, in the order of the items and their votes: equal votes give equal bits on every
/// machine.
///
/// Source: A. P. Dawid and A. M. Skene, “Maximum likelihood estimation of observer error-rates
/// using the EM algorithm”, 1979, with Dirichlet priors (maximum a posteriori).
public struct ConsensusEstimate: Equatable, Sendable {
  /// A true category and an annotator's vote.
  public struct Cell: Hashable, Comparable, Sendable {
    public let annotator: Int
    public let truth: Int
    public let said: Int

    public init(annotator: Int, truth: Int, said: Int) {
      (self.annotator, self.truth, self.said) = (annotator, truth, said)
    }

    public static func < (a: Cell, b: Cell) -> Bool {
      (a.annotator, a.truth, a.said) < (b.annotator, b.truth, b.said)
    }
  }

  public static let right = 4.0
  public static let wrong = 1.0
  public static let iterationLimit = 100
  /// The iteration stops when no probability changes by more than this.
  public static let tolerance = 1e-9

  /// The number of items in the estimate.
  public let items: Int
  /// The estimated number of items in each category.
  public private(set) var truths: [Double]
  /// The estimated count of each cell; 0 if missing.
  public private(set) var cells: [Cell: Double]
  private var rows: [Cell: Double] = [:]

  /// Creates an estimate from the stored results of an earlier one.
  public init(items: Int, truths: [Double], cells: [Cell: Double]) {
    (self.items, self.truths, self.cells) = (items, truths, cells)
    // Sorted, since floating-point sums depend on their order.
    for (cell, count) in cells.sorted(by: { $0.key < $1.key }) {
      rows[cell.row, default: 0] += count
    }
  }

  public var categoryCount: Int { truths.count }

  /// Returns how often an annotator votes `said` for items of category `truth`; nil stands for an
  /// annotator without votes.
  public func share(annotator: Int?, truth: Int, said: Int) -> Double {
    let others = Double(max(categoryCount, 2) - 1)
    let before = truth == said ? ConsensusEstimate.right : ConsensusEstimate.wrong / others
    let all = ConsensusEstimate.right + ConsensusEstimate.wrong
    guard let annotator else { return before / all }
    let cell = Cell(annotator: annotator, truth: truth, said: said)
    return ((cells[cell] ?? 0) + before) / ((rows[cell.row] ?? 0) + all)
  }

  /// Returns the share of items in a category.
  public func prior(_ category: Int) -> Double {
    let known = truths.indices.contains(category) ? truths[category] : 0
    // All classes of a set without data are equally frequent.
    return (known + 1) / (Double(items) + Double(max(categoryCount, 1)))
  }

  /// Returns the probability of each category with a vote, from votes sorted by annotator.
  ///
  /// A vote never counts against its own category: if its annotator chooses it more often where
  /// another category is true, the vote counts for nothing. So another vote for a category never
  /// makes it less likely.
  /// - Parameter isEven: Whether to assume that all categories are equally frequent.
  public func posterior(
    _ votes: [(annotator: Int?, said: Int)], isEven: Bool = false
  ) -> [(category: Int, probability: Double)] {
    let candidates = Set(votes.map(\.said)).sorted()
    var values = candidates.map { isEven ? 1 : prior($0) }
    for vote in votes {
      let right = share(annotator: vote.annotator, truth: vote.said, said: vote.said)
      for (place, truth) in candidates.enumerated() {
        values[place] *= min(
          right, share(annotator: vote.annotator, truth: truth, said: vote.said))
      }
      ConsensusEstimate.normalize(&values)
    }
    return Array(zip(candidates, values)).map { (category: $0, probability: $1) }
  }

  fileprivate static func normalize(_ values: inout [Double]) {
    var sum = 0.0
    for value in values { sum += value }
    for place in values.indices { values[place] /= sum }
  }
}

extension ConsensusEstimate.Cell {
  /// The key for the sum of all of an annotator's votes for one true category.
  fileprivate var row: ConsensusEstimate.Cell {
    ConsensusEstimate.Cell(annotator: annotator, truth: truth, said: -1)
  }
}

// MARK: Estimating

extension ConsensusEstimate {
  /// Estimates from votes, each item's sorted by annotator; nil if no item has two.
  public init?(_ table: VoteTable, categories: Int) {
    var work = Work(categories)
    for item in 0..<table.itemCount { work.add(table.votes(of: item)) }
    guard work.items > 0 else { return nil }
    work.run()
    self.init(
      items: work.items, truths: work.truths,
      cells: Dictionary(
        uniqueKeysWithValues: work.places.filter { $0.key.said >= 0 }
          .map { ($0.key, work.counts[$0.value]) }))
  }

  /// The counts during the iteration. Items with unanimous votes are counted once; the others are
  /// visited in each iteration.
  private struct Work {
    private(set) var items = 0
    private(set) var truths: [Double]
    private(set) var places: [Cell: Int] = [:]
    private(set) var counts: [Double] = []
    private var candidates: [Int] = []
    private var probabilities: [Double] = []
    /// The start of each item's candidates.
    private var starts: [Int] = []
    /// The positions of the cell and row counts, for each item, vote and candidate.
    private var steps: [Step] = []
    private var stepStarts: [Int] = []

    private struct Step {
      let cell: Int
      let row: Int
      let isRight: Bool
    }

    init(_ categories: Int) { truths = [Double](repeating: 0, count: categories) }

    mutating func add(_ votes: ArraySlice<VoteTable.Vote>) {
      if votes.count < 2 { return }
      items += 1
      let said = Set(votes.map { Int($0.category) }).sorted()
      if said.count > 1 {
        starts.append(candidates.count)
        stepStarts.append(steps.count)
        for one in said {
          candidates.append(one)
          let count = votes.count { Int($0.category) == one }
          probabilities.append(Double(count) / Double(votes.count))
        }
      } else {
        truths[said[0]] += 1
      }
      for vote in votes {
        for truth in said {
          let cell = Cell(
            annotator: Int(vote.annotator), truth: truth, said: Int(vote.category))
          let step = Step(
            cell: place(cell), row: place(cell.row), isRight: truth == Int(vote.category))
          if said.count > 1 {
            steps.append(step)
          } else {
            counts[step.cell] += 1
            counts[step.row] += 1
          }
        }
      }
    }

    private mutating func place(_ cell: Cell) -> Int {
      if let known = places[cell] { return known }
      places[cell] = counts.count
      counts.append(0)
      return counts.count - 1
    }

    mutating func run() {
      let (agreedTruths, agreed) = (truths, counts)
      for iteration in 0..<ConsensusEstimate.iterationLimit {
        (truths, counts) = (agreedTruths, agreed)
        for item in starts.indices { count(item) }
        if iteration == ConsensusEstimate.iterationLimit - 1 { return }
        var change = 0.0
        for item in starts.indices { change = max(change, weigh(item)) }
        if change <= ConsensusEstimate.tolerance { return }
      }
    }

    private func range(_ item: Int) -> Range<Int> {
      starts[item]..<(item + 1 < starts.count ? starts[item + 1] : candidates.count)
    }

    private func stepRange(_ item: Int) -> Range<Int> {
      stepStarts[item]..<(item + 1 < starts.count ? stepStarts[item + 1] : steps.count)
    }

    private mutating func count(_ item: Int) {
      let range = range(item)
      for place in range { truths[candidates[place]] += probabilities[place] }
      for (offset, step) in steps[stepRange(item)].enumerated() {
        let probability = probabilities[range.lowerBound + offset % range.count]
        counts[step.cell] += probability
        counts[step.row] += probability
      }
    }

    /// Updates an item's probabilities and returns the largest change.
    private mutating func weigh(_ item: Int) -> Double {
      let range = range(item)
      let categories = Double(truths.count)
      let wrong = ConsensusEstimate.wrong / (categories - 1)
      let all = ConsensusEstimate.right + ConsensusEstimate.wrong
      var values = candidates[range].map { (truths[$0] + 1) / (Double(items) + categories) }
      for (offset, step) in steps[stepRange(item)].enumerated() {
        let before = step.isRight ? ConsensusEstimate.right : wrong
        let place = offset % range.count
        values[place] *= (counts[step.cell] + before) / (counts[step.row] + all)
        if place == range.count - 1 { ConsensusEstimate.normalize(&values) }
      }
      var change = 0.0
      for (offset, place) in range.enumerated() {
        change = max(change, (values[offset] - probabilities[place]).magnitude)
        probabilities[place] = values[offset]
      }
      return change
    }
  }
}
