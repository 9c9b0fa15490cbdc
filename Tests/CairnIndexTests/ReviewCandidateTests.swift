import CairnDocument
import CairnMerge
import CairnReview
import GRDB
import GRDBSQLite
import Synchronization
import TestSupport
import Testing

@testable import CairnIndex

@Suite("Review candidates")
struct ReviewCandidateTests {
  private struct Pair: Hashable {
    let photo: PhotoID
    let classKey: ClassKey?
  }

  @Test(
    "includes all doubtful labels that a scan of every photo finds, in order",
    arguments: UInt64(0)..<10)
  func naive(seed: UInt64) throws {
    var scene = Scene(seed: seed)
    let index = try DatasetIndex.inMemory()
    for _ in 0..<6 {
      let changed = scene.changes(60)
      try index.write { writer in
        try scene.write(changed, to: writer)
        try writer.resolve(scene.rules, fingerprint: scene.fingerprint)
      }
      let wanted = doubtful(scene)
      try index.read { reader in
        let disputed = try candidates { try reader.forEachDisputed($0) }
        #expect(Set(disputed) == wanted[.disputed] ?? [])
        #expect(disputed == disputed.sorted(by: precedes))
        let contradicted = try candidates { try reader.forEachContradicted($0) }
        #expect(Set(contradicted).isSuperset(of: wanted[.models] ?? []))
        #expect(contradicted == contradicted.sorted(by: precedes))
        let unsure = try candidates { try reader.forEachUnsure(within: ReviewLimit.margin, $0) }
        #expect(Set(unsure).isSuperset(of: wanted[.unsure] ?? []))
        #expect(Set(unsure).count == unsure.count)
        let removed = try candidates { try reader.forEachRemovedAndLabeled($0) }
        #expect(Set(removed) == wanted[.removed] ?? [])
        for key in Scene.classes {
          let predicted = try candidates { try reader.forEachPredicted(of: key, $0) }
          #expect(Set(predicted) == (wanted[.rare] ?? []).filter { $0.classKey == key })
          let only = try candidates { try reader.forEachDisputed(of: key, $0) }
          #expect(only == disputed.filter { $0.classKey == key })
        }
      }
    }
  }

  // The index sorts photos by the first six bytes of their ids; equal ones may come in any order.
  private func precedes(_ a: Pair, _ b: Pair) -> Bool {
    let (x, y) = (Array(a.photo.digest.prefix(6)), Array(b.photo.digest.prefix(6)))
    if x != y { return x.lexicographicallyPrecedes(y) }
    if a.photo != b.photo { return false }
    return (a.classKey?.text ?? "") < (b.classKey?.text ?? "")
  }

  private func candidates(_ body: (ReviewVisit) throws -> Void) throws -> [Pair] {
    var pairs: [Pair] = []
    try body { candidate, _ in
      pairs.append(Pair(photo: candidate.photo, classKey: candidate.classKey))
      return true
    }
    return pairs
  }

  private func doubtful(_ scene: Scene) -> [ReviewReason: Set<Pair>] {
    var found: [ReviewReason: Set<Pair>] = [:]
    for id in Scene.photos {
      guard case .photo(let photo)? = scene.documents[.photo(id)] else { continue }
      let labels = scene.labels(of: id)
      guard Visibility(of: photo, labels: labels).isVisible else {
        if labels.contains(where: { $0.annotator.isHuman && $0.verdict != .withdrawn }) {
          found[.removed, default: []].insert(Pair(photo: id, classKey: nil))
        }
        continue
      }
      let evidence = PhotoEvidence(of: id, labels, scene.rules)
      for resolution in evidence.resolutions {
        let pair = Pair(photo: id, classKey: resolution.classKey)
        for doubt in evidence.reasons(on: resolution.classKey) {
          found[doubt.reason, default: []].insert(pair)
        }
        if resolution.state == .predicted { found[.rare, default: []].insert(pair) }
      }
    }
    return found
  }

  @Test("lists classes with few confirmed photos, the rarest first")
  func rare() throws {
    var scene = Scene(seed: 3)
    let index = try DatasetIndex.inMemory()
    for _ in 0..<400 { _ = scene.change() }
    try index.write { writer in
      for document in scene.documents.values { try writer.put(document) }
      try writer.resolve(scene.rules, fingerprint: "")
    }
    var counts: [ClassKey: Int] = [:]
    for id in Scene.photos {
      for resolution in scene.rules.resolve(scene.labels(of: id))
      where resolution.state == .confirmed {
        counts[resolution.classKey, default: 0] += 1
      }
    }
    let rare = try index.read { try $0.rareClasses(below: 3) }
    for (key, count) in rare { #expect(count == counts[key] ?? 0 && count < 3) }
    #expect(rare.map(\.count) == rare.map(\.count).sorted())
    for (key, count) in counts where count < 3 && scene.rules.classes[key]?.removed.value != true {
      #expect(rare.contains { $0.key == key }, "\(key)")
    }
  }

  @Test("finds the first disputes in as many steps among 4,000 photos as among 400")
  func cost() throws {
    let (few, many) = (try steps(photos: 400), try steps(photos: 4000))
    #expect(abs(few.disputed - many.disputed) < 60, "\(few) and \(many)")
    #expect(many.disputed < 2000)
    // Unsure labels have to be sorted. Their cost grows, which shows that the steps are counted.
    #expect(many.unsure > 5 * few.unsure)
  }

  private func steps(photos: Int) throws -> (disputed: Int, unsure: Int) {
    let index = try DatasetIndex.inMemory()
    var scene = Scene(seed: 1)
    try index.write { writer in
      try writer.deferIndexes()
      for number in 0..<photos {
        var random = SeededGenerator(UInt64(number))
        let id = PhotoID(digest: (0..<32).map { _ in UInt8(random.below(256)) })
        let image = ImageFacts(format: .jpeg, width: 3, height: 2, bytes: 100)
        try writer.put(
          Photo(id: id, image: image, pin: nil, source: "a.jpg", stamp: scene.stamp()))
        func label(_ annotator: Annotator, _ verdict: Verdict, _ confidence: Double) throws {
          try writer.put(
            Label(
              photo: id, classKey: Scene.classes[0], annotator: annotator, verdict: verdict,
              confidence: confidence, stamp: scene.stamp()))
        }
        if number % 40 == 0 {
          try label(Scene.people[0], .present, 1)
          try label(Scene.people[1], .absent, 1)
        } else {
          try label(Scene.models[0], .present, 0.9)
        }
      }
      try writer.resolve(scene.rules, fingerprint: "")
    }
    func count(_ body: (IndexReader) throws -> Void) throws -> Int {
      try index.read { reader in
        ReviewCandidateTests.steps.store(0, ordering: .relaxed)
        sqlite3_progress_handler(
          reader.db.sqliteConnection, 1,
          { _ in
            ReviewCandidateTests.steps.add(1, ordering: .relaxed)
            return 0
          }, nil)
        defer { sqlite3_progress_handler(reader.db.sqliteConnection, 0, nil, nil) }
        try body(reader)
        return ReviewCandidateTests.steps.load(ordering: .relaxed)
      }
    }
    let disputed = try count { reader in
      var left = 5
      try reader.forEachDisputed { _, labels in
        let entries = try labels()
        #expect(entries.count == 2)
        left -= 1
        return left > 0
      }
      #expect(left == 0)
    }
    let unsure = try count { reader in
      try reader.forEachUnsure(within: ReviewLimit.margin) { _, _ in false }
    }
    return (disputed, unsure)
  }

  // Static, because a callback of SQLite cannot capture anything.
  private static let steps = Atomic<Int>(0)
}
