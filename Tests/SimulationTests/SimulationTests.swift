import Foundation
import Simulation
import Testing

@Suite("many devices, simulated")
struct SimulationTests {
  private static let identity: Void = {
    for (name, value) in [
      ("GIT_AUTHOR_NAME", "Ann"), ("GIT_AUTHOR_EMAIL", "ann@example.org"),
      ("GIT_COMMITTER_NAME", "Ann"), ("GIT_COMMITTER_EMAIL", "ann@example.org"),
      ("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ] { setenv(name, value, 1) }
  }()

  @Test("end equal, and nothing that a person said is lost", arguments: UInt64(0)..<40)
  func converges(seed: UInt64) throws {
    _ = SimulationTests.identity
    let memory = FileManager.default.isWritableFile(atPath: "/dev/shm")
    try Simulation.run(seed: seed, in: memory ? "/dev/shm" : NSTemporaryDirectory())
  }
}
