import CairnDocument
import TestSupport
import Testing

@Suite("Hybrid logical clock")
struct HybridClockTests {
  private static let replica = ReplicaID(rawValue: 7)

  private func stamp(_ milliseconds: Int64, _ counter: UInt16, by replica: UInt32 = 7) -> Stamp {
    Stamp(milliseconds: milliseconds, counter: counter, replica: ReplicaID(rawValue: replica))
  }

  @Test("takes the wall time, or the next counter when the wall clock is not ahead")
  func send() {
    var clock = HybridClock(replica: HybridClockTests.replica)
    #expect(clock.stamp(now: 10) == stamp(10, 0))
    #expect(clock.stamp(now: 10) == stamp(10, 1))
    #expect(clock.stamp(now: 5) == stamp(10, 2))
    #expect(clock.stamp(now: 11) == stamp(11, 0))
    #expect(clock.stamp(now: 11) == stamp(11, 1))
  }

  @Test("advances to an observed stamp that is later")
  func receive() {
    var clock = HybridClock(replica: HybridClockTests.replica)
    #expect(clock.stamp(now: 10) == stamp(10, 0))
    #expect(clock.observe(stamp(20, 5, by: 9), now: 11) == true)
    #expect(clock.stamp(now: 11) == stamp(20, 6))
    #expect(clock.observe(stamp(20, 3, by: 9), now: 11) == true)
    #expect(clock.stamp(now: 11) == stamp(20, 7))
    #expect(clock.observe(stamp(19, 900, by: 9), now: 11) == true)
    #expect(clock.stamp(now: 11) == stamp(20, 8))
    #expect(clock.observe(stamp(20, 40, by: 1), now: 11) == true)
    #expect(clock.stamp(now: 11) == stamp(20, 41))
    #expect(clock.stamp(now: 30) == stamp(30, 0))
  }

  @Test("moves to the next millisecond after the last counter")
  func overflow() {
    var clock = HybridClock(replica: HybridClockTests.replica, milliseconds: 10, counter: 65534)
    #expect(clock.stamp(now: 10) == stamp(10, 65535))
    #expect(clock.stamp(now: 10) == stamp(11, 0))
    #expect(clock.stamp(now: 11) == stamp(11, 1))
    #expect(stamp(10, 65535).successor(by: ReplicaID(rawValue: 0)) == stamp(11, 0, by: 0))
    #expect(stamp(10, 4).successor(by: ReplicaID(rawValue: 0)) == stamp(10, 5, by: 0))
  }

  @Test("makes increasing stamps even when the wall clock goes back", arguments: UInt64(0)..<32)
  func monotonic(seed: UInt64) {
    var random = SeededGenerator(seed)
    var clock = HybridClock(replica: HybridClockTests.replica)
    var now: Int64 = 1_795_000_000_000
    var last = clock.stamp(now: now)
    for _ in 0..<200 {
      now += Int64(random.below(7)) - 4
      if random.chance(5) { now -= 3_600_000 }
      if random.chance(20) {
        clock.observe(stamp(now + Int64(random.below(100)), UInt16(random.below(65536))), now: now)
      }
      let next = clock.stamp(now: now, replacing: random.chance(30) ? last : nil)
      #expect(next > last)
      last = next
    }
  }

  @Test("stamps an edit later than the value it replaces", arguments: UInt64(50)..<82)
  func laterThanReplaced(seed: UInt64) {
    var random = SeededGenerator(seed)
    for _ in 0..<50 {
      let now = Int64(1_795_000_000_000 + random.below(100))
      var clock = HybridClock(replica: ReplicaID(rawValue: UInt32(random.below(4))))
      if random.chance(50) { _ = clock.stamp(now: now) }
      let replaced =
        random.chance(50)
        ? random.stamp() : stamp(now + Int64(random.below(5)), UInt16.max, by: .max)
      // No stamp is later than the last valid one.
      if replaced.successor(by: replaced.replica) == replaced { continue }
      #expect(clock.stamp(now: now, replacing: replaced) > replaced)
    }
  }

  @Test("replaces a stamp from the far future with a later one without following it")
  func drift() {
    let now: Int64 = 1_795_000_000_000
    let edge = stamp(now + HybridClock.maximumDrift, 3, by: 9)
    let far = stamp(now + HybridClock.maximumDrift + 1, 3, by: 9)
    var clock = HybridClock(replica: HybridClockTests.replica)

    #expect(clock.observe(far, now: now) == false)
    #expect(clock.stamp(now: now) == stamp(now, 0))
    let replacement = clock.stamp(now: now, replacing: far)
    #expect(replacement == stamp(far.milliseconds, 4))
    #expect(clock.stamp(now: now + 1) == stamp(now + 1, 0))

    #expect(clock.observe(edge, now: now) == true)
    #expect(clock.stamp(now: now) == stamp(edge.milliseconds, 4))
  }

  @Test("replaces a stamp at the end of the valid range without following it")
  func lastStamp() throws {
    let now: Int64 = 1_795_000_000_000
    let last = try #require(Stamp("8999-12-31T23:59:59.999Z-fffe-ffffffff"))
    var clock = HybridClock(replica: HybridClockTests.replica)
    let replacement = clock.stamp(now: now, replacing: last)
    #expect(replacement.description == "8999-12-31T23:59:59.999Z-ffff-00000007")
    #expect(Stamp(replacement.description) == replacement)
    #expect(clock.stamp(now: now) < last)
  }

  @Test(
    "orders successive edits correctly on devices with wrong clocks",
    arguments: UInt64(0)..<16)
  func causality(seed: UInt64) {
    // Three devices with wrong clocks pass one register around.
    var random = SeededGenerator(seed)
    var clocks = (UInt32(0)..<3).map { HybridClock(replica: ReplicaID(rawValue: $0)) }
    let errors: [Int64] = (0..<3).map { _ in Int64(random.below(172_800_000)) - 86_400_000 }
    var now: Int64 = 1_795_000_000_000
    var held: Stamp?
    for _ in 0..<100 {
      now += Int64(random.below(3))
      let device = random.below(3)
      let next = clocks[device].stamp(now: now + errors[device], replacing: held)
      if let held { #expect(next > held) }
      held = next
    }
  }
}
