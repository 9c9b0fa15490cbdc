/// How annotators err and what is true of the items that several of them rated: the estimate behind the
/// policy `dawid-skene`.
///
/// It is Dawid and Skene's, made for few votes and for people who must be able to foresee it:
/// - Only items with two votes or more count. One vote alone says nothing of how its annotator errs, and
///   would make everybody who works alone look infallible.
/// - Only what somebody said of an item can be true of it. So an item that all agree on is what they say.
/// - Everybody is taken to have been right ``right`` times and wrong ``wrong`` times of each category
///   before, and each category to have been true once.
///
/// It starts from the shares of the votes. It uses additions, multiplications and divisions of IEEE
/// doubles alone, in the order of the items and their votes: equal votes give equal bits on every machine.
///
/// Source: A. P. Dawid and A. M. Skene, “Maximum likelihood estimation of observer error-rates using
/// the EM algorithm”, 1979, with Dirichlet priors (maximum a posteriori).
public struct ConsensusEstimate: Equatable, Sendable {
  /// A true category, and what an annotator says.
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
  /// It comes to rest when no probability changes by more.
  public static let tolerance = 1e-9

  /// How many items it is made of.
  public let items: Int
  /// How many items are of each category, as far as is known.
  public private(set) var truths: [Double]
  /// How often each was said, as far as is known; what is missing never was.
  public private(set) var cells: [Cell: Double]
  private var rows: [Cell: Double] = [:]

  /// Takes what was estimated before.
  public init(items: Int, truths: [Double], cells: [Cell: Double]) {
    (self.items, self.truths, self.cells) = (items, truths, cells)
    // Sorted, since sums depend on their order.
    for (cell, count) in cells.sorted(by: { $0.key < $1.key }) {
      rows[cell.row, default: 0] += count
    }
  }

  public var categoryCount: Int { truths.count }

  /// Returns the share of what is of category `truth` that an annotator calls `said`; nobody in
  /// particular is one who was never heard.
  public func share(annotator: Int?, truth: Int, said: Int) -> Double {
    let others = Double(max(categoryCount, 2) - 1)
    let before = truth == said ? ConsensusEstimate.right : ConsensusEstimate.wrong / others
    let all = ConsensusEstimate.right + ConsensusEstimate.wrong
    guard let annotator else { return before / all }
    let cell = Cell(annotator: annotator, truth: truth, said: said)
    return ((cells[cell] ?? 0) + before) / ((rows[cell.row] ?? 0) + all)
  }

  /// The share of items that are of a category.
  public func prior(_ category: Int) -> Double {
    let known = truths.indices.contains(category) ? truths[category] : 0
    // Of a set that nothing is known of all classes are equally frequent.
    return (known + 1) / (Double(items) + Double(max(categoryCount, 1)))
  }

  /// Returns how likely each category is that was said, by votes that are sorted by annotator.
  ///
  /// A vote never speaks against what it says: of one who says it rather where something else is true, it
  /// counts for nothing. So a vote more for a category never makes that less likely.
  /// - Parameter isEven: Whether all categories are taken to be equally frequent.
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
      ConsensusEstimate.normalise(&values)
    }
    return Array(zip(candidates, values)).map { (category: $0, probability: $1) }
  }

  fileprivate static func normalise(_ values: inout [Double]) {
    var sum = 0.0
    for value in values { sum += value }
    for place in values.indices { values[place] /= sum }
  }
}

extension ConsensusEstimate.Cell {
  /// What stands for all that an annotator says of a category.
  fileprivate var row: ConsensusEstimate.Cell {
    ConsensusEstimate.Cell(annotator: annotator, truth: truth, said: -1)
  }
}

// MARK: Estimating

extension ConsensusEstimate {
  /// Estimates from votes, an item's sorted by annotator; nil where no item has two.
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

  /// The counts while they change. What all agree on is counted once; the items that people differ on are
  /// gone through again and again.
  private struct Work {
    private(set) var items = 0
    private(set) var truths: [Double]
    private(set) var places: [Cell: Int] = [:]
    private(set) var counts: [Double] = []
    private var candidates: [Int] = []
    private var probabilities: [Double] = []
    /// Where the candidates of each item begin.
    private var starts: [Int] = []
    /// Of each item, each vote and each candidate: where its cell and its row are counted.
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

    /// Returns by how much the probabilities of an item change at most.
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
        if place == range.count - 1 { ConsensusEstimate.normalise(&values) }
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
