import Foundation
import Testing

@Suite("documentation")
struct DocumentationTests {
  @Test("every test that a page names is there", arguments: ["Merging", "Remotes", "Formats"])
  func namedTests(page name: String) throws {
    let page = try String(
      contentsOf: Programs.package.appending(
        path: "Sources/Cairn/Documentation.docc/\(name).md"), encoding: .utf8)
    let tests = Programs.package.appending(path: "Tests")
    let files = try #require(
      FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
    var sources: [String] = []
    for case let file as URL in files where file.pathExtension == "swift" {
      sources.append(try String(contentsOf: file, encoding: .utf8))
    }
    let names = page.matches(of: /`([A-Z]\w+)\.?(\w+)?`/)
    let expected = ["Merging": 60, "Remotes": 20, "Formats": 2]
    #expect(names.count { $0.2 != nil } > expected[name] ?? 0)
    for name in names where name.1.hasSuffix("Tests") || name.2 != nil {
      let suite = sources.first { $0.contains("struct \(name.1) {") }
      let isThere =
        suite.map { text in name.2.map { text.contains("func \($0)(") } ?? true } ?? false
      #expect(isThere, "there is no \(name.0)")
    }
  }
}
