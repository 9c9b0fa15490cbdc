import CairnDocument
import CairnFormats
import Testing

@Suite("Parts for training and testing")
struct SplitTests {
  private func photo(_ number: Int) -> PhotoID {
    PhotoID(digest: (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) })
  }

  @Test("photos are parted by their shares, each always the same way")
  func shares() throws {
    let split = try #require(Split("train=80,val=10,test=10"))
    let parts = (0..<20_000).map { split.part(of: photo($0), at: nil) }
    for (name, share) in [("train", 0.8), ("val", 0.1), ("test", 0.1)] {
      let found = Double(parts.count { $0 == name }) / 20_000
      #expect(abs(found - share) < 0.01, "\(name): \(found)")
    }
    #expect(parts == (0..<20_000).map { split.part(of: photo($0), at: nil) })
  }

  @Test("a later version parts photos as this one does")
  func frozen() throws {
    let split = try #require(Split("train=80,val=10,test=10"))
    #expect((0..<12).filter { split.part(of: photo($0), at: nil) != "train" } == [4, 9])
    #expect([4, 9].allSatisfy { split.part(of: photo($0), at: nil) == "val" })
  }

  @Test("a larger share of the first part, or the last, keeps whom it had", arguments: ["a", "c"])
  func growth(part: String) throws {
    let small = try #require(Split("a=1,b=8,c=1"))
    let large = try #require(Split(part == "a" ? "a=2,b=7,c=1" : "a=1,b=7,c=2"))
    let ids = (0..<1000).map(photo).filter { small.part(of: $0, at: nil) == part }
    #expect(ids.count > 50)
    #expect(ids.allSatisfy { large.part(of: $0, at: nil) == part })
  }

  @Test("photos of a pin stay together")
  func pins() throws {
    let split = try #require(Split("train=1,test=1", isByPin: true))
    let pins = (0..<40).map {
      PinID(unchecked: String(repeating: "0", count: 18) + String(10 + $0))
    }
    let parts = pins.map { pin in Set((0..<50).map { split.part(of: photo($0), at: pin) }) }
    #expect(parts.allSatisfy { $0.count == 1 })
    #expect(Set(parts.compactMap(\.first)).count == 2)
  }

  @Test(
    "what does not say how to part is refused",
    arguments: [
      "", "train", "train=0", "train=-1,val=2", "train=nan", "a=1,a=2", "../x=1", "A b=1", "a=1,",
    ])
  func refusals(text: String) { #expect(Split(text) == nil) }
}
