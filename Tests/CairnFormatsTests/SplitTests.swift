import CairnDocument
import CairnFormats
import Testing

@Suite("Splits for training and testing")
struct SplitTests {
  private func photo(_ number: Int) -> PhotoID {
    PhotoID(digest: (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) })
  }

  @Test("splits photos by their shares, the same way every time")
  func shares() throws {
    let split = try #require(Split("train=80,val=10,test=10"))
    let parts = (0..<20_000).map { split.subset(of: photo($0), at: nil) }
    for (name, share) in [("train", 0.8), ("val", 0.1), ("test", 0.1)] {
      let found = Double(parts.count { $0 == name }) / 20_000
      #expect(abs(found - share) < 0.01, "\(name): \(found)")
    }
    #expect(parts == (0..<20_000).map { split.subset(of: photo($0), at: nil) })
  }

  @Test("splits photos as earlier versions did")
  func frozen() throws {
    let split = try #require(Split("train=80,val=10,test=10"))
    #expect((0..<12).filter { split.subset(of: photo($0), at: nil) != "train" } == [4, 9])
    #expect([4, 9].allSatisfy { split.subset(of: photo($0), at: nil) == "val" })
  }

  @Test("keeps the photos of the first or last subset when its share grows", arguments: ["a", "c"])
  func growth(subset: String) throws {
    let small = try #require(Split("a=1,b=8,c=1"))
    let large = try #require(Split(subset == "a" ? "a=2,b=7,c=1" : "a=1,b=7,c=2"))
    let ids = (0..<1000).map(photo).filter { small.subset(of: $0, at: nil) == subset }
    #expect(ids.count > 50)
    #expect(ids.allSatisfy { large.subset(of: $0, at: nil) == subset })
  }

  @Test("keeps the photos of a pin together")
  func pins() throws {
    let split = try #require(Split("train=1,test=1", isByPin: true))
    let pins = (0..<40).map {
      PinID(unchecked: String(repeating: "0", count: 18) + String(10 + $0))
    }
    let parts = pins.map { pin in Set((0..<50).map { split.subset(of: photo($0), at: pin) }) }
    #expect(parts.allSatisfy { $0.count == 1 })
    #expect(Set(parts.compactMap(\.first)).count == 2)
  }

  @Test(
    "rejects malformed splits",
    arguments: [
      "", "train", "train=0", "train=-1,val=2", "train=nan", "a=1,a=2", "../x=1", "A b=1", "a=1,",
    ])
  func refusals(text: String) { #expect(Split(text) == nil) }
}
