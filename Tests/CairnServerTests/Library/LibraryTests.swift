import Cairn
import CairnFiles
import SystemPackage
import TestSupport
import Testing

@testable import CairnServer

@Suite("Changes by other processes")
struct LibraryTests {
  private let directory = TemporaryDirectory()
  private let library: Library
  private let dataset: FilePath

  init() throws {
    _ = TestIdentity.inUse
    let other = try Dataset.create(at: directory.path("a"))
    let options = ServeOptions(directory: other.root, environment: .machine)
    (dataset, library) = (other.root, try Library(options, workerCount: 1))
    try library.start(other)
  }

  @Test("are reported once")
  func once() async throws {
    #expect(try await !library.notice())
    _ = try Dataset(at: dataset).createClass("elm")
    #expect(try await library.notice())
    #expect(try await !library.notice())
  }

  @Test("are reported also when an edit on the page has read them")
  func besideOwnEdit() async throws {
    _ = try Dataset(at: dataset).createClass("elm")
    try await library.write(as: nil) { dataset, _ in _ = try dataset.createClass("oak") }
    #expect(try await library.notice())
    try await library.write(as: nil) { dataset, _ in _ = try dataset.createClass("yew") }
    #expect(try await !library.notice())
  }

  @Test("are not reported while a process only holds the lock, such as a dry run")
  func onlyLocked() async throws {
    let path = try Dataset(at: dataset).deviceDirectory.appending("lock")
    var lock = try ProcessLock.acquire(path, holder: "other", files: FileSystem())
    for _ in 0..<2 { #expect(try await !library.notice()) }
    #expect(lock != nil)
    lock = nil
    #expect(try await !library.notice())
  }
}
