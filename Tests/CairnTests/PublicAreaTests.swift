import Cairn
import Foundation
import Testing

/// One use of each area of the library, as another package sees it.
@Suite("The areas of the library, as another package uses them")
struct PublicAreaTests {
  private let scene: Scene
  private let dataset: Dataset
  private let photos: [PhotoID]

  init() throws {
    scene = try Scene()
    dataset = try scene.dataset(photos: 3)
    photos = try dataset.find(.everything)
  }

  private func file(_ name: String) -> FilePath {
    FilePath(scene.directory.appendingPathComponent(name).path)
  }

  private func bob() throws -> Dataset {
    try Dataset(at: scene.path, author: Author(name: "Bob", email: "bob@example.org"))
  }

  /// Makes Alice and Bob disagree about the first photo.
  private func disagree() throws {
    try dataset.label([photos[0]], ["oak"])
    try bob().label([photos[0]], ["oak"], LabelAssertion(.absent))
  }

  @Test("asks about a disagreement, writes the answer and undoes it")
  func review() throws {
    try disagree()
    var filter = ReviewFilter()
    filter.reasons = [.disputed]
    let eve = try Dataset(at: scene.path, author: Author(name: "Eve", email: "eve@example.org"))
    let item = try #require(try eve.reviewQueue(filter).first)
    #expect(item.photo == photos[0] && item.classKey?.text == "oak")
    #expect(try eve.reviewCount(filter) == 1)

    let review = try eve.startReview()
    let question = try #require(try review.question(item))
    #expect(question.className == "oak" && question.labels.count == 2)
    #expect(question.reasons.map(\.reason) == [.disputed])
    #expect(try review.answer(question, .accept) == .decided(.accept))
    #expect(try eve.show(photos[0]).resolution.first?.state == .confirmed)
    #expect(try review.undo()?.outcome == .asBefore)
    #expect(try review.undo() == nil)
    #expect(try eve.show(photos[0]).resolution.first?.state == .disputed)
  }

  @Test("adds edits to an operation until it is undone")
  func operations() throws {
    dataset.beginOperation("one")
    try dataset.label([photos[0]], ["oak"])
    dataset.continueOperation("two")
    try dataset.label([photos[1]], ["oak"])
    let operation = try dataset.operation()
    #expect(operation.text == "one")
    try dataset.undo()
    #expect(try dataset.find(PhotoQuery("label:oak")).isEmpty)
    dataset.continueOperation("three")
    try dataset.label([photos[2]], ["oak"])
    let later = try dataset.operation()
    #expect(later.text == "three" && later.number > operation.number)
    #expect(try dataset.find(PhotoQuery("label:oak")) == [photos[2]])
  }

  @Test("begins another operation if another process undid it after it was continued")
  func undoneElsewhere() throws {
    let other = try Dataset(at: scene.path, author: scene.alice)
    dataset.beginOperation("one")
    try dataset.label([photos[0]], ["oak"])
    dataset.continueOperation("two")
    try other.undo()
    try dataset.label([photos[1]], ["oak"])
    #expect(try other.operation().text == "two")
    try other.undo()
    #expect(try other.find(PhotoQuery("label:oak")).isEmpty)
  }

  @Test("suggests classes for a photo that nobody labeled")
  func unlabeled() throws {
    try dataset.label([photos[0]], ["oak"])
    let model = try #require(Annotator(model: "tones@1"))
    try dataset.label([photos[1]], ["elm"], LabelAssertion(by: model, confidence: 0.9))
    let left = try dataset.unlabeledPhotos(.everything)
    #expect(left == [photos[2]])
    let review = try dataset.startReview()
    let question = try #require(try review.unlabeled(photos[2]))
    let options = try ClassSuggestions(dataset).options(forUnlabeled: question)
    #expect(Set(options.map(\.name)) == ["oak", "elm"])
    #expect(try review.label(photos[2], as: "oak")?.text == "oak")

    let predictions = try dataset.predictedClasses(nil, className: nil, from: 0.8)
    #expect(predictions.map(\.name) == ["elm"])
    #expect(try dataset.confirm(predictions) == 1)
  }

  @Test("adds a labeler, tries it, predicts with it and removes it")
  func labelers() throws {
    let program = try scene.labelerProgram()
    let labeler = try dataset.addLabeler([
      "kind": "program", "name": "always", "command": ["python3", .string(program)],
    ])
    let trial = try dataset.tryLabeler(labeler, with: photos[0])
    #expect(trial.model.identity == "always@1")
    #expect(trial.prediction.findings.map(\.name) == ["oak"])
    let report = try dataset.predict(nil, with: labeler)
    #expect(report.photos == 3 && report.labels == 3)
    #expect(try dataset.find(.model("always@1")).count == 3)
    try dataset.removeLabeler("always")
    #expect(try dataset.labelers().isEmpty)
    #expect(LabelerPreset("google-vision")?.secretVariables == ["GOOGLE_API_KEY"])
  }

