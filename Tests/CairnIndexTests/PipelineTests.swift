import Testing

@testable import CairnIndex

@Suite("Pipelines of two threads")
struct PipelineTests {
  private struct Fault: Error {}

  @Test("passes on all elements in order", arguments: [0, 1, 511, 512, 513, 20_000])
  func order(count: Int) throws {
    var used: [Int] = []
    try pipelined(make: { put in for number in 0..<count { try put(number) } }) { used.append($0) }
    #expect(used == Array(0..<count))
  }

  @Test("throws when the producer fails, after all earlier elements")
  func makingFails() {
    var used = 0
    #expect(throws: Fault.self) {
      try pipelined { (put: (Int) throws -> Void) in
        for number in 0..<1024 { try put(number) }
        throw Fault()
      } use: { _ in
        used += 1
      }
    }
    #expect(used == 1024)
  }

  @Test("throws when the consumer fails, even if the producer is endless")
  func usingFails() {
    nonisolated(unsafe) var made = 0
    #expect(throws: Fault.self) {
      try pipelined { (put: (Int) throws -> Void) in
        while true {
          try put(made)
          made += 1
        }
      } use: {
        if $0 == 700 { throw Fault() }
      }
    }
    #expect(made < 100_000)
  }
}
