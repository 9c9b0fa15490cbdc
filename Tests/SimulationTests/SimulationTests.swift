import Foundation
import Simulation
import TestSupport
import Testing

@Suite("Simulation", .enabled(if: Programs.isInstalled("git-lfs"), "git-lfs is not installed"))
struct SimulationTests {
  @Test("ends with equal devices and no lost human label", arguments: UInt64(0)..<40)
  func converges(seed: UInt64) throws {
    _ = TestIdentity.inUse
    let memory = FileManager.default.isWritableFile(atPath: "/dev/shm")
    try Simulation.run(seed: seed, in: memory ? "/dev/shm" : NSTemporaryDirectory())
  }
}
