import CairnDocument
import Testing

@Suite("Annotators")
struct AnnotatorTests {
  @Test(
    "parses a person, whose identity is the text after `human:`",
    arguments: ["human:alice@example.org", "human:x", "human:model:a@1", "human:a b", "human:柴"])
  func people(text: String) throws {
    let annotator = try #require(Annotator(text))
    #expect(annotator.isHuman)
    #expect(annotator.model == nil)
    #expect(annotator.identity == String(text.dropFirst(6)))
    #expect(annotator.description == text)
  }

  @Test(
    "splits a model's name and version at the last @",
    arguments: [
      ("model:resnet50@2026-01", "resnet50", "2026-01"),
      ("model:org/vit@b16@2.1", "org/vit@b16", "2.1"),
      ("model:@@1", "@", "1"), ("model:human:a@1", "human:a", "1"),
    ])
  func models(text: String, name: String, version: String) throws {
    let annotator = try #require(Annotator(text))
    #expect(!annotator.isHuman)
    #expect(annotator.model?.name == name)
    #expect(annotator.model?.version == version)
  }

  @Test(
    "rejects malformed annotators",
    arguments: [
      "", "alice@example.org", "human", "human:", "model:", "model:resnet50", "model:@1",
      "model:a@",
      "model:@", "Human:alice", "robot:a@1", " human:a", "human:a\nb", "human:\u{0}",
      "human:a\u{7F}",
      "model:a@1\t",
    ])
  func refused(text: String) { #expect(Annotator(text) == nil) }

  @Test("accepts at most 256 bytes of UTF-8")
  func length() {
    #expect(Annotator("human:" + String(repeating: "a", count: 250)) != nil)
    #expect(Annotator("human:" + String(repeating: "a", count: 251)) == nil)
    #expect(Annotator("human:" + String(repeating: "é", count: 125)) != nil)
    #expect(Annotator("human:" + String(repeating: "é", count: 126)) == nil)
  }

  @Test("accepts a combining mark after the colon or the @, but not before the colon")
  func combiningMarks() throws {
    let person = try #require(Annotator("human:\u{301}a@x"))
    #expect(person.isHuman)
    #expect(person.identity.utf8.elementsEqual("\u{301}a@x".utf8))
    #expect(person.tag.hasPrefix("a-"))
    let model = try #require(Annotator("model:\u{301}a@\u{301}1"))
    #expect(model.model?.name.utf8.elementsEqual("\u{301}a".utf8) == true)
    #expect(model.model?.version.utf8.elementsEqual("\u{301}1".utf8) == true)
    #expect(Annotator("human\u{301}:a") == nil)
  }

  @Test("trims and lowercases email addresses and rejects empty ones")
  func addresses() {
    #expect(Annotator(email: " Alice@Example.ORG\n") == Annotator("human:alice@example.org"))
    #expect(Annotator(email: "ΟΔΟΣ@x")?.identity == "οδοσ@x")
    #expect(Annotator(email: "") == nil)
    #expect(Annotator(email: "  ") == nil)
    #expect(Annotator(model: "resnet50@1")?.description == "model:resnet50@1")
    #expect(Annotator(model: "resnet50") == nil)
  }

  @Test(
    "computes the documented tags",
    arguments: [
      ("human:alice@example.org", "alice-d9954552"),
      ("model:resnet50@2026-01", "resnet50-2026-01-a1599fd3"),
    ])
  func tags(text: String, tag: String) { #expect(Annotator(text)?.tag == tag) }

  @Test("starts a tag with a person's local part or a model's full name")
  func tagParts() {
    func shown(_ text: String) -> String? { Annotator(text).map { String($0.tag.dropLast(9)) } }
    #expect(shown("human:bob@\u{301}x") == "bob")
    #expect(shown("human:a.b+c@d@e") == "a-b-c")
    #expect(shown("human:José.Ñu@x") == "jose-nu")
    #expect(shown("human:--a@x") == "a")
    #expect(shown("model:org/vit@b16@2.1") == "org-vit-b16-2-1")
    #expect(
      shown("human:" + String(repeating: "a", count: 40)) == String(repeating: "a", count: 24))
    #expect(
      shown("human:" + String(repeating: "a", count: 23) + "-b")
        == String(repeating: "a", count: 23))
    #expect(shown("human:@x") == "")
    #expect(Annotator("human:柴犬@x")?.tag.utf8.count == 8)
  }

  @Test("distinguishes annotators, and their tags, by their bytes")
  func distinct() throws {
    let texts = [
      "human:alice@example.org", "human:alice@example.com", "human:Alice@example.org",
      "human:e\u{301}@x", "human:\u{E9}@x", "model:a-b@c", "model:a@b-c",
    ]
    let annotators = try texts.map { try #require(Annotator($0)) }
    #expect(Set(annotators.map(\.tag)).count == texts.count)
    // Equality, hashing and order all compare bytes.
    #expect(Set(annotators).count == texts.count)
    for a in annotators {
      for b in annotators { #expect((a == b) == (!(a < b) && !(b < a))) }
    }
  }
}
