import CairnTerminal
import Testing

@Suite("Line editor")
struct LineEditorTests {
  private let names = ["Cairn terrier", "cat", "Kater Ø"]

  private func complete(_ text: String) -> [String] {
    names.filter { $0.lowercased().hasPrefix(text.lowercased()) }
  }

  private func type(_ keys: [Key], in editor: inout LineEditor) -> LineEditor.Outcome {
    var outcome = LineEditor.Outcome.editing
    for key in keys { outcome = editor.take(key, complete: complete) }
    return outcome
  }

  private func text(_ text: String) -> [Key] { text.unicodeScalars.map { .text($0) } }

  @Test("cycles through the matching names with Tab and Shift-Tab")
  func cycle() {
    var editor = LineEditor()
    #expect(type(text("ca") + [.tab], in: &editor) == .editing)
    #expect(editor.text == "Cairn terrier")
    #expect(editor.choice?.number == 1 && editor.choice?.count == 2)
    _ = type([.tab], in: &editor)
    #expect(editor.text == "cat")
    _ = type([.tab], in: &editor)
    #expect(editor.text == "Cairn terrier")
    _ = type([.backTab], in: &editor)
    #expect(editor.text == "cat")
    #expect(type([.enter], in: &editor) == .entered("cat"))
  }

  @Test("edits a completed name and completes again at the next Tab")
  func typedAfter() {
    var editor = LineEditor()
    _ = type(text("k") + [.tab], in: &editor)
    #expect(editor.text == "Kater Ø")
    _ = type([.backspace, .backspace], in: &editor)
    #expect(editor.text == "Kater")
    #expect(editor.choice == nil)
    _ = type([.tab], in: &editor)
    #expect(editor.text == "Kater Ø")
  }

  @Test("keeps the text when no name matches")
  func none() {
    var editor = LineEditor()
    _ = type(text("x") + [.tab, .backTab], in: &editor)
    #expect(editor.text == "x")
  }

  @Test("deletes whole characters, words and lines")
  func combining() {
    var editor = LineEditor()
    _ = type(text("ne\u{301}e") + [.backspace], in: &editor)
    #expect(editor.text == "ne\u{301}")
    _ = type([.backspace], in: &editor)
    #expect(editor.text == "n")
    _ = type(text(" 犬 b") + [.control("w")], in: &editor)
    #expect(editor.text == "n 犬 ")
    _ = type([.control("u"), .backspace], in: &editor)
    #expect(editor.text == "")
  }

  @Test("cancels at Escape and at the end of input", arguments: [Key.escape, .control("d")])
  func cancelled(key: Key) {
    var editor = LineEditor()
    #expect(editor.take(key, complete: complete) == .cancelled)
  }

  @Test("limits a line to 256 bytes")
  func bounded() {
    var editor = LineEditor()
    _ = type(text(String(repeating: "é", count: 1000)), in: &editor)
    #expect(editor.text.utf8.count == 256)
  }
}

@Suite("Text width")
struct TextWidthTests {
  @Test(
    "counts the columns of all scripts as terminals do",
    arguments: [
      ("abc", 3), ("é", 1), ("e\u{301}", 1), ("犬", 2), ("ｱ", 1), ("Ａ", 2), ("🐶", 2), ("", 0),
      ("한국", 4), ("👩‍👩‍👧", 2), ("❤\u{FE0F}", 2), ("\u{200B}", 0), ("שלום", 4), ("46×46", 5),
      ("a\tb\u{7F}", 2), ("\r\n", 0), ("1\u{FE0F}\u{20E3}", 2),
    ])
  func columns(text: String, columns: Int) { #expect(text.columns == columns) }

  @Test("cuts a text to fit, never within a character")
  func fitting() {
    #expect("hemlock".fitting(columns: 7) == "hemlock")
    #expect("hemlock".fitting(columns: 4) == "hem…")
    #expect("犬犬犬".fitting(columns: 4) == "犬…")
    #expect("犬犬犬".fitting(columns: 0) == "")
    for limit in 1...8 { #expect("a犬e\u{301}🐶xy".fitting(columns: limit).columns <= limit) }
  }

  @Test("wraps a text at spaces, and within words only if necessary")
  func wrapped() {
    #expect("one two three".wrapped(columns: 7) == ["one two", "three"])
    #expect("abcdefgh ij".wrapped(columns: 3) == ["abc", "def", "gh", "ij"])
    let text = "犬と猫 people disagree 1 to 1 (ann@x against bob@x)"
    for limit in 4...30 {
      let lines = text.wrapped(columns: limit)
      #expect(lines.allSatisfy { $0.columns <= limit })
      #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    }
  }
}
