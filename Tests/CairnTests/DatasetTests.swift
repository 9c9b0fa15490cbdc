import Cairn
import Foundation
import Testing

@Suite("A dataset, as another package uses it")
struct DatasetTests {
  @Test("labels as the author that the program names, without git's configuration")
  func author() throws {
    let scene = try Scene()
    let dataset = try scene.dataset(photos: 2)
    let photos = try dataset.find(PhotoQuery("is:unlabeled"))
    #expect(photos.count == 2)
    let results = try dataset.label(photos, ["heather"])
    #expect(results.allSatisfy { $0.changed && $0.label.annotator.identity == "alice@example.org" })

    let commit = try dataset.commit()
    #expect(commit.description.hasPrefix("committed "))
    #expect(try dataset.commit().description == "nothing to commit")
    let entry = try #require(try dataset.log().first)
    #expect(entry.author == "Alice" && entry.email == "alice@example.org")

    let other = try Dataset(at: scene.path, author: Author(name: "Bob", email: "bob@example.org"))
    try other.label(photos, ["gorse"])
    #expect(try other.show(photos[0]).labels.count == 2)
  }

  @Test("resolves people's labels over a model's, with confidences as Double")
  func resolution() throws {
    let scene = try Scene()
    let dataset = try scene.dataset(photos: 1)
    let photo = try #require(try dataset.find(.everything).first)
    // Without a version, it is not a model, and never the current user instead.
    #expect(Annotator(model: "tones") == nil)
    let model = try #require(Annotator(model: "tones@1"))
    try dataset.label([photo], ["heather"], LabelAssertion(by: model, confidence: 0.75))
    let predicted = try #require(try dataset.show(photo).resolution.first)
    #expect(predicted.state == .predicted && predicted.confidence == 0.75)
    #expect(predicted.evidence.first?.label.confidence == 0.75)

    try dataset.label([photo], ["heather"], LabelAssertion(.absent))
    let record = try dataset.show(photo)
    #expect(record.resolution.first?.state == .rejected)
    #expect("\(record)".hasSuffix(": heather rejected"))
    withExtendedLifetime(scene) {}
  }

  @Test("labels photos, each with an assertion of its own")
  func assertions() throws {
    let scene = try Scene()
    let dataset = try scene.dataset(photos: 2)
    let photos = try dataset.find(.everything)
    let results = try dataset.label([
      PhotoAssertion(photos[0], "heather"),
      PhotoAssertion(photos[1], "gorse", LabelAssertion(.absent)),
    ])
    #expect(results.map(\.label.photo) == photos)
    #expect(results.map(\.label.verdict) == [.present, .absent])
    #expect(results.map(\.className) == ["heather", "gorse"])
    withExtendedLifetime(scene) {}
  }

  @Test("clones, pulls and pushes between two people")
  func sync() throws {
    let scene = try Scene()
    let alice = try scene.dataset(photos: 1)
    try alice.commit()
    let remote = scene.directory.appendingPathComponent("remote.git").path
    try alice.addRemote("origin", remote, creating: true, relativeTo: FilePath(scene.path))
    #expect(try alice.push().isNew)
    #expect(try alice.remotes().map(\.name) == ["origin"])

    let clone = try Dataset.clone(
      remote, to: FilePath(scene.directory.appendingPathComponent("clone").path),
      author: Author(name: "Bob", email: "bob@example.org"))
    let bob = clone.dataset
    let photos = try bob.find(.everything)
    try bob.label(photos, ["oak"])
    #expect(try bob.sync().push?.isNew == true)

    #expect(try alice.pull().outcome == .fastForward)
    #expect(try alice.show(photos[0]).resolution.map(\.name) == ["oak"])
    #expect(try alice.status().upstream?.behind == 0)
    #expect(try alice.verify().isValid)
  }

  @Test("throws errors with a kind, a message and a hint")
  func errors() throws {
    let scene = try Scene()
    let error = #expect(throws: CairnError.self) { try Dataset(at: scene.path) }
    #expect(error?.kind == .notADataset && error?.hint != nil)
  }
}
