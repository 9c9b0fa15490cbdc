import Foundation
import TestSupport
import Testing

@testable import CairnDocument

/// One kind of document, for tests that run for every kind.
struct KindCase: Sendable, CustomTestStringConvertible {
  let kind: DocumentKind
  let example: String
  let read: @Sendable (JSON) throws -> JSON
  /// Reads a document, edits one member and returns the result.
  let edit: @Sendable (JSON, Stamp) throws -> JSON
  /// The key of the member that `edit` changes.
  let edited: String

  var testDescription: String { kind.rawValue }

  static let all: [KindCase] = [
    KindCase(
      kind: .dataset, example: "dataset-new", read: { try Manifest(json: $0).json },
      edit: {
        var manifest = try Manifest(json: $0)
        manifest.name = Register("new", $1)
        return manifest.json
      }, edited: "name"),
    KindCase(
      kind: .pin, example: "pin-named", read: { try Pin(json: $0).json },
      edit: {
        var pin = try Pin(json: $0)
        pin.removed = Register(true, $1)
        return pin.json
      }, edited: "removed"),
    KindCase(
      kind: .photo, example: "photo-with-pin", read: { try Photo(json: $0).json },
      edit: {
        var photo = try Photo(json: $0)
        photo.pin = Register(nil, $1)
        return photo.json
      }, edited: "pin"),
    KindCase(
      kind: .class, example: "class-plain", read: { try LabelClass(json: $0).json },
      edit: {
        var labelClass = try LabelClass(json: $0)
        labelClass.parent = Register(ClassKey("tree"), $1)
        return labelClass.json
      }, edited: "parent"),
    KindCase(
      kind: .run, example: "run-model", read: { try Run(json: $0).json },
      edit: {
        var run = try Run(json: $0)
        run.withdrawn = Register(true, $1)
        return run.json
      }, edited: "withdrawn"),
    KindCase(
      kind: .label, example: "label-region", read: { try Label(bytes: $0.canonicalBytes).json },
      edit: {
        var label = try Label(bytes: $0.canonicalBytes)
        label.stamp = $1
        return label.json
      }, edited: "stamp"),
  ]

  /// Reads the example document.
  func document() throws -> JSONObject {
    let file = packageDirectory.appending(path: "Schema/examples/\(example).json")
    let json = try JSON(bytes: Data(contentsOf: file))
    return try #require(json.object)
  }
}

@Suite("Documents of every kind")
struct DocumentTests {
  private let stamp = Stamp("2027-01-01T00:00:00.000Z-0000-00000001")!

  @Test("keeps unknown members at every level when one member is edited", arguments: KindCase.all)
  func unknownMembers(kind: KindCase) throws {
    var object = try kind.document()
    object["zz-later"] = ["deep": [1, ["é": .null]], "n": 1e-7]
    object["a-later"] = ["stamp": .string(stamp.description), "value": 1, "by": "x"]
    // Add a member to every register and to every other object.
    for (key, value) in object.members {
      guard var inner = value.object else { continue }
      inner["unknown"] = [1, "two"]
      object[key] = .object(inner)
    }
    let original = JSON.object(object)
    #expect(try kind.read(original) == original)
    let edited = try #require(try kind.edit(original, stamp).object)
    for (key, value) in object.members where key != kind.edited {
      #expect(edited[key] == value, "\(key)")
    }
    #expect(edited.members.map(\.key) == object.members.map(\.key))
    #expect(edited[kind.edited] != object[kind.edited])
    #expect(edited[kind.edited]?.canonicalText.contains(stamp.description) == true)
  }

