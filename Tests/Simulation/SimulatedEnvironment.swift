import CairnFiles
import CairnStore
import Synchronization
import SystemPackage

/// The true time, which each device reads through its own clock.
final class SharedTime: Sendable {
  private let milliseconds = Atomic<Int64>(1_790_000_000_000)

  var now: Int64 { milliseconds.load(ordering: .relaxed) }

  func pass(_ duration: Int64) { milliseconds.add(duration, ordering: .relaxed) }
}

/// A clock with a skew, which can change.
final class SkewedClock: Sendable {
  private let time: SharedTime
  private let skew: Atomic<Int64>

  init(_ time: SharedTime, skew: Int64) {
    self.time = time
    self.skew = Atomic(skew)
  }

  var now: Int64 { time.now + skew.load(ordering: .relaxed) }

  func set(skew: Int64) { self.skew.store(skew, ordering: .relaxed) }
}

/// Makes a disk fail after some steps, until it is replaced, or a single read fail.
final class FaultTimer: Sendable {
  private let left = Atomic<Int>(.max)
  private let readsLeft = Atomic<Int>(.max)
  private let isForWorkTree = Atomic<Bool>(false)

  /// - Parameter inWorkTree: Whether to count only steps outside of git's directory.
  func failAfter(_ steps: Int, inWorkTree: Bool = false) {
    isForWorkTree.store(inWorkTree, ordering: .relaxed)
    left.store(steps, ordering: .relaxed)
  }

  /// Makes one read fail, after some others.
  func failRead(after reads: Int) { readsLeft.store(reads, ordering: .relaxed) }

  func replace() {
    left.store(.max, ordering: .relaxed)
    readsLeft.store(.max, ordering: .relaxed)
  }

  var hasFailed: Bool { left.load(ordering: .relaxed) < 0 || hasReadFailed }

  var hasReadFailed: Bool { readsLeft.load(ordering: .relaxed) < 0 }

  func fault(_ step: FileSystem.Step, _ path: FilePath) throws(FileError) {
    if left.load(ordering: .relaxed) == .max { return }
    // Once the disk has failed, it fails everywhere.
    let isSkipped = isForWorkTree.load(ordering: .relaxed) && path.components.contains(".git")
    if isSkipped, left.load(ordering: .relaxed) >= 0 { return }
    if left.subtract(1, ordering: .relaxed).newValue < 0 {
      throw FileError("write", path, .ioError)
    }
  }

  func readFault(_ path: FilePath) throws(FileError) {
    if readsLeft.load(ordering: .relaxed) == .max { return }
    if readsLeft.subtract(1, ordering: .relaxed).newValue == -1 {
      throw FileError("read", path, .ioError)
    }
  }
}

/// A random generator behind a lock, for an environment.
final class SharedRandom: Sendable {
  private let random: Mutex<SeededRandom>

  init(_ seed: UInt64) { random = Mutex(SeededRandom(seed)) }

  func next() -> UInt64 { random.withLock { $0.next() } }
}
