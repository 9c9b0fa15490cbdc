/// Disjoint sets of numbers, with union and find.
package struct DisjointSets {
  private var parents: [Int]

  package init(count: Int) { parents = Array(0..<count) }

  /// Returns the smallest number of the set that `number` is in.
  package mutating func root(of number: Int) -> Int {
    var number = number
    while parents[number] != number {
      parents[number] = parents[parents[number]]
      number = parents[number]
    }
    return number
  }

  package mutating func unite(_ a: Int, _ b: Int) {
    let (a, b) = (root(of: a), root(of: b))
    // The smaller number is the root, so that the outcome does not depend on the order.
    parents[max(a, b)] = min(a, b)
  }
}
