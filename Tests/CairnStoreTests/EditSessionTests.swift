import CairnDocument
import CairnFiles
import Dispatch
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import CairnStore

@Suite("Edit sessions")
struct EditSessionTests {
  private let sandbox: Sandbox
  private let dataset: DatasetDirectory

  init() throws {
    sandbox = try Sandbox()
    dataset = try sandbox.dataset()
  }

  private var lockPath: FilePath { dataset.privateDirectory.appending("lock") }

  @Test("excludes other sessions until it is released")
  func exclusive() throws {
    var session: EditSession? = try EditSession(dataset, holder: "first (pid 7)")
    #expect(try ProcessLock.acquire(lockPath, holder: "second", files: FileSystem()) == nil)
    // A failed attempt does not overwrite the holder's name.
    #expect(ProcessLock.holder(of: lockPath, files: FileSystem()) == "first (pid 7)")
    #expect(try dataset.isBeingEdited())
    #expect(session != nil)
    session = nil
    #expect(try !dataset.isBeingEdited())
    let lock = try ProcessLock.acquire(lockPath, holder: "second", files: FileSystem())
    #expect(lock != nil)
    #expect(ProcessLock.holder(of: lockPath, files: FileSystem()) == "second")
  }

  @Test("tells the next session to remove what this one could not", arguments: [true, false])
  func leftovers(isDirectory: Bool) throws {
    let left = dataset.privateDirectory.appending("left")
    if isDirectory {
      try FileSystem().createDirectory(left)
      try FileSystem().create(left.appending("file"), [])
    } else {
      try FileSystem().create(left, [])
    }
    let isBroken = Atomic(true)
    let files = FileSystem { (step, path) throws(FileError) in
      if case .remove = step, path.starts(with: left), isBroken.load(ordering: .relaxed) {
        throw FileError("remove", path, .ioError)
      }
    }
    var session: EditSession? = try EditSession(
      sandbox.dataset(environment: .test(files: files)), holder: "first")
    #expect(session?.isAfterCrash == false)
    if isDirectory { files.discardTree(left) } else { files.discard(left) }
    session = nil
    session = try EditSession(dataset, holder: "second")
    #expect(session?.isAfterCrash == true)
    isBroken.store(false, ordering: .relaxed)
    if isDirectory { files.discardTree(left) } else { files.discard(left) }
    #expect(try !FileSystem().exists(left))
  }

