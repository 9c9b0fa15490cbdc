import Cairn
import CairnDocument
import Testing

@testable import CairnServer

@Suite("Completion", .serialized)
struct QueryWordTests {
  @Test("finds the word that is being typed")
  func words() {
    func word(_ text: String) -> String {
      let word = QueryWord(text, at: text.utf16.count)
      return "\(word.key ?? "-") \(word.typed) \(word.start)"
    }
    #expect(word("la") == "- la 0")
    #expect(word("label:o") == "label o 6")
    #expect(word("heath -label:\"Scots p") == "label Scots p 13")
    #expect(word("(by:al") == "by al 4")
    #expect(word("") == "-  0")
    #expect(word("label:oak AND NOT lab") == "- lab 18")
    #expect(word("NOT(label:\"Scots p") == "label Scots p 10")
  }

  @Test("completes names of classes")
  func completes() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "Scots pine")
    let json = try await scene.get("/api/complete?text=label:sc&at=8")
    #expect(json["from"]?.int == 6)
    #expect(json["candidates"]?.array?.first?["text"]?.string == "\"Scots pine\"")
    let word = try await scene.get("/api/complete?text=label:oak%20N")
    let first = word["candidates"]?.array?.first
    #expect(first?["text"]?.string == "NOT" && first?["kind"]?.string == "operator")
  }
}
