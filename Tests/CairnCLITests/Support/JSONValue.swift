import Foundation
import TestSupport
import Testing

/// A JSON value, read by a parser other than cairn's.
enum JSONValue: Decodable, Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// The member named `key`; null if there is none.
  subscript(key: String) -> JSONValue {
    if case .object(let members) = self { members[key] ?? .null } else { .null }
  }

  var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

  var string: String { if case .string(let text) = self { text } else { "" } }

  var number: Double { if case .number(let number) = self { number } else { .nan } }

  var isTrue: Bool { self == .bool(true) }

  /// The string under `key` of each element.
  func strings(_ key: String) -> [String] { elements.map { $0[key].string } }
}

extension ProgramOutput {
  /// Parses all of stdout as one JSON value.
  func json(_ location: SourceLocation = #_sourceLocation) throws -> JSONValue {
    do {
      return try JSONDecoder().decode(JSONValue.self, from: bytes)
    } catch {
      Issue.record("not JSON: \(stdout) \(stderr)", sourceLocation: location)
      throw error
    }
  }
}

extension Sandbox {
  /// Runs cairn with `--json`, which must succeed, and returns the value it printed.
  @discardableResult
  func json(
    _ arguments: String..., in directory: String = ".",
    location: SourceLocation = #_sourceLocation
  ) throws -> JSONValue {
    try succeed(cairnProgram(), arguments + ["--json"], in: directory, location: location).json(
      location)
  }
}
