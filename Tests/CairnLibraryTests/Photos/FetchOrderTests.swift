import Cairn
import CairnFiles
import CairnStore
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A file system that fails selected writes.
private final class Disk: Sendable {
  private let refused = Mutex<@Sendable (FileSystem.Step, FilePath) -> Errno?>({ _, _ in nil })

  var environment: Environment {
    var environment = Environment.machine
    environment.files = FileSystem { (step, path) throws(FileError) in
      if let code = self.refused.withLock({ $0(step, path) }) {
        throw FileError("write", path, code)
      }
    }
    return environment
  }

  func refuse(_ code: Errno?, where isRefused: @escaping @Sendable (FilePath) -> Bool) {
    refused.withLock { $0 = { isRefused($1) ? code : nil } }
  }

  func refuseNothing() { refused.withLock { $0 = { _, _ in nil } } }
}

@Suite("Fetching photos with disk faults")
struct FetchOrderTests {
  private let folder = TemporaryDirectory()
  private let disk = Disk()

  private func start(_ services: PhotoServices) throws -> Dataset {
    _ = TestIdentity.inUse
    let dataset = try Dataset.create(at: folder.path("data"), environment: disk.environment)
    for name in [SourceName.dogCEO, .openverse] {
      _ = try dataset.setSource(name, url: services.url(name.rawValue))
    }
    return try Dataset(at: dataset.root, environment: disk.environment)
  }

  @Test("completes a photo whose labels could not be written when it is fetched again")
  func labelsFirst() throws {
    let services = try PhotoServices(#"{"total": 1}"#)
    let dataset = try start(services)
    var request = PhotoFetchRequest(.dogCEO)
    request.query.text = "cairn terrier"
    request.count = 1
    disk.refuse(.ioError) { $0.string.contains("/labels/") }
    #expect(throws: CairnError.self) { try dataset.fetchPhotos(request) }
    let id = try #require(try dataset.records().first?.photo.id)
    #expect(try dataset.show(id).photo.credit == nil)
    disk.refuseNothing()
    #expect(try dataset.fetchPhotos(request).known == 1)
    let record = try dataset.show(id)
    #expect(record.photo.credit?.value?.service == "dog.ceo")
    #expect(record.labels.map(\.classKey.text) == ["cairn-terrier"])
  }

  @Test("stops when the disk is full, keeps the photos added so far and reports them")
  func fullDisk() throws {
    let services = try PhotoServices(#"{"total": 30}"#)
    let dataset = try start(services)
    var request = PhotoFetchRequest(.openverse)
    request.query.text = "t"
    request.count = 20
    let written = Mutex(0)
    disk.refuse(.noSpace) { path in
      guard path.string.contains("/lfs/tmp/") else { return false }
      return written.withLock {
        $0 += 1
        return $0 > 12
      }
    }
    let report = try dataset.fetchPhotos(request)
    #expect(report.failure?.kind == .noSpace)
    #expect(!report.added.isEmpty && report.added.count < 20)
    #expect(try Set(dataset.records().map(\.photo.id)) == Set(report.added.map(\.id)))
    disk.refuse(.noSpace) { $0.string.contains("/cairn/fetch/") }
    let error = #expect(throws: CairnError.self) { try dataset.fetchPhotos(request) }
    #expect(error?.kind == .noSpace && error?.message.hasPrefix("The disk is full: ") == true)
    disk.refuseNothing()
    request.count = 2
    #expect(try dataset.fetchPhotos(request).added.count == 2)
    #expect(try dataset.verify().isValid)
  }

  @Test("reports the skipped files of a folder also when the disk is full")
  func skippedFiles() throws {
    _ = TestIdentity.inUse
    let dataset = try Dataset.create(at: folder.path("data"), environment: disk.environment)
    for index in 0..<3 { try folder.write(PNG.bytes(seed: index), to: "photos/\(index).png") }
    try folder.write("notes", to: "photos/notes.txt")
    var request = PhotoFetchRequest(.folder)
    request.files = [folder.path("photos")]
    let report = try dataset.fetchPhotos(request) { _ in
      disk.refuse(.noSpace) { $0.string.contains("/lfs/tmp/") }
    }
    #expect(report.failure?.kind == .noSpace && report.added.count == 1)
    #expect(report.skipped == ["TXT"])
  }
}
