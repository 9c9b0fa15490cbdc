import CairnDocument
import CairnMerge
import TestSupport
import Testing

private struct Timed: Equatable { var value: Int, time: Int }

/// A valid join: the latest wins, and the greater value if the times are equal.
private struct Latest: Joinable {
  var timed: Timed
  func joined(with other: Latest) -> Latest {
    (timed.time, timed.value) < (other.timed.time, other.timed.value) ? other : self
  }
}

private struct MineWinsOnATie: Joinable {
  var timed: Timed
  func joined(with other: MineWinsOnATie) -> MineWinsOnATie {
    timed.time < other.timed.time ? other : self
  }
}

private struct SumInsteadOfMax: Joinable {
  var count: Int
  func joined(with other: SumInsteadOfMax) -> SumInsteadOfMax {
    SumInsteadOfMax(count: count + other.count)
  }
}

private struct LastArgumentWins: Joinable {
  var value: Int
  func joined(with other: LastArgumentWins) -> LastArgumentWins { other }
}

private struct ShorterText: Joinable {
  var text: String
  func joined(with other: ShorterText) -> ShorterText {
    other.text.count < text.count ? other : self
  }
}

/// Rock, paper, scissors: each beats one, none beats all.
private enum Hand: Int, Joinable {
  case rock, paper, scissors
  func joined(with other: Hand) -> Hand { (rawValue + 1) % 3 == other.rawValue ? other : self }
}

private struct Mean: Joinable {
  var value: Double
  func joined(with other: Mean) -> Mean { Mean(value: (value + other.value) / 2) }
}

@Suite("Join laws")
struct JoinLawsTests {
  private let timed = [(1, 1), (2, 1), (3, 2), (1, 3), (2, 3)].map {
    Timed(value: $0.0, time: $0.1)
  }

  @Test("accepts a valid join")
  func passes() {
    #expect(checkJoinLaws(timed.map(Latest.init)) == nil)
    #expect(checkJoinLaws([Latest]()) == nil)
  }

  @Test("names the law that an invalid join breaks")
  func catches() {
    func law<T: Joinable>(_ values: [T]) -> String? {
      checkJoinLaws(values).map { String($0.prefix { $0 != ":" }) }
    }
    #expect(law(timed.map(MineWinsOnATie.init)) == "not commutative")
    #expect(law([1, 2, 3].map(SumInsteadOfMax.init)) == "not idempotent")
    #expect(law([1, 2, 3].map(LastArgumentWins.init)) == "not commutative")
    #expect(law(["a", "b", "cc"].map(ShorterText.init)) == "not commutative")
    #expect(law([Hand.rock, .paper, .scissors]) == "not associative")
    #expect(law([1.0, 2, 4].map(Mean.init)) == "not absorbing")
  }

  @Test("hold for random JSON", arguments: UInt64(0)..<48)
  func randomJSON(seed: UInt64) {
    var random = SeededGenerator(seed)
    #expect(checkJoinLaws((0..<10).map { _ in random.value() }) == nil)
  }

  @Test("hold for random objects of similar shape", arguments: UInt64(100)..<120)
  func randomObjects(seed: UInt64) {
    var random = SeededGenerator(seed)
    let objects = (0..<7).map { _ in
      JSONObject(["a", "b", "name", "policy"].map { ($0, random.value(depth: 2)) })
    }
    #expect(checkJoinLaws(objects) == nil)
    #expect(checkJoinLaws(objects.map(JSON.object)) == nil)
  }

  @Test("hold for values of every rank and for near misses")
  func ranks() {
    let stamp = at(5).description
    let values: [JSON] = [
      .null, false, true, -1, 0, 0.5, "", "a", "e\u{301}", "\u{E9}", [], [1], [1, 2], [[:]], [:],
      ["a": 1], ["stamp": "x"], ["stamp": ["stamp": .string(stamp)]], ["stamp": .string(stamp)],
      ["stamp": .string(stamp), "a": 1], ["stamp": .string(at(6).description)],
      ["stamp": .string(stamp.uppercased()), "a": 2],
    ]
    #expect(checkJoinLaws(values) == nil)
  }

  @Test("hold for numbers that are equal as doubles")
  func bigNumbers() throws {
    let texts = [
      "9007199254740992", "9007199254740993", "-9007199254740993", "1e+300",
      "1" + String(repeating: "0", count: 310), "2" + String(repeating: "0", count: 310),
      "-1" + String(repeating: "0", count: 310), "0", "0.1",
    ]
    #expect(checkJoinLaws(try texts.map { try JSON(bytes: $0.utf8) }) == nil)
  }
}
