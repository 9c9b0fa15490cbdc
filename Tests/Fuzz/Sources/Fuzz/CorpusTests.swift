import Foundation
import SystemPackage
import Testing

/// The inputs in `Tests/Fuzz/Corpus`, among them those that crashed a reader once.
@Suite("corpus of the fuzz targets")
struct CorpusTests {
  private let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Corpus")

  /// Returns the names in a directory of the corpus; none if there is no such directory.
  private func names(in directory: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
  }

  // One test, because the import formats share a directory.
  @Test("no input crashes its readers, and each has a reader")
  func readers() throws {
    defer { try? FileManager.default.removeItem(atPath: workDirectory.string) }
    var unread = Set(names(in: corpus))
    #expect(!unread.isEmpty)
    for target in FuzzTarget.all {
      for name in [target.name] + (target.name.hasPrefix("import-") ? ["import"] : []) {
        let directory = corpus.appending(path: name)
        for file in names(in: directory) {
          let input = [UInt8](try Data(contentsOf: directory.appending(path: file)))
          // An error is a right answer to bytes that are invalid.
          try? target.read(input)
        }
        unread.remove(name)
      }
    }
    #expect(unread.isEmpty)
  }
}
