import Dispatch
import Foundation
import Simulation
import Synchronization

// simulate FIRST-LAST | SEED…: runs seeds on all cores and prints the failures, up to FAILURES (5).
// KEEP=1 keeps the files, STEPS=1 prints every step.

setenv("GIT_CONFIG_NOSYSTEM", "1", 1)
setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1)
for name in ["AUTHOR", "COMMITTER"] {
  setenv("GIT_\(name)_NAME", "Simulated", 1)
  setenv("GIT_\(name)_EMAIL", "simulated@example.org", 1)
}

let arguments = CommandLine.arguments.dropFirst()
let seeds: [UInt64] = arguments.flatMap { argument -> [UInt64] in
  let bounds = argument.split(separator: "-").compactMap { UInt64($0) }
  return bounds.count == 2 && bounds[0] <= bounds[1] ? Array(bounds[0]...bounds[1]) : bounds
}
guard !seeds.isEmpty else {
  print("usage: simulate FIRST-LAST | SEED…")
  exit(64)
}

let directory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
let variables = ProcessInfo.processInfo.environment
/// The number of failures after which it stops.
let failureLimit = variables["FAILURES"].flatMap { Int($0) } ?? 5
let next = Atomic<Int>(0)
let failed = Mutex<[UInt64]>([])
let start = Date()
DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) { _ in
  while true {
    let index = next.add(1, ordering: .relaxed).oldValue
    guard index < seeds.count, failed.withLock(\.count) < failureLimit else { return }
    do {
      let steps = try Simulation.run(
        seed: seeds[index], in: directory,
        keeps: variables["KEEP"] != nil)
      if variables["STEPS"] != nil { print(steps.joined(separator: "\n")) }
    } catch {
      failed.withLock { $0.append(seeds[index]) }
      print(error, terminator: "\n\n")
    }
    if index % 500 == 499 {
      FileHandle.standardError.write(Data("\(index + 1) of \(seeds.count)\n".utf8))
    }
  }
}
let failures = failed.withLock { $0.sorted() }
let count = min(next.load(ordering: .relaxed), seeds.count)
print(
  "\(count) seeds in \(Int(Date().timeIntervalSince(start))) s, \(failures.count) failed"
    + (failures.isEmpty ? "" : ": \(failures.prefix(50).map(String.init).joined(separator: " "))"))
exit(failures.isEmpty ? 0 : 1)
