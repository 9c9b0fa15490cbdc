/// Finds the nearest of some vectors.
final class NeighborSearch {
  /// A vector by its number, and the square of its distance.
  struct Neighbor: Equatable {
    let number: Int
    let squaredDistance: Float
  }

  let count: Int
  /// By component, then by vector.
  private let transposed: Matrix
  private let squares: [Float]

  /// - Parameter vectors: At least one; all have the same length.
  init(_ vectors: [[Float]]) {
    count = vectors.count
    let length = vectors[0].count
    transposed = Matrix(rows: length, columns: count)
    for (number, vector) in vectors.enumerated() {
      precondition(vector.count == length)
      for component in 0..<length { transposed[component, number] = vector[component] }
    }
    squares = vectors.map(NeighborSearch.square)
  }

  private static func square(_ vector: [Float]) -> Float { vector.reduce(0) { $0 + $1 * $1 } }

  /// The number of vectors that are compared at once.
  static let blockSize = 128

  /// Returns the nearest vectors of each of some others, nearest first; of equally near ones, the
  /// first.
  ///
  /// - Parameters:
  ///   - others: At most ``blockSize``.
  ///   - limit: How many neighbors each has, at most.
  ///   - first: The number of the first of the others if they are among the vectors themselves:
  ///     none is its own neighbor.
  func nearest(
    to others: ArraySlice<[Float]>, limit: Int, first: Int? = nil
  ) -> [[Neighbor]] {
    let length = transposed.rows
    let block = Matrix(rows: others.count, columns: length)
    for (row, vector) in others.enumerated() {
      for component in 0..<length { block[row, component] = vector[component] }
    }
    let products = Matrix(rows: others.count, columns: count)
    multiply(block, rows: others.count, transposed, into: products)
    return others.enumerated().map { row, vector in
      let own = NeighborSearch.square(vector)
      return nearest(
        products.values + row * products.stride, limit: limit, except: first.map { $0 + row }
      ).map { number, rest in
        Neighbor(number: number, squaredDistance: max(0, own + rest))
      }
    }
  }

  /// Returns the numbers of the vectors with the least squared distances, which are given except for
  /// the square of the other vector.
  private func nearest(
    _ products: UnsafePointer<Float>, limit: Int, except own: Int?
  ) -> [(number: Int, rest: Float)] {
    var found: [(number: Int, rest: Float)] = []
    found.reserveCapacity(limit + 1)
    squares.withUnsafeBufferPointer { squares in
      for number in 0..<count where number != own {
        let rest = squares[number] - 2 * products[number]
        if found.count == limit, !(rest < found[limit - 1].rest) { continue }
        var place = found.count
        while place > 0, rest < found[place - 1].rest { place -= 1 }
        found.insert((number, rest), at: place)
        if found.count > limit { found.removeLast() }
      }
    }
    return found
  }
}
