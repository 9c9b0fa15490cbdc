import Foundation
import TestSupport
import Testing

@testable import CairnTraining

@Suite("Layout of similar vectors")
struct LayoutTests {
  /// Returns the share of the five nearest others that are of the same class, over all positions.
  private func purity(_ positions: [NeighborLayout.Position], _ classes: [Int]) -> Double {
    var (same, all) = (0, 0)
    for (number, own) in positions.enumerated() {
      let others = positions.indices.filter { $0 != number }.sorted {
        squaredDistance(positions[$0], own) < squaredDistance(positions[$1], own)
      }
      same += others.prefix(5).count { classes[$0] == classes[number] }
      all += 5
    }
    return Double(same) / Double(all)
  }

  private func squaredDistance(
    _ first: NeighborLayout.Position, _ second: NeighborLayout.Position
  ) -> Float {
    let (x, y) = (first.x - second.x, first.y - second.y)
    return x * x + y * y
  }

  @Test("puts similar vectors near each other, at the same positions each time")
  func neighbors() throws {
    let (rows, classes) = clusters(120, classes: 6, columns: 20, spread: 0.6, seed: 3)
    let positions = try NeighborLayout.positions(of: rows)
    #expect(purity(positions, classes) > 0.9)
    #expect(positions.allSatisfy { 0...1 ~= $0.x && 0...1 ~= $0.y })
    let again = try NeighborLayout.positions(of: rows)
    #expect(zip(positions, again).allSatisfy { $0.x == $1.x && $0.y == $1.y })
  }

  @Test("puts the vectors beyond a limit between the similar ones of the others")
  func landmarks() throws {
    let (rows, classes) = clusters(200, classes: 4, columns: 20, spread: 0.6, seed: 4)
    var steps: [Int] = []
    let positions = try NeighborLayout.positions(
      of: rows, landmarks: 60, progress: { done, _ in steps.append(done) })
    #expect(positions.count == 200)
    #expect(purity(positions, classes) > 0.9)
    #expect(positions.allSatisfy { 0...1 ~= $0.x && 0...1 ~= $0.y })
    #expect(steps.count > 300)
  }

  @Test("finds the nearest vectors, the first of equally near ones")
  func nearest() {
    let vectors: [[Float]] = [[0, 0], [3, 0], [0, 3], [9, 9], [0, 0]]
    let search = NeighborSearch(vectors)
    let own = search.nearest(to: vectors[0...1], limit: 3, first: 0)
    #expect(own[0].map(\.number) == [4, 1, 2])
    #expect(own[0].map(\.squaredDistance) == [0, 9, 9])
    #expect(own[1].map(\.number) == [0, 4, 2])
    let other = search.nearest(to: [[8, 9]], limit: 1)
    #expect(other[0].map(\.number) == [3])
  }

  @Test("places few vectors and equal ones apart", arguments: [0, 1, 2, 3, 20])
  func few(count: Int) throws {
    let positions = try NeighborLayout.positions(
      of: [[Float]](repeating: [1, 2, 3], count: count))
    #expect(positions.count == count)
    #expect(positions.allSatisfy { 0...1 ~= $0.x && 0...1 ~= $0.y })
    #expect(Set(positions.map { "\($0.x) \($0.y)" }).count == count)
  }

  @Test("stops when it is canceled")
  func cancellation() {
    let (rows, _) = clusters(40, classes: 2, columns: 6, seed: 5)
    #expect(throws: CancellationError.self) {
      try NeighborLayout.positions(of: rows, checkCancellation: { throw CancellationError() })
    }
  }
}
