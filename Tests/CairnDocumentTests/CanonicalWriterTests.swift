import CairnDocument
import Foundation
import TestSupport
import Testing

@Suite("Canonical JSON writer")
struct CanonicalWriterTests {
  @Test("writes the documented layout")
  func layout() {
    let value: JSON = [
      "b": [1, [], [:], ["x": .null]], "a": ["é": "柴\u{2028}", "": true], "B": "\u{1}/\"\\\u{7F}",
    ]
    #expect(
      value.canonicalText == """
        {
          "B": "\\u0001/\\"\\\\\u{7F}",
          "a": {
            "": true,
            "é": "柴\u{2028}"
          },
          "b": [
            1,
            [],
            {},
            {
              "x": null
            }
          ]
        }

        """)
    #expect(JSON.null.canonicalText == "null\n")
    #expect(JSON.object([:]).canonicalText == "{}\n")
  }

  @Test("escapes control characters as RFC 8785 requires")
  func escapes() {
    let short: [UInt8: String] = [8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"]
    for byte in UInt8(0)..<0x20 {
      let expected =
        short[byte] ?? "\\u00" + (byte < 16 ? "0" : "1")
        + "0123456789abcdef"
        .map(String.init)[Int(byte % 16)]
      let text = String(Unicode.Scalar(byte))
      #expect(JSON.string(text).canonicalText == "\"\(expected)\"\n")
    }
  }

  @Test("sorts keys by their UTF-8 bytes, not by UTF-16 code units")
  func keyOrder() {
    // U+FF5E sorts before U+1F332 in UTF-8, after its surrogates in UTF-16.
    let object: JSONObject = ["🌲": 1, "～": 2, "z": 3, "Z": 4, "": 5, "e\u{301}": 6, "é": 7]
    #expect(object.members.map(\.key.utf8.first) == [nil, 0x5A, 0x65, 0x7A, 0xC3, 0xEF, 0xF0])
    #expect(object.members.map { $0.value.int } == [5, 4, 6, 3, 7, 2, 1])
  }

  @Test("round-trips random values byte for byte", arguments: UInt64(0)..<128)
  func identity(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let value = random.json()
    let bytes = value.canonicalBytes
    let read = try JSON(bytes: bytes)
    #expect(read == value)
    #expect(read.canonicalBytes == bytes)
  }

  @Test("writes the same bytes for any spelling of a value", arguments: UInt64(500)..<564)
  func oneEncoding(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let value = random.json()
    for _ in 0..<3 {
      let read = try JSON(bytes: random.sloppyText(value).utf8)
      #expect(read.canonicalBytes == value.canonicalBytes)
    }
  }

  @Test(
    "compares values as equal exactly when their canonical bytes are equal",
    arguments: UInt64(600)..<632)
  func equality(seed: UInt64) {
    var random = SeededGenerator(seed)
    let values = (0..<12).map { _ in random.json(depth: 1) }
    for a in values {
      for b in values { #expect((a == b) == (a.canonicalBytes == b.canonicalBytes)) }
    }
  }

  @Test("keeps an edited object sorted, with each key once", arguments: UInt64(0)..<32)
  func editing(seed: UInt64) {
    var random = SeededGenerator(seed)
    var object = JSONObject()
    var model: [Data: JSON] = [:]
    for _ in 0..<60 {
      let (key, value) = (random.text(), random.chance(30) ? nil : random.json(depth: 0))
      object[key] = value
      model[Data(key.utf8)] = value
    }
    let keys = object.members.map { Data($0.key.utf8) }
    #expect(keys == model.keys.sorted { $0.lexicographicallyPrecedes($1) })
    #expect(object.members.allSatisfy { model[Data($0.key.utf8)] == $0.value })
  }
}
