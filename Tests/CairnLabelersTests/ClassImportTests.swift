import CairnDocument
import Foundation
import TestSupport
import Testing

@Suite("cairn class import")
struct ClassImportTests {
  private static let lists: [(name: String, text: String)] = [
    ("words.txt", "n02096177 cairn, cairn terrier\nn02012849 crane\nn03126707 crane\n"),
    (
      "index.json",
      #"{"0": ["n02096177", "cairn"], "1": ["n02012849", "crane"], "2": ["n03126707", "crane"]}"#
    ),
    (
      "list.csv",
      "id,name,aliases\nn02096177,cairn,cairn terrier\nn02012849,crane,\nn03126707,crane,\n"
    ),
    (
      "list.json",
      #"[{"id": "n02096177", "name": "cairn"}, {"id": "n02012849", "name": "crane"}, {"wnid": "n03126707", "name": "crane"}]"#
    ),
  ]

  @Test("creates classes and aliases once from a list in any format", arguments: lists)
  func imported(list: (name: String, text: String)) throws {
    let box = try Sandbox(user: "Ann")
    try box.cairn("init", "a")
    try box.write(list.text, to: list.name)
    let dryRun = try box.cairn(
      "class", "import", "../\(list.name)", "--dry-run", "--json", in: "a")
    #expect(try JSON(bytes: dryRun.bytes)["added"]?.array?.count == 3)
    #expect(try box.cairn("class", "list", in: "a").stdout.hasPrefix("No classes"))
    let first = try box.cairn("class", "import", "../\(list.name)", "--json", in: "a")
    var planned = try #require(try JSON(bytes: dryRun.bytes).object)
    #expect(planned["dryRun"]?.bool == true)
    planned["dryRun"] = .bool(false)
    #expect(try JSON(bytes: first.bytes) == .object(planned))
    let classes = try JSON(bytes: box.cairn("class", "list", "--json", in: "a").bytes).array ?? []
    func canonical(_ key: String) -> String? {
      classes.first { $0["key"]?.string == key }?["aliasOf"]?.string
    }
    #expect(canonical("n02096177") == "cairn" && canonical("n02012849") == "crane")
    let other = classes.first { $0["name"]?.string == "crane (n03126707)" }
    #expect(other != nil && canonical("n03126707") == other?["key"]?.string)
    try box.cairn("commit", in: "a")
    let again = try JSON(
      bytes: box.cairn("class", "import", "../\(list.name)", "--json", in: "a").bytes)
    #expect(again["added"]?.array?.isEmpty == true && again["known"]?.int == 3)
    #expect(again["aliases"]?.int == 0)
    #expect(try box.git("status", "--porcelain", in: "a").stdout == "")
  }

  @Test("keeps an alias from taking the name of another class, in any order of rows")
  func aliasesAndNames() throws {
    let rows = ["terrier,cairn|hound,dog", "cairn,,terrier", "canine,dog,"]
    for rows in [rows, rows.reversed()] {
      let box = try Sandbox(user: "Ann")
      try box.cairn("init", "a")
      try box.write("name,aliases,parent\n" + rows.joined(separator: "\n") + "\n", to: "list.csv")
      let output = try box.cairn("class", "import", "../list.csv", "--json", in: "a")
      let report = try JSON(bytes: output.bytes)
      #expect(
        Set(report["added"]?.array?.compactMap(\.string) ?? []) == ["cairn", "canine", "terrier"])
      #expect(report["aliases"]?.int == 2 && report["parents"]?.int == 2)
      #expect(
        report["notes"]?.array?.compactMap(\.string) == [
          "“cairn” already refers to the class cairn, so it cannot be an alias of terrier."
        ])
      func parent(_ key: String) throws -> String? {
        try JSON(bytes: box.read("a/classes/\(key).json"))["parent"]?["value"]?.string
      }
      #expect(try parent("cairn") == "terrier" && parent("terrier") == "canine")
    }
  }

  @Test("leaves out a name that several classes have, and the name of favorites")
  func ambiguousNames() throws {
    let box = try Sandbox(user: "Ann")
    try box.cairn("init", "a")
    try box.write("elm\nash\n", to: "trees.txt")
    try box.cairn("class", "import", "../trees.txt", in: "a")
    try box.cairn("class", "rename", "elm", "Tree", in: "a")
    try box.cairn("class", "rename", "ash", "tree", in: "a")
    try box.write("name,aliases\ntree,\nfavorite,\noak,TREE|favorite\n", to: "list.csv")
    let text = try box.cairn("class", "import", "../list.csv", "--json", in: "a")
    let report = try JSON(bytes: text.bytes)
    #expect(report["added"]?.array?.compactMap(\.string) == ["oak"])
    #expect(report["aliases"]?.int == 0)
    #expect(
      report["notes"]?.array?.compactMap(\.string) == [
        "“tree” already refers to 2 classes.", "“favorite” cannot be the name of a class.",
        "“TREE” already refers to 2 classes.",
        "“favorite” already refers to the class favorite, so it cannot be an alias of oak.",
      ])
  }

  @Test("sets the parents, aliases and exclusive set of breeds")
  func breeds() throws {
    let box = try Sandbox(user: "Ann")
    try box.cairn("init", "a")
    try box.write(
      #"{"message": {"beagle": [], "terrier": ["cairn", "scottish"]}, "status": "success"}"#,
      to: "breeds.json")
    let output = try box.cairn(
      "class", "import", "../breeds.json", "--set", "breed", "--json", in: "a")
    let report = try JSON(bytes: output.bytes)
    #expect(report["added"]?.array?.count == 4 && report["parents"]?.int == 2)
    #expect(report["aliases"]?.int == 2 && report["members"]?.int == 4)
    let cairn = try JSON(bytes: box.read("a/classes/cairn-terrier.json"))
    #expect(cairn["parent"]?["value"]?.string == "terrier")
    // Importing again keeps what people edited.
    try box.cairn("class", "rename", "beagle", "Beagle dog", in: "a")
    try box.cairn("class", "import", "../breeds.json", in: "a")
    #expect(try box.cairn("class", "list", in: "a").stdout.contains("Beagle dog"))
  }

  @Test(
    "rejects an invalid list and says why",
    arguments: [
      ("a.json", "{", "is not JSON"), ("a.json", "{}", "contains no classes"),
      ("a.json", "[{\"id\": 1}]", "without a “name”"),
      ("a.csv", "x,y\n1,2\n", "no “name” column"),
      ("a.csv", "name,id\n1\n", "has 1 cells in row 2"),
      ("a.txt", "\n# nothing\n", "contains no classes"),
    ])
  func refusals(name: String, text: String, fragment: String) throws {
    let box = try Sandbox(user: "Ann")
    try box.cairn("init", "a")
    try box.write(text, to: name)
    let output = try box.runCairn(["class", "import", "../\(name)"], in: "a")
    #expect(output.status == 65 && output.stderr.contains(fragment), "\(output.all)")
    #expect(try box.cairn("class", "list", in: "a").stdout.hasPrefix("No classes"))
  }
}
