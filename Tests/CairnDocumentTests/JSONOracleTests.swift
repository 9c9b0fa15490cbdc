import CairnDocument
import Foundation
import TestSupport
import Testing

/// A JSON value as Foundation reads it.
private indirect enum Plain: Codable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string([UInt8])
  case array([Plain])
  case object([Data: Plain])

  init(_ value: JSON) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .number(let value): self = .number(value.double)
    case .string(let value): self = .string(Array(value.utf8))
    case .array(let value): self = .array(value.map(Plain.init))
    case .object(let value):
      self = .object(
        Dictionary(uniqueKeysWithValues: value.members.map { (Data($0.key.utf8), Plain($0.value)) })
      )
    }
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let keyed = try? decoder.container(keyedBy: Key.self) {
      self = .object(
        try keyed.allKeys.reduce(into: [:]) {
          $0[Data($1.stringValue.utf8)] = try keyed.decode(Plain.self, forKey: $1)
        })
    } else if var list = try? decoder.unkeyedContainer() {
      var elements: [Plain] = []
      while !list.isAtEnd { elements.append(try list.decode(Plain.self)) }
      self = .array(elements)
    } else {
      let single = try decoder.singleValueContainer()
      if single.decodeNil() {
        self = .null
      } else if let value = try? single.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? single.decode(Double.self) {
        self = .number(value)
      } else {
        self = .string(Array(try single.decode(String.self).utf8))
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .null:
      var single = encoder.singleValueContainer()
      try single.encodeNil()
    case .bool(let value): try value.encode(to: encoder)
    case .number(let value): try value.encode(to: encoder)
    case .string(let value): try String(decoding: value, as: UTF8.self).encode(to: encoder)
    case .array(let value): try value.encode(to: encoder)
    case .object(let value):
      var keyed = encoder.container(keyedBy: Key.self)
      for (key, value) in value {
        try keyed.encode(value, forKey: Key(stringValue: String(decoding: key, as: UTF8.self)))
      }
    }
  }
}

@Suite("JSON reader compared with Foundation")
struct JSONOracleTests {
  /// Swift's dictionaries, and therefore Foundation, treat canonically equivalent keys as equal.
  private func hasEquivalentKeys(_ value: JSON) -> Bool {
    switch value {
    case .array(let elements): return elements.contains(where: hasEquivalentKeys)
    case .object(let object):
      return Set(object.members.map(\.key)).count < object.members.count
        || object.members.contains { hasEquivalentKeys($0.value) }
    default: return false
    }
  }

  @Test("reads any spelling of a value as Foundation does", arguments: UInt64(0)..<128)
  func sameValue(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let value = random.json()
    let text = random.sloppyText(value)
    #expect(try JSON(bytes: text.utf8) == value, "\(text)")
    if !hasEquivalentKeys(value) {
      #expect(try JSONDecoder().decode(Plain.self, from: Data(text.utf8)) == Plain(value))
      let canonical = Data(value.canonicalBytes)
      #expect(try JSONDecoder().decode(Plain.self, from: canonical) == Plain(value))
    }
  }

  @Test("reads what Foundation writes as the same value", arguments: UInt64(1000)..<1064)
  func readsFoundation(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let value = random.json()
    let encoder = JSONEncoder()
    if random.chance(50) { encoder.outputFormatting = [.prettyPrinted] }
    let written = try encoder.encode(Plain(value))
    #expect(try Plain(JSON(bytes: written)) == Plain(value))
  }

  @Test("accepts damaged text only if Foundation accepts it", arguments: UInt64(2000)..<2064)
  func damage(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let signs = Array("{}[]\",:\\ue0-+.1 \n\u{1}tfn".utf8) + [0x80, 0xC3, 0xFF]
    for _ in 0..<20 {
      var bytes = Array(random.sloppyText(random.json(depth: 2)).utf8)
      let index = random.below(bytes.count + 1)
      switch random.below(3) {
      case 0: bytes.insert(random.pick(signs), at: index)
      case 1 where index < bytes.count: bytes[index] = random.pick(signs)
      default: if index < bytes.count { bytes.remove(at: index) }
      }
      guard let value = try? JSON(bytes: bytes) else { continue }
      let theirs = try? JSONDecoder().decode(Plain.self, from: Data(bytes))
      #expect(
        theirs != nil || hasEquivalentKeys(value), "\(String(decoding: bytes, as: UTF8.self))")
    }
  }
}
