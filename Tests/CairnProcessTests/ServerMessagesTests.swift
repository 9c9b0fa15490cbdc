import CairnProcess
import Testing

@Suite("Server messages")
struct ServerMessagesTests {
  @Test("removes control characters from server messages and limits their length")
  func sanitized() {
    var messages = ServerMessages(
      Array("a\u{1B}[31mred\u{1B}[0m\u{7}\n\nCounting 1\rCounting 2\r\nb\u{202E}c\n".utf8))
    #expect(messages.lines == ["ared", "Counting 2", "b\\u{202E}c"])
    for _ in 0..<100 { messages.append([UInt8](repeating: 120, count: 10_000)) }
    #expect(messages.lines.joined().utf8.count <= ServerMessages.limit + 3)
    #expect(messages.lines.last == "…")
  }
}