  @Test("rejects a missing or mistyped member that the schema requires", arguments: KindCase.all)
  func requiredMembers(kind: KindCase) throws {
    let schema = try JSON(
      bytes: Data(
        contentsOf: packageDirectory.appending(path: "Schema/\(kind.kind).schema.json")))
    let document = try kind.document()
    let required = schema["required"]?.array?.compactMap(\.string) ?? []
    #expect(required.count >= 5)
    for key in required {
      var object = document
      object[key] = nil
      #expect(throws: DocumentError.self, "\(key)") { try kind.read(.object(object)) }
      for wrong: JSON in [.null, 7, "?", [], [:], ["stamp": "x", "value": "y"]] {
        // Another test covers the numbers of other formats.
        if key == "format", wrong == 7 { continue }
        object[key] = wrong
        #expect(throws: DocumentError.self, "\(key): \(wrong)") { try kind.read(.object(object)) }
      }
    }
    for (key, property) in schema["properties"]?.object?.members ?? [] {
      for inner in property["required"]?.array?.compactMap(\.string) ?? [] {
        var object = document
        var members = try #require(object[key]?.object)
        members[inner] = nil
        object[key] = .object(members)
        #expect(throws: DocumentError.self, "\(key).\(inner)") { try kind.read(.object(object)) }
      }
    }
  }

  @Test("rejects a register without a valid stamp or value", arguments: KindCase.all)
  func registers(kind: KindCase) throws {
    guard kind.kind != .label else { return }
    let document = try kind.document()
    for (key, value) in document.members {
      guard let register = value.object, register["stamp"] != nil else { continue }
      let broken: [(String, JSON?)] = [
        ("stamp", nil), ("stamp", "2026-02-30T00:00:00.000Z-0000-00000000"), ("stamp", 1),
        ("value", nil), ("value", ["a"]),
      ]
      for (member, replacement) in broken {
        var (object, inner) = (document, register)
        inner[member] = replacement
        object[key] = .object(inner)
        #expect(throws: DocumentError.self, "\(key).\(member)") { try kind.read(.object(object)) }
      }
    }
  }

  @Test("rejects a stamp at the top level, except in a label", arguments: KindCase.all)
  func stampAtTop(kind: KindCase) throws {
    guard kind.kind != .label else { return }
    var object = try kind.document()
    for value: JSON in [.string(stamp.description), "x", .null] {
      object["stamp"] = value
      #expect(throws: DocumentError.self) { try kind.read(.object(object)) }
    }
  }

  @Test("rejects a document of another kind", arguments: KindCase.all)
  func otherKinds(kind: KindCase) throws {
    var object = try kind.document()
    for other in DocumentKind.allCases where other != kind.kind {
      object["kind"] = .string(other.rawValue)
      #expect(throws: DocumentError.self) { try kind.read(.object(object)) }
    }
    #expect(throws: DocumentError.self) { try kind.read([.object(object)]) }
  }

  @Test("distinguishes a newer format from an invalid manifest")
  func newerFormat() throws {
    var object = try KindCase.all[0].document()
    func failure(_ format: JSON?) -> DocumentError.Kind? {
      object["format"] = format
      return refusal { () throws(DocumentError) in try Manifest(json: .object(object)) }?.kind
    }
    #expect(failure(1) == nil)
    #expect(failure(2) == .newerFormat)
    #expect(failure(1000) == .newerFormat)
    for format: JSON? in [nil, 0, -1, 1.5, "1", .null] { #expect(failure(format) == .schema) }
    // The newer format is reported even if other members have changed as well.
    object = ["format": 3, "kind": "dataset", "name": "plain"]
    #expect(failure(3) == .newerFormat)
  }

  @Test("accepts text of at most 16384 bytes, with any characters")
  func textLimit() throws {
    var object = try KindCase.all[1].document()
    func isRead(_ text: String) -> Bool {
      object["name"] = ["stamp": .string(stamp.description), "value": .string(text)]
      return (try? Pin(json: .object(object))) != nil
    }
    #expect(isRead("\u{0}\n\u{202E}"))
    #expect(isRead(String(repeating: "é", count: 8192)))
    #expect(!isRead(String(repeating: "é", count: 8192) + "a"))
  }

  @Test(
    "accepts only coordinates on the globe and fractions from 0 to 1",
    arguments: [(90.0, 180.0), (-90, -180), (0, 0)])
  func coordinates(latitude: Double, longitude: Double) {
    #expect(Coordinate(latitude: latitude, longitude: longitude) != nil)
    for (a, b) in [(90.1, 0), (-90.1, 0), (0, 180.1), (0, -180.1), (.nan, 0), (0, .infinity)] {
      #expect(Coordinate(latitude: a, longitude: b) == nil)
    }
    #expect(Fraction(1.1) == nil && Fraction(-0.1) == nil && Fraction(.nan) == nil)
  }
}
