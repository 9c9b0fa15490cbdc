import Cairn
import Foundation
import Synchronization
import Testing

/// Records what a dataset reports, and stops its operations if asked.
private final class Recorder: Sendable {
  private let recorded = Mutex<[OperationProgress]>([])
  private let stopped = Atomic(false)

  func record(_ progress: OperationProgress) { recorded.withLock { $0.append(progress) } }
  func stop() { stopped.store(true, ordering: .relaxed) }
  var isStopped: Bool { stopped.load(ordering: .relaxed) }

  func events(of step: String) -> [OperationProgress] {
    recorded.withLock { $0.filter { $0.step == step } }
  }
}

/// One operation of each kind that takes long.
enum LongOperation: String, CaseIterable, CustomTestStringConvertible {
  case add, fetch, verify, export, importFormat, importDocuments, checkOut, maintain, push, predict

  /// The step that the operation reports.
  var step: String {
    switch self {
    case .add: "adding photos"
    case .fetch: "fetching photos"
    case .verify: "checking"
    case .export: "exporting"
    case .importFormat: "reading"
    case .importDocuments: "importing"
    case .checkOut: "updating files"
    case .maintain: "packing objects"
    case .push: "sending images"
    case .predict: "predicting"
    }
  }

  /// The operations that can be canceled, and that then throw an error.
  static let cancellable: [LongOperation] = [
    .verify, .export, .importFormat, .importDocuments, .push, .predict,
  ]

  var testDescription: String { rawValue }
}

@Suite("Progress and cancellation")
struct ProgressTests {
  private let scene: Scene
  private let dataset: Dataset
  private let recorder = Recorder()

  init() throws {
    scene = try Scene()
    let created = try scene.dataset(photos: 3)
    // Enough documents for operations that report every few hundred.
    try created.label(created.find(.everything), (0..<90).map { "class-\($0)" })
    try created.commit()
    dataset = try Dataset(
      at: FilePath(scene.path), author: scene.alice, onProgress: recorder.record,
      isCancelled: { [recorder] in recorder.isStopped })
  }

  private func file(_ name: String) -> String {
    scene.directory.appendingPathComponent(name).path
  }

  private func write(_ text: String, to name: String) throws -> FilePath {
    try text.write(toFile: file(name), atomically: true, encoding: .utf8)
    return FilePath(file(name))
  }

  /// Prepares an operation, and returns a closure that runs it.
  private func prepare(_ operation: LongOperation) throws -> () throws -> Void {
    switch operation {
    case .add:
      let files = try [10, 11].map { try scene.photo($0) }
      return { try dataset.addPhotos(files) }
    case .fetch:
      var request = PhotoFetchRequest(.folder)
      request.files = [FilePath(try scene.photo(10))]
      return { [request] in try dataset.fetchPhotos(request) }
    case .verify: return { _ = try dataset.verify() }
    case .export: return { try dataset.export(.csv, to: file("export")) }
    case .importFormat:
      let rows = (0..<300).map { "\($0).jpg,oak" }
      let table = try write((["file_name,label"] + rows).joined(separator: "\n"), to: "labels.csv")
      var options = FormatImportOptions()
      options.annotator = Annotator(email: "bob@example.org")
      return { [options] in try dataset.import(.csv, from: table, options: options) }
    case .importDocuments:
      let lines = try write(
        #"{"id":"beech","kind":"class","name":"Beech"}"# + "\n", to: "lines.jsonl")
      return {
        let input = try FileHandle(forReadingFrom: URL(filePath: lines.string))
        defer { try? input.close() }
        try dataset.importDocuments(FileDescriptor(rawValue: input.fileDescriptor))
      }
    case .checkOut: return { try dataset.checkOut(.none) }
    case .maintain:
      // Each commit is a pack.
      for number in 0..<4 {
        try dataset.label(dataset.find(.everything), ["more-\(number)"])
        try dataset.commit()
      }
      return { try dataset.maintain() }
    case .push:
      try dataset.addRemote(
        "origin", file("remote.git"), creating: true, relativeTo: FilePath(scene.path))
      return { try dataset.push() }
    case .predict:
      let program = try scene.labelerProgram()
      let labeler = try dataset.addLabeler([
        "kind": "program", "name": "always", "command": ["python3", .string(program)],
      ])
      return { try dataset.predict(nil, with: labeler) }
    }
  }

  @Test("reports the progress of every long operation", arguments: LongOperation.allCases)
  func progress(_ operation: LongOperation) throws {
    try prepare(operation)()
    let events = recorder.events(of: operation.step)
    #expect(!events.isEmpty)
    #expect(events.allSatisfy { $0.total == 0 || $0.completed <= $0.total })
    let transfers = events.filter { $0.bytes != nil }
    #expect(transfers.isEmpty == (operation != .push))
  }

  @Test("stops an operation, and leaves the dataset valid", arguments: LongOperation.cancellable)
  func cancelled(_ operation: LongOperation) throws {
    let run = try prepare(operation)
    recorder.stop()
    let error = #expect(throws: CairnError.self) { try run() }
    #expect(error?.kind == .cancelled, "\(String(describing: error))")
    #expect(!FileManager.default.fileExists(atPath: file("export")))
    let other = try Dataset(at: scene.path)
    #expect(try other.verify().isValid)
  }

  @Test("returns the photos that were added or fetched before it was stopped")
  func partial() throws {
    let add = try prepare(.add)
    let fetch = try prepare(.fetch)
    recorder.stop()
    try add()
    #expect(throws: Never.self) { try fetch() }
    #expect(try Dataset(at: scene.path).count(.everything) == 3)
  }

  @Test("creates a dataset for several tasks")
  func create() async throws {
    let queue = try await DatasetQueue.create(at: file("new"), name: "New", author: scene.alice)
    #expect(queue.root == FilePath(file("new")))
    #expect(try await queue.run { try $0.name() } == "New")
    await #expect(throws: CairnError.self) { try await DatasetQueue.create(at: queue.root) }
  }

  @Test("clones a dataset for several tasks, and reports the progress")
  func clone() async throws {
    try prepare(.push)()
    let clone = DatasetQueue.startClone(file("remote.git"), to: file("clone"), author: scene.alice)
    var last: OperationProgress?
    for await progress in clone.progress { last = progress }
    #expect(last != nil)
    let cloned = try await clone.value
    #expect(cloned.images.transferred == 3 && cloned.checkout.imagesMissing == 0)
    #expect(try await cloned.dataset.run { try $0.count(.everything) } == 3)
    // The queue goes on with the thread of the clone.
    let verify = cloned.dataset.start { try $0.verify().isValid }
    last = nil
    for await progress in verify.progress { last = progress }
    #expect(try await verify.value)
    #expect(last?.step == "checking")
  }

  @Test("leaves no files of a clone that was canceled")
  func cancelledClone() async throws {
    try prepare(.push)()
    let (remote, copy) = (file("remote.git"), file("clone"))
    let stopped = #expect(throws: CairnError.self) {
      try Dataset.clone(remote, to: FilePath(copy), isCancelled: { true })
    }
    #expect(stopped?.kind == .cancelled)
    #expect(!FileManager.default.fileExists(atPath: copy))

    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await DatasetQueue.clone(remote, to: copy)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!FileManager.default.fileExists(atPath: copy))
    let again = try await DatasetQueue.clone(remote, to: copy)
    #expect(try await again.dataset.run { try $0.count(.everything) } == 3)
  }
}
