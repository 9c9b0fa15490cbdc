import Foundation
import Simulation
import TestSupport
import Testing

@Suite("many devices, simulated")
struct SimulationTests {
  @Test("end equal, and nothing that a person said is lost", arguments: UInt64(0)..<40)
  func converges(seed: UInt64) throws {
    _ = TestIdentity.inUse
    let memory = FileManager.default.isWritableFile(atPath: "/dev/shm")
    try Simulation.run(seed: seed, in: memory ? "/dev/shm" : NSTemporaryDirectory())
  }
}
