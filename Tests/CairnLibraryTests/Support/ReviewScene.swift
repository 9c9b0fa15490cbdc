import CairnDocument
import CairnMerge
import CairnReview
import CairnStore
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Cairn

/// A dataset of ten photos on ann's device, which others have labeled, too.
final class ReviewScene {
  private let directory = TemporaryDirectory()
  let dataset: Dataset
  /// Sorted by id, as in the queue.
  let photos: [PhotoID]

  init() throws {
    _ = TestIdentity.inUse
    dataset = try Dataset.create(at: directory.path("a"))
    photos = (0..<10).map { number in
      var random = SeededGenerator(UInt64(number))
      return PhotoID(digest: (0..<32).map { _ in UInt8(random.below(256)) })
    }.sorted()
    try dataset.edit("test") { session in
      for id in photos {
        let image = ImageFacts(format: .jpeg, width: 3, height: 2, bytes: 100)
        try session.write([
          .photo(Photo(id: id, image: image, pin: nil, source: "a.jpg", stamp: session.stamp()))
        ])
      }
    }
  }

  func label(
    _ number: Int, _ name: String, _ verdict: Verdict, by person: String? = nil,
    model: String? = nil, _ confidence: Double = 1, replica: UInt32? = nil
  ) throws {
    let annotator = try #require(
      model.flatMap { Annotator(model: $0) }
        ?? person.flatMap { Annotator(email: $0 + "@example.org") })
    try dataset.edit("test") { session in
      let key = try dataset.classKeys(creating: [name], session: session)[0]
      var stamp = session.stamp()
      if let replica {
        stamp = Stamp(
          milliseconds: stamp.milliseconds, counter: stamp.counter,
          replica: ReplicaID(rawValue: replica))
      }
      try session.write([
        .label(
          Label(
            photo: photos[number], classKey: key, annotator: annotator, verdict: verdict,
            confidence: confidence, stamp: stamp))
      ])
    }
  }

  func remove(_ number: Int) throws { _ = try dataset.setPhotosRemoved([photos[number]], true) }

  /// Returns the items of the review queue as texts such as `0 dog disputed`.
  func queue(_ request: ReviewFilter = ReviewFilter(), limit: Int = 100) throws -> [String] {
    try dataset.reviewQueue(request, limit: limit).map { item in
      let number = photos.firstIndex(of: item.key.photo) ?? -1
      return "\(number) \(item.key.classKey?.text ?? "-") \(item.reasons[0].reason.rawValue)"
    }
  }

  /// Answers the first question about a photo, or the one about a class.
  func answer(
    _ number: Int, _ decision: ReviewDecision, about name: String? = nil
  ) throws -> ReviewOutcome {
    let item = try #require(
      try dataset.reviewQueue().first {
        $0.key.photo == photos[number] && (name == nil || $0.key.classKey?.text == name)
      })
    let review = try dataset.startReview()
    let question = try #require(try review.question(item))
    return try review.answer(question, decision)
  }

  /// Undoes the last answer in a review session of its own.
  @discardableResult
  func undo() throws -> UndoneReview? {
    try dataset.startReview().undo()
  }

  func mail(_ text: String) throws {
    try directory.write(text.utf8, to: "a/.mailmap")
  }

  /// Returns the documents of a photo and of its labels, by path.
  func documents(_ number: Int) throws -> [String: [UInt8]] {
    let id = photos[number]
    let labels = DocumentPath.labels(of: id)
    let paths = try dataset.replica.names(in: labels).map { "\(labels)/\($0)" }
    return try Dictionary(
      uniqueKeysWithValues: (paths + [DocumentPath.photo(id).description]).map {
        ($0, try #require(try dataset.replica.read($0)))
      })
  }

  /// Returns ann's labels of a photo.
  func own(_ number: Int) throws -> [String] {
    try dataset.show(photos[number]).labels
      .filter { $0.annotator == Annotator(email: "ann@example.org") }
      .map { "\($0.classKey) \($0.verdict.rawValue)" }
  }

  func state(_ number: Int, _ name: String) throws -> Resolution.State? {
    try dataset.show(photos[number]).resolution.first { $0.classKey.text == name }?.state
  }
}