  @Test("runs the sessions of several threads one after another")
  func threads() throws {
    let inside = Mutex(0)
    let failures = Mutex<[String]>([])
    let stamps = Mutex<[Stamp]>([])
    let sandbox = sandbox
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      do {
        for _ in 0..<10 {
          let environment = Environment.test(seed: UInt64(thread) + 2)
          let session = try EditSession(
            sandbox.dataset(environment: environment), holder: "\(thread)")
          #expect(
            inside.withLock {
              $0 += 1; return $0
            } == 1)
          let stamp = session.stamp()
          stamps.withLock { $0.append(stamp) }
          inside.withLock { $0 -= 1 }
        }
      } catch { failures.withLock { $0.append("\(error)") } }
    }
    #expect(failures.withLock { $0 } == [])
    // All sessions use one clock, so each stamp is later than the one of the session before.
    let all = stamps.withLock { $0 }
    #expect(all.count == 40)
    #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test("waits for another process, names it, and gets the lock when it is killed")
  func otherProcess() throws {
    let holder = try sandbox.startHolder(of: lockPath)
    defer { holder.kill() }
    #expect(ProcessLock.holder(of: lockPath, files: FileSystem()) == "perl at work")
    #expect(try ProcessLock.acquire(lockPath, holder: "cairn", files: FileSystem()) == nil)
    let holders = Mutex<[String?]>([])
    let session = try EditSession(dataset, holder: "cairn") { name in
      holders.withLock { $0.append(name) }
      holder.kill()
    }
    #expect(holders.withLock { $0 } == ["perl at work"])
    #expect(ProcessLock.holder(of: lockPath, files: FileSystem()) == "cairn")
    // Now perl cannot take the lock.
    let script =
      "use Fcntl ':flock'; open F, '+<', shift; exit(flock(F, LOCK_EX | LOCK_NB) ? 0 : 3)"
    #expect(try sandbox.run("perl", ["-e", script, lockPath.string]).status == 3)
    withExtendedLifetime(session) {}
  }

  @Test("removes temporary files that a crash left behind")
  func leftovers() throws {
    try sandbox.write([1], to: "dataset/.git/cairn/tmp/abc")
    try sandbox.write([1], to: "dataset/.git/cairn/tmp/directory/def")
    try sandbox.write([1], to: "outside/kept")
    try FileSystem().createSymlink(
      sandbox.path("dataset/.git/cairn/tmp/link"), to: "../../../../outside")
    let session = try EditSession(dataset, holder: "test")
    #expect(try FileSystem().list(dataset.temporaryDirectory) == [])
    #expect(try sandbox.snapshot("outside").count == 1)
    withExtendedLifetime(session) {}
  }

  @Test("syncs the journal before a document's name, and the name before it returns")
  func durable() throws {
    let steps = Mutex<[String]>([])
    let temporary = dataset.temporaryDirectory
    let files = FileSystem { (step, path) throws(FileError) in
      let name =
        path.removingLastComponent() == temporary ? "document" : path.lastComponent?.string ?? ""
      switch step {
      case .sync: steps.withLock { $0.append("sync \(name)") }
      case .rename: steps.withLock { $0.append("name \(name)") }
      default: break
      }
    }
    let session = try EditSession(
      sandbox.dataset(environment: .test(files: files)), holder: "test")
    steps.withLock { $0 = [] }
    let manifest = Manifest(
      id: DatasetID(random: { 7 }), name: "sample", stamp: session.stamp())
    try session.write([.manifest(manifest), .manifest(manifest)])
    #expect(
      steps.withLock { $0 } == [
        "sync changes", "sync document", "name cairn.json", "sync document", "name cairn.json",
        "sync dataset",
      ])
    steps.withLock { $0 = [] }
    try session.write([.manifest(manifest)], durable: false)
    #expect(steps.withLock { $0 } == ["name cairn.json"])
  }

  @Test("writes nothing in a dry run")
  func dryRun() throws {
    let session = try EditSession(dataset, holder: "test")
    let manifest = Manifest(
      id: DatasetID(random: { 7 }), name: "sample", stamp: session.stamp())
    let path = DocumentPath.manifest.description
    let before = try dataset.read(path)
    session.isDryRun = true
    session.onEdit = { _ in Issue.record("An edit was recorded.") }
    try session.write([.manifest(manifest)])
    try session.remove(.manifest)
    try session.flush()
    #expect(try dataset.read(path) == before)
    #expect(try dataset.journaledPaths() == [])
  }

  @Test("records documents in the journal before it writes them, and reads them back")
  func write() throws {
    let session = try EditSession(dataset, holder: "test")
    let path = DocumentPath.manifest
    let manifest = Manifest(
      id: DatasetID(random: { 7 }), name: "sample", stamp: session.stamp())
    let document = Document.manifest(manifest)
    try session.write([document])
    #expect(try dataset.document(at: path) == document)
    #expect(try dataset.journaledPaths() == [path])

    try withFaultAtEachStep { environment, _ in
      try dataset.remove(path.description)
      try dataset.resetJournal(remaining: [])
      let directory = try sandbox.dataset(environment: environment)
      try directory.note([path])
      try directory.write(document.canonicalBytes, to: path.description)
    } check: { (step: Int) throws in
      // A path too many in the journal is harmless; one too few is not.
      if try dataset.read(path.description) != nil {
        #expect(try dataset.journaledPaths() == [path], "step \(step)")
      }
    }
  }
}

@Suite("Device clock")
struct DeviceClockTests {
  private static let now: Int64 = 1_700_000_000_000

