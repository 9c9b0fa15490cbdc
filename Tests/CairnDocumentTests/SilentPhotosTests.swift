import CairnDocument
import TestSupport
import Testing

@Suite("Silent photos of a run")
struct SilentPhotosTests {
  private func run() -> Run {
    Run(
      id: RunID(unchecked: String(repeating: "1", count: 20)), annotator: Annotator("model:m@1")!,
      by: Annotator("human:ann@x")!, recordsSilent: true,
      stamp: Stamp("2026-11-20T10:12:44.518Z-0000-7f3a9c21")!)
  }

  @Test("are read as they were written, with one new member for each addition")
  func roundTrip() throws {
    var random = SeededGenerator(1)
    let photos = (0..<5000).map { _ in PhotoID(digest: random.bytes(32)) }
    var run = run()
    #expect(run.silent?.count == 0)
    run.addSilent(photos[..<2000])
    let first = try #require(run.members["silent"]?.object?.members.first)
    run.addSilent(photos[2000..<4000])
    run.addSilent(photos[..<0])
    let chunks = try #require(run.members["silent"]?.object)
    #expect(chunks.members.count == 2 && chunks[first.key] == first.value)
    let read = try Run(bytes: run.canonicalBytes)
    #expect(read == run)
    let silent = try #require(read.silent)
    #expect(silent.count == 4000 && photos[..<4000].allSatisfy(silent.contains))
    #expect(!photos[4000...].contains(where: silent.contains))
  }

  @Test("of a full run fit into a document")
  func limit() {
    var random = SeededGenerator(2)
    var run = run()
    let photos = (0..<Run.photoLimit).map { _ in PhotoID(digest: random.bytes(32)) }
    for start in stride(from: 0, to: photos.count, by: 1024) {
      run.addSilent(photos[start..<start + 1024])
    }
    #expect(run.silent?.count == Run.photoLimit)
    #expect(run.canonicalBytes.count < 600_000)
  }

  @Test("are recorded apart from the photos that a model learned from")
  func learned() throws {
    var random = SeededGenerator(3)
    let photos = (0..<50).map { _ in PhotoID(digest: random.bytes(32)) }
    var run = run()
    #expect(run.learned == nil)
    run.addSilent(photos[..<10])
    run.addLearned(photos[10...])
    let read = try Run(bytes: run.canonicalBytes)
    let learned = try #require(read.learned)
    #expect(learned.count == 40 && photos[10...].allSatisfy(learned.contains))
    #expect(read.silent?.count == 10 && !photos[..<10].contains(where: learned.contains))
  }

  @Test("are unknown for a run that does not record them")
  func unknown() throws {
    let old = Run(
      id: RunID(unchecked: String(repeating: "1", count: 20)), annotator: Annotator("model:m@1")!,
      by: Annotator("human:ann@x")!, stamp: Stamp("2026-11-20T10:12:44.518Z-0000-7f3a9c21")!)
    #expect(old.silent == nil && old.minimumScore == 0)
  }

  @Test(
    "are refused in any other form",
    arguments: [
      "1", "[]", "{\"0123456789abcdef\": \"\"}", "{\"0123456789abcdef\": \"AAAA\"}",
      "{\"0123456789abcdef\": \"AAAAAA==\"}", "{\"0123456789abcdef\": \"AAAAAAA-\"}",
      "{\"0123456789abcdef\": 7}", "{\"x\": \"AAAAAAAA\"}",
      "{\"stamp\": \"2026-11-20T10:12:44.518Z-0000-7f3a9c21\", \"value\": \"AAAAAAAA\"}",
    ])
  func refused(text: String) throws {
    let members = run().members
    let json = try JSON(bytes: Array(text.utf8))
    for key in ["silent", "learned"] {
      var members = members
      members[key] = json
      #expect(throws: DocumentError.self) { try Run(json: .object(members)) }
    }
  }
}
