import CairnDocument
import CairnFiles
import SystemPackage
import TestSupport
import Testing

@testable import CairnStore

@Suite("Change journal")
struct ChangeJournalTests {
  private let sandbox: Sandbox
  private let dataset: DatasetDirectory
  private let journal: FilePath

  init() throws {
    sandbox = try Sandbox()
    dataset = try sandbox.dataset()
    journal = dataset.privateDirectory.appending("changes")
  }

  private static let paths = (0..<20).map { index in
    DocumentPath.photo(PhotoID(digest: [UInt8](repeating: UInt8(index * 12), count: 32)))
  }

  @Test("returns paths in the order they were first noted, each once")
  func order() throws {
    let paths = ChangeJournalTests.paths
    #expect(try dataset.journaledPaths() == [])
    try dataset.note(paths[5..<8])
    try dataset.note([paths[1]])
    try dataset.note([])
    try dataset.note(paths[4..<7])
    #expect(try dataset.journaledPaths() == [5, 6, 7, 1, 4].map { paths[$0] })
  }

  @Test("keeps only the remaining paths after a reset")
  func reset() throws {
    let paths = ChangeJournalTests.paths
    try dataset.note(paths)
    try dataset.resetJournal(remaining: [paths[3], paths[2]])
    #expect(try dataset.journaledPaths() == [paths[3], paths[2]])
    try dataset.note([paths[9]])
    #expect(try dataset.journaledPaths() == [paths[3], paths[2], paths[9]])
    try dataset.resetJournal(remaining: [])
    try dataset.resetJournal(remaining: [])
    #expect(try dataset.journaledPaths() == [])
    try dataset.note([paths[1]])
    #expect(try dataset.journaledPaths() == [paths[1]])
  }

  @Test("skips a torn last line and keeps later lines")
  func torn() throws {
    let paths = ChangeJournalTests.paths
    try dataset.note(paths[0..<2])
    let whole = try #require(try FileSystem().read(journal))
    for length in 0...whole.count {
      try FileSystem().remove(journal)
      try FileSystem().create(journal, whole.prefix(length))
      let remembered = try dataset.journaledPaths()
      #expect(remembered == Array(paths[0..<2].prefix(remembered.count)), "cut at \(length)")
      try dataset.note([paths[7]])
      #expect(try dataset.journaledPaths() == remembered + [paths[7]], "cut at \(length)")
    }
  }

  @Test("skips lines that are not paths of a dataset")
  func invalidLines() throws {
    let path = ChangeJournalTests.paths[0]
    let lines = ["../x", "\(path)x", "", "photos/ab", "\(path)", "\(path)\r"]
    try FileSystem().create(journal, Array(lines.joined(separator: "\n").utf8) + [0xFF, 0x0A])
    #expect(try dataset.journaledPaths() == [path])
  }

  @Test("keeps the old journal when any step of a reset fails")
  func faults() throws {
    let paths = ChangeJournalTests.paths
    try withFaultAtEachStep { environment, _ in
      try dataset.resetJournal(remaining: paths)
      try sandbox.dataset(environment: environment).resetJournal(remaining: [paths[3]])
    } check: { (step: Int) throws in
      #expect(try dataset.journaledPaths() == paths, "step \(step)")
    }
  }
}