  @Test("fetches photos from a folder, and reports the sources")
  func fetch() throws {
    let other = try Scene()
    _ = try other.dataset(photos: 5)
    var request = PhotoFetchRequest(.folder)
    request.files = [FilePath(other.directory.path + "/photo-4.png")]
    let report = try dataset.fetchPhotos(request)
    #expect(report.added.count == 1 && report.failure == nil)
    #expect(try dataset.source(.flickr).name.title == "Flickr")
    #expect(throws: CairnError.self) { try WebLocation.list("ftp://example.org/a.jpg") }
    #expect(try WebLocation.list("# mine\nhttps://example.org/a.jpg").count == 1)
  }

  @Test("exports documents and imports them into another dataset")
  func documents() throws {
    try dataset.label(photos, ["oak"])
    let lines = file("documents.jsonl")
    let written = try dataset.exportDocuments(to: lines)
    #expect(written.documents[.label] == 3)

    let other = try Dataset.create(
      at: file("other"), author: Author(name: "Bob", email: "bob@example.org"))
    let input = try FileHandle(forReadingFrom: URL(filePath: lines.string))
    defer { try? input.close() }
    let report = try other.importDocuments(FileDescriptor(rawValue: input.fileDescriptor))
    #expect(report.added[.label] == 3 && report.problems.isEmpty)
    #expect(try other.find(PhotoQuery("label:oak")).count == 3)
  }

  @Test("imports a list of classes")
  func classes() throws {
    let list = file("classes.txt")
    try "oak\nelm\n".write(toFile: list.string, atomically: true, encoding: .utf8)
    #expect(try dataset.importClasses(from: list).added.map(\.text) == ["oak", "elm"])
    #expect(try dataset.classCompletion().candidates("o") == ["oak"])
  }

  @Test("checks out no documents, and all of them again")
  func sparse() throws {
    try dataset.label(photos, ["oak"])
    try dataset.commit()
    let report = try dataset.checkOut(.none)
    #expect(report.removed > 0 && dataset.checkedOutDirectories == [])
    #expect(try dataset.show(photos[0]).resolution.map(\.name) == ["oak"])
    try dataset.checkOut(.all)
    #expect(dataset.checkedOutDirectories == nil)
  }

  @Test("combines queries")
  func queries() throws {
    try dataset.label([photos[0]], ["oak"])
    let oak = try PhotoQuery("label:oak")
    #expect(try dataset.find(.all([oak, .everything])) == [photos[0]])
    #expect(try dataset.find(.any([oak, PhotoQuery("is:unlabeled")])).count == 3)
    #expect(try Set(dataset.find(.not(oak))) == Set(photos.dropFirst()))
    #expect(try dataset.find(.removed).isEmpty && dataset.find(.favorite).isEmpty)
    #expect(try dataset.categories().map(\.name) == ["oak"])
    #expect(throws: CairnError.self) {
      try dataset.photosToChange(PhotoQuery("label:oak is:removed"))
    }
  }

  @Test("measures agreement, and explains labels")
  func metrics() throws {
    try disagree()
    let row = try #require(try dataset.agreement().rows.first)
    #expect(row.name == "oak" && row.photos == 1 && row.people == 2 && row.agreement == 0)
    let explanation = try dataset.why(photos[0])
    let evidence = try #require(explanation.classes.first?.evidence.first)
    #expect(explanation.reason(evidence) == "counts")
    #expect(explanation.name(of: evidence.label.classKey) == "oak")
  }

  @Test("edits photos, and summarizes a pull")
  func edits() throws {
    let edited = try dataset.editPhotos([photos[0]], title: "Hillside")
    #expect(edited.map(\.changed) == [true] && edited[0].photo.title.value == "Hillside")
    try dataset.commit()
    let remote = scene.directory.appendingPathComponent("remote.git").path
    try dataset.addRemote("origin", remote, creating: true, relativeTo: FilePath(scene.path))
    try dataset.push()
    #expect(try dataset.compare(withRemote: "origin").isEqual)
    #expect(try dataset.summary(of: dataset.pull()).disagreements.isEmpty)
    #expect(try dataset.remote("origin").name == "origin")
    #expect(try dataset.prune(removedBefore: 90).paths.isEmpty)
  }

  @Test("merges two versions of a document, as git asks for it")
  func git() throws {
    let result = GitCommands.merge(base: [], [], [], at: "notes.txt", replayedIn: nil)
    #expect(result.bytes == nil && result.message?.hasPrefix("notes.txt is not") == true)
    let manifest = try Data(contentsOf: URL(filePath: scene.path + "/cairn.json"))
    let bytes = [UInt8](manifest)
    let merge = GitCommands.merge(base: bytes, bytes, bytes, at: "cairn.json", replayedIn: nil)
    #expect(merge.bytes == bytes && merge.message == nil)
    #expect(GitCommands.text(ofDocument: bytes) != nil)
    #expect(GitCommands.text(ofDocument: []) == nil)
  }
}
