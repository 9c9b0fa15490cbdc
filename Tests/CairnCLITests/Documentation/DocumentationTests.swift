import Foundation
import TestSupport
import Testing

@Suite("Documentation pages")
struct DocumentationTests {
  /// The pages, and the minimum number of tests that each must name.
  static let pages = [
    "Merging": 60, "Remotes": 20, "Find": 0, "Formats": 2, "Labelers": 20, "Labeling": 10,
    "Review": 25, "Sources": 15, "Metrics": 15,
  ]

  @Test("finds every test that a page names", arguments: pages.keys)
  func namedTests(page name: String) throws {
    let page = try String(
      contentsOf: packageDirectory.appending(
        path: "Sources/Cairn/Documentation.docc/\(name).md"), encoding: .utf8)
    let names = page.matches(of: /`([A-Z]\w+)\.?(\w+)?`/)
    #expect(names.count { $0.2 != nil } > Self.pages[name] ?? 0)
    for name in names where name.1.hasSuffix("Tests") || name.2 != nil {
      let functions = Self.functions[String(name.1)]
      let isThere = name.2.map { functions?.contains(String($0)) == true } ?? (functions != nil)
      #expect(isThere, "no such test: \(name.0)")
    }
  }

  /// The names of all functions in the files that declare or extend a type, by type.
  private static let functions: [String: Set<String>] = {
    let directory = packageDirectory.appending(path: "Tests")
    let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)
    var functions: [String: Set<String>] = [:]
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift",
        let text = try? String(contentsOf: file, encoding: .utf8)
      else { continue }
      let names = text.matches(of: /func (\w+)\(/).map { String($0.1) }
      for type in text.matches(of: /(?:struct|extension) (\w+) {/) {
        functions[String(type.1), default: []].formUnion(names)
      }
    }
    return functions
  }()

  @Test("links only public types and their public members")
  func links() throws {
    let sources = packageDirectory.appending(path: "Sources")
    var types: Set<Substring> = ["Cairn"]
    // The beginnings of the declarations of members, by name.
    var members: [Substring: [String]] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path)
    where path.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
      let lines = text.split(separator: "\n")
      for (index, line) in lines.enumerated() where line.contains("public ") {
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        let kinds = ["class", "enum", "protocol", "struct", "func", "let", "var"]
        guard let kind = words.firstIndex(where: { kinds.contains(String($0)) }) else { continue }
        guard kind + 1 < words.count else { continue }
        if line.hasPrefix("public ") {
          types.insert(words[kind + 1])
        } else {
          let declaration = lines[index..<min(index + 4, lines.count)].joined(separator: " ")
          members[words[kind + 1], default: []].append(declaration)
        }
      }
    }
    let catalog = packageDirectory.appending(path: "Sources/Cairn/Documentation.docc")
    for file in try FileManager.default.subpathsOfDirectory(atPath: catalog.path)
    where file.hasSuffix(".md") {
      let page = try String(contentsOf: catalog.appending(path: file), encoding: .utf8)
      for link in page.matches(of: /``([A-Z]\w+)([^`\n]*)``/) {
        #expect(types.contains(link.1), "\(file): \(link.0)")
        guard link.2.hasPrefix("/") else { continue }
        let member = link.2.dropFirst().prefix { $0 != "(" }
        let labels = link.2.drop { $0 != "(" }.dropFirst().dropLast().split(separator: ":")
        let isThere = members[member, default: []].contains { declaration in
          labels.allSatisfy {
            $0 == "_" || declaration.contains("\($0): ")
              || declaration.contains("\($0) ")
          }
        }
        #expect(isThere, "\(file): \(link.0)")
      }
    }
  }

  @Test("lists every page in the topics of the catalog")
  func topics() throws {
    let catalog = packageDirectory.appending(path: "Sources/Cairn/Documentation.docc")
    let topics = try String(contentsOf: catalog.appending(path: "Cairn.md"), encoding: .utf8)
    for file in try FileManager.default.subpathsOfDirectory(atPath: catalog.path)
    where file.hasSuffix(".md") && file != "Cairn.md" {
      let name = file.split(separator: "/").last?.dropLast(3) ?? ""
      #expect(topics.contains("<doc:\(name)>"), "\(file) is not listed")
    }
  }

  @Test("lists every target in the order of Package.swift")
  func targets() throws {
    let manifest = try String(
      contentsOf: packageDirectory.appending(path: "Package.swift"), encoding: .utf8)
    let page = try String(
      contentsOf: packageDirectory.appending(
        path: "Sources/Cairn/Documentation.docc/Architecture.md"), encoding: .utf8)
    // The targets of the tests follow.
    let sources = try #require(manifest.split(separator: "name: \"Simulation\"").first)
    let target = /\.(?:target|executableTarget|systemLibrary)\(\s*name: "(\w+)"/
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
    let listed = rows.flatMap { row in
      row.split(separator: "|").first.map { $0.matches(of: /`(\w+)`/).map(\.1) } ?? []
    }
    #expect(listed == sources.matches(of: target).map(\.1))
  }
}
