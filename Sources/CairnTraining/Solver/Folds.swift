/// The folds of a cross-validation: every class is spread evenly over them, and the rows of a group
/// are in one fold.
package struct Folds: Equatable, Sendable {
  package let count: Int
  /// The fold of each row.
  package let indices: [Int]

  /// - Parameter groups: The group of each row, numbered from 0 in the order of their first rows.
  package init(_ targets: Targets, groups: [Int], count: Int) {
    self.count = count
    var members = [[Int]](repeating: [], count: (groups.max() ?? -1) + 1)
    for (row, group) in groups.enumerated() { members[group].append(row) }
    let outcomes = 2 * targets.classCount
    func tally(_ rows: [Int]) -> [Double] {
      var tally = [Double](repeating: 0, count: outcomes)
      for row in rows {
        for index in 0..<targets.classCount {
          guard let verdict = targets.verdict(row, index) else { continue }
          tally[2 * index + (verdict ? 1 : 0)] += 1
        }
      }
      return tally
    }
    let totals = tally(Array(0..<targets.count))
    var loads = [[Double]](repeating: Array(repeating: 0, count: outcomes), count: count)
    var sizes = [Int](repeating: 0, count: count)
    var indices = [Int](repeating: 0, count: groups.count)
    // Large groups first, because small ones fill the gaps; rows are in the order of their ids.
    let order = members.indices.sorted {
      (-members[$0].count, $0) < (-members[$1].count, $1)
    }
    for group in order {
      let own = tally(members[group])
      func cost(_ fold: Int) -> Double {
        var cost = 0.0
        for outcome in 0..<outcomes where totals[outcome] > 0 {
          cost += own[outcome] * loads[fold][outcome] / (totals[outcome] * totals[outcome])
        }
        return cost
      }
      var best = (cost: cost(0), fold: 0)
      for fold in 1..<count {
        let cost = cost(fold)
        if cost < best.cost || (cost == best.cost && sizes[fold] < sizes[best.fold]) {
          best = (cost, fold)
        }
      }
      for outcome in 0..<outcomes { loads[best.fold][outcome] += own[outcome] }
      sizes[best.fold] += members[group].count
      for row in members[group] { indices[row] = best.fold }
    }
    self.indices = indices
  }
}
