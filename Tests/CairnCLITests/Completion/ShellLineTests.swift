import Testing

@testable import CairnCLI

@Suite("Lines of bash")
struct ShellLineTests {
  @Test("splits words at spaces outside quotes")
  func words() {
    #expect(ShellLine("cairn label x").words == ["cairn", "label", "x"])
    #expect(ShellLine("cairn label ").words == ["cairn", "label", ""])
    #expect(ShellLine("cairn  label \"Scots p").words == ["cairn", "label", "Scots p"])
    #expect(ShellLine(#"cairn label Scots\ p"#).words == ["cairn", "label", "Scots p"])
    #expect(ShellLine("cd walk && cairn la").words == ["cairn", "la"])
    #expect(ShellLine("").words == [""])
  }

  @Test("inserts what bash replaces, with spaces escaped")
  func insertion() {
    #expect(ShellLine("cairn find label:Sc").insertion(of: "label:Scots") == "Scots")
    #expect(ShellLine("cairn push --pin=R").insertion(of: "--pin=Ridge") == "Ridge")
    #expect(ShellLine("cairn label x Sc").insertion(of: "Scots pine") == #"Scots\ pine"#)
    #expect(ShellLine("cairn label x \"Sc").insertion(of: "Scots pine") == "Scots pine")
  }

  @Test(
    "escapes what bash expands",
    arguments: [
      ("", ##"x\$\(rm\)\`rm\`\"\'\\\!"##), ("\"", ##"x\$(rm)\`rm\`\"'\\"\!""##),
      ("'", ##"x$(rm)`rm`"'\''\!"##),
    ])
  func special(quote: String, inserted: String) {
    let name = ##"x$(rm)`rm`"'\!"##
    #expect(ShellLine("cairn pin show \(quote)x").insertion(of: name) == inserted)
  }

  @Test("escapes quotation marks that an accent follows, as one character on the screen")
  func accents() {
    let name = "x`\u{301}'\u{301}\"\u{301}"
    for (quote, inserted) in [
      ("", "\\`\u{301}\\'\u{301}\\\"\u{301}"), ("\"", "\\`\u{301}'\u{301}\\\"\u{301}"),
      ("'", "`\u{301}'\\''\u{301}\"\u{301}"),
    ] {
      #expect(ShellLine("cairn pin show \(quote)x").insertion(of: name) == "x" + inserted)
    }
    #expect(ShellLine("cairn label 'a'\u{301} b").words == ["cairn", "label", "a\u{301}", "b"])
  }
}

@Suite("Completion of command lines")
struct CommandLineCompletionTests {
  private func texts(_ words: String...) -> [String] {
    guard case .words(let candidates) = CommandLineCompletion(words).target else { return [] }
    return candidates.map(\.text)
  }

  private func kind(_ words: String...) -> ValueKind? {
    guard case .value(let kind, _) = CommandLineCompletion(words).target else { return nil }
    return kind
  }

  @Test("completes commands and options")
  func commands() {
    #expect(texts("").contains("label") && !texts("").contains("merge-driver"))
    #expect(texts("pin", "").contains("move"))
    #expect(texts("help", "pin", "").contains("move"))
    #expect(texts("label", "x", "--").contains("--confidence"))
    #expect(!texts("label", "--confidence", "1", "x", "--").contains("--confidence"))
    #expect(texts("nonsense", "").isEmpty)
  }

  @Test("knows what a value names")
  func values() {
    #expect(kind("-C", "") == .directory)
    #expect(kind("photo", "add", "") == .file)
    #expect(kind("label", "") == .file)
    #expect(kind("label", "x", "") == .photosAndClasses)
    #expect(kind("label", "--find", "is:labeled", "") == .class)
    #expect(kind("label", "x", "--as", "") == .model)
    #expect(kind("class", "merge", "oak", "") == .class)
    #expect(kind("find", "-label:") == .query)
    #expect(kind("pin", "show", "") == .pin)
    #expect(kind("pin", "show", "Ridge", "") == ValueKind.none)
    #expect(kind("sync", "") == .remote)
    #expect(kind("split", "add", "x", "--by", "") == .oneOf(["photo", "pin"]))
    #expect(kind("labeler", "show", "") == .labeler)
    #expect(kind("labeler", "presets", "") == .preset)
    #expect(kind("labeler", "add", "x", "--preset", "") == .preset)
    #expect(kind("train", "") == .labeler)
    #expect(kind("train", "trees", "--split", "") == .split)
    #expect(
      kind("train", "trees", "--augment", "")
        == .listOf(["crop", "rotate", "blur", "expose", "noise", "flip"]))
    #expect(kind("split", "add", "x", "") == ValueKind.none)
    #expect(kind("remote", "rename", "") == .remote)
    #expect(kind("remote", "rename", "origin", "") == ValueKind.none)
    #expect(kind("config", "get", "") == .setting)
    #expect(kind("undo", "") == .operation)
    #expect(kind("export", "coco", "--images", "") == .oneOf(["copy", "link", "none"]))
    #expect(
      kind("export", "coco", "--several", "")
        == .oneOf(["refuse", "first", "copy", "skip"]))
    #expect(kind("import", "imagefolder", "--folders", "") == .oneOf(["classes", "subsets"]))
    #expect(CommandLineCompletion(["-C", "walk", "label", ""]).directory == "walk")
  }
}
