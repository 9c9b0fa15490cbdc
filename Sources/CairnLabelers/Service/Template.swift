internal import CairnDocument

/// A text with names in braces, which are replaced by values:
/// `{endpoint}/models/{model}[/versions/{version}]`. Text in brackets is omitted when a value in it
/// is empty; brackets around text without names are part of the text.
struct Template: Sendable {
  private enum Piece: Sendable {
    case text(String)
    case name(String)
    case optional([Piece])
  }

  private let pieces: [Piece]

  /// The names of values that describe the image.
  static let reserved = ["base64", "address", "mediaType", "id", "extension"]

  /// - Parameter names: All names allowed in braces.
  init(_ text: String, names: Set<String>) throws(LabelerError) {
    pieces = try Template.read(text[...], names, isOptional: false)
  }

  private static func read(
    _ template: Substring, _ names: Set<String>, isOptional: Bool
  ) throws(LabelerError) -> [Piece] {
    var (rest, pieces, text): (Substring, [Piece], String) = (template, [], "")
    func flush() {
      if !text.isEmpty { pieces.append(.text(text)) }
      text = ""
    }
    while let character = rest.popFirst() {
      switch character {
      case "{":
        // A brace that does not enclose a name is part of the text.
        guard let end = rest.firstIndex(of: "}"), isName(rest[..<end]) else {
          text.append(character)
          continue
        }
        let name = String(rest[..<end])
        guard names.contains(name) else {
          throw .description("“{\(name)}” is not defined")
        }
        flush()
        pieces.append(.name(name))
        rest = rest[rest.index(after: end)...]
      case "[" where !isOptional:
        guard let end = rest.firstIndex(of: "]") else {
          text.append(character)
          continue
        }
        let part = try read(rest[..<end], names, isOptional: true)
        if Template.names(part).isEmpty {
          text.append(character)
          continue
        }
        flush()
        pieces.append(.optional(part))
        rest = rest[rest.index(after: end)...]
      default: text.append(character)
      }
    }
    flush()
    return pieces
  }

  private static func isName(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || 0x30...0x39 ~= $0 }
  }

  /// The names that must have a value.
  var required: Set<String> {
    Set(pieces.compactMap { if case .name(let name) = $0 { name } else { nil } })
  }

  /// All names.
  var names: Set<String> { Template.names(pieces) }

  private static func names(_ pieces: [Piece]) -> Set<String> {
    pieces.reduce(into: []) { names, piece in
      switch piece {
      case .text: break
      case .name(let name): names.insert(name)
      case .optional(let pieces): names.formUnion(Template.names(pieces))
      }
    }
  }

  /// - Parameter value: Returns the value of a name, already encoded for this text.
  func filled(_ value: (String) -> String) -> String { Template.fill(pieces, value) }

  private static func fill(_ pieces: [Piece], _ value: (String) -> String) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .name(let name): value(name)
      case .optional(let pieces):
        names(pieces).contains { value($0).isEmpty } ? "" : fill(pieces, value)
      }
    }.joined()
  }
}

/// A JSON value whose texts are templates.
struct JSONTemplate: Sendable {
  private indirect enum Node: Sendable {
    case plain(JSON)
    case text(Template)
    case array([Node])
    case object([(String, Node)])
  }

  private let root: Node

  init(_ json: JSON, names: Set<String>) throws(LabelerError) {
    root = try JSONTemplate.node(json, names)
  }

  private static func node(_ json: JSON, _ names: Set<String>) throws(LabelerError) -> Node {
    switch json {
    case .string(let text): return .text(try Template(text, names: names))
    case .array(let elements):
      var nodes: [Node] = []
      for element in elements { nodes.append(try node(element, names)) }
      return .array(nodes)
    case .object(let object):
      var nodes: [(String, Node)] = []
      for (key, value) in object.members { nodes.append((key, try node(value, names))) }
      return .object(nodes)
    default: return .plain(json)
    }
  }

  func filled(_ value: (String) -> String) -> JSON { JSONTemplate.fill(root, value) }

  private static func fill(_ node: Node, _ value: (String) -> String) -> JSON {
    switch node {
    case .plain(let json): json
    case .text(let template): .string(template.filled(value))
    case .array(let nodes): .array(nodes.map { fill($0, value) })
    case .object(let nodes): .object(JSONObject(nodes.map { ($0.0, fill($0.1, value)) }))
    }
  }

  /// All names in its texts.
  var names: Set<String> { JSONTemplate.names(root) }

  private static func names(_ node: Node) -> Set<String> {
    switch node {
    case .plain: []
    case .text(let template): template.names
    case .array(let nodes): nodes.reduce(into: []) { $0.formUnion(names($1)) }
    case .object(let nodes): nodes.reduce(into: []) { $0.formUnion(names($1.1)) }
    }
  }
}