  @Test(
    "makes increasing stamps over sessions when the wall clock goes back", arguments: UInt64(0)..<8)
  func monotonic(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    var last: Stamp?
    for _ in 0..<6 {
      let now = DeviceClockTests.now + Int64.random(in: -1000...1000, using: &random)
      let environment = Environment.test(seed: random.next(), now: now)
      let session = try EditSession(sandbox.dataset(environment: environment), holder: "test")
      for _ in 0..<3 {
        let stamp = session.stamp()
        if let last {
          #expect(stamp > last)
          #expect(stamp.replica == last.replica)
        }
        last = stamp
      }
    }
  }

  @Test("makes stamps later than observed and replaced ones, in later sessions too")
  func observed() throws {
    let sandbox = try Sandbox()
    let other = ReplicaID(rawValue: .max)
    let ahead = Stamp(milliseconds: DeviceClockTests.now + 60_000, counter: 7, replica: other)
    do {
      let session = try EditSession(sandbox.dataset(), holder: "test")
      #expect(session.stamp() < ahead)
      session.observe(ahead)
    }
    let session = try EditSession(sandbox.dataset(environment: .test(seed: 5)), holder: "test")
    let stamp = session.stamp()
    #expect(stamp > ahead)
    let replaced = Stamp(milliseconds: stamp.milliseconds, counter: .max, replica: other)
    #expect(session.stamp(replacing: replaced) > replaced)
  }

  @Test("replaces a stamp of a broken clock with a later one without following it")
  func brokenClock() throws {
    let sandbox = try Sandbox()
    let session = try EditSession(sandbox.dataset(), holder: "test")
    let future = Stamp(
      milliseconds: DeviceClockTests.now + 2 * HybridClock.maximumDrift, counter: 0,
      replica: ReplicaID(rawValue: .max))
    session.observe(future)
    #expect(session.stamp() < future)
    #expect(session.stamp(replacing: future) > future)
    #expect(session.stamp() < future)
  }

  @Test(
    "starts again when the clock file is damaged",
    arguments: ["", "x", "1", "1 2 3", "99999999999999999999 1"])
  func damaged(text: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write(text.utf8, to: "dataset/.git/cairn/clock")
    let session = try EditSession(sandbox.dataset(), holder: "test")
    #expect(session.stamp().milliseconds > DeviceClockTests.now)
  }

  @Test("makes valid stamps after a session that failed at any step")
  func faults() throws {
    let sandbox = try Sandbox()
    let counting = FileFaultPlan()
    try withExtendedLifetime(counting) {
      _ = try EditSession(
        sandbox.dataset(environment: .test(files: counting.files)), holder: "count")
    }
    var last: Stamp?
    for step in 0..<counting.stepsSeen {
      let files = FileFaultPlan(failing: step).files
      _ = try? EditSession(sandbox.dataset(environment: .test(files: files)), holder: "fault")
        .stamp()
      let session = try EditSession(sandbox.dataset(environment: .test(seed: 7)), holder: "after")
      let stamp = session.stamp()
      if let last { #expect(stamp > last && stamp.replica == last.replica, "step \(step)") }
      last = stamp
    }
    #expect(counting.stepsSeen > 3)
  }
}

/// A process that holds a lock until it is killed.
private final class LockHolder: Sendable {
  private let pid: pid_t

  init(pid: pid_t) { self.pid = pid }

  func kill() { Foundation.kill(pid, SIGKILL) }
}

extension Sandbox {
  /// Starts a process that holds the lock at `path`, and waits until it does.
  fileprivate func startHolder(of path: FilePath) throws -> LockHolder {
    let script = """
      use Fcntl ':flock'; $| = 1;
      open F, '+>', shift; flock(F, LOCK_EX) or exit 1;
      syswrite F, "perl at work\\n"; print "held\\n"; alarm 60; sleep 60 while 1;
      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["perl", "-e", script, path.string]
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    #expect(output.fileHandleForReading.availableData == Data("held\n".utf8))
    return LockHolder(pid: process.processIdentifier)
  }
}
