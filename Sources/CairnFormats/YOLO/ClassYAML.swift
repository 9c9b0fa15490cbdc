internal import Yams

/// The class names of a `data.yaml`, by number, the shape of its key points, and its other top-level
/// keys.
///
/// Names are a list or a map, and are read as written: `no` and `1` are names too. Source:
/// Ultralytics “Object Detection Datasets”, “Pose Estimation Datasets”; YAML 1.2.2.
struct ClassYAML {
  private(set) var names: [Int: String] = [:]
  /// The number of the numbers that a row has for its key points; nil when rows have none.
  private(set) var keyPointNumbers: Int?
  /// The other top-level keys.
  private(set) var others: [String] = []

  /// The maximum size in bytes; in memory, a byte of YAML can take two hundred.
  private static let sizeLimit = 1 << 20

  /// Reads the bytes of a file, which are untrusted.
  ///
  /// - Parameter path: The file's path, for errors.
  /// - Throws: ``FormatError`` when it is too large, is not YAML, or uses aliases.
  init(_ bytes: [UInt8], path: String) throws {
    guard bytes.count <= ClassYAML.sizeLimit else {
      throw FormatError(
        ImportedLocation(path), "larger than \(ClassYAML.sizeLimit >> 20) MiB")
    }
    guard !ClassYAML.mayHaveAliases(bytes) else {
      throw FormatError(
        ImportedLocation(path), "it uses a YAML alias (*name); write the value out instead")
    }
    // libyaml counts a byte order mark as indentation.
    let text = try utf8Text(withoutByteOrderMark(bytes), ImportedLocation(path))
    for (key, value) in try ClassYAML.root(text, path)?.mapping ?? [:] {
      guard let name = key.scalar?.string else { continue }
      switch name {
      case "names": try take(value, path)
      case "kpt_shape": keyPointNumbers = try ClassYAML.keyPointNumbers(value, path)
      default: others.append(name)
      }
    }
  }

  /// Returns the product of `kpt_shape`: the number of points, and 2 or 3 numbers for each.
  private static func keyPointNumbers(_ node: Node, _ path: String) throws -> Int {
    let shape = node.sequence?.compactMap { $0.scalar.flatMap { Int($0.string) } } ?? []
    guard shape.count == 2, 1...1000 ~= shape[0], 2...3 ~= shape[1] else {
      throw FormatError(
        ImportedLocation(path, line: node.mark?.line), "“kpt_shape” is not a list such as [17, 3]")
    }
    return shape[0] * shape[1]
  }

  /// Returns whether a `*name` occurs in the file as well as an `&name`, even in a comment.
  ///
  /// Aliases of lists of aliases grow exponentially where the parser compares the keys of a map, so
  /// they are refused before it runs. Source: YAML 1.2.2, section 7.1; as in libyaml, a name
  /// consists of letters, digits, `_` and `-`.
  private static func mayHaveAliases(_ bytes: [UInt8]) -> Bool {
    func names(after indicator: UInt8) -> Set<ArraySlice<UInt8>> {
      var names: Set<ArraySlice<UInt8>> = []
      for index in bytes.indices where bytes[index] == indicator {
        let name = bytes[(index + 1)...].prefix { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
          default: false
          }
        }
        if !name.isEmpty { names.insert(name) }
      }
      return names
    }
    return !names(after: UInt8(ascii: "&")).isDisjoint(with: names(after: UInt8(ascii: "*")))
  }

  /// Returns the only document; nil when the file is empty.
  private static func root(_ text: String, _ path: String) throws -> Node? {
    do {
      // Without rules, the resolver leaves all scalars texts.
      return try compose(yaml: text, .basic, .default, .utf8)
    } catch let error as YamlError {
      let line: Int?
      let reason: String
      switch error {
      case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
        .composer(_, let problem, let mark, _):
        (line, reason) = (mark.line, problem)
      case .duplicatedKeysInMapping(_, let context):
        (line, reason) = (context.mark.line, "a map has a key twice")
      case .reader(let problem, _, _, _):
        (line, reason) = (nil, problem)
      default:
        (line, reason) = (nil, "the parser failed")
      }
      throw FormatError(ImportedLocation(path, line: line), "it is not valid YAML: \(reason)")
    }
  }

  /// Takes the names from a list, or from a map by number.
  private mutating func take(_ node: Node, _ path: String) throws {
    switch node {
    case .sequence(let elements):
      for (number, element) in elements.enumerated() { try add(element, number, path) }
    case .mapping(let members):
      for (key, value) in members {
        if let number = key.scalar.flatMap({ Int($0.string) }) { try add(value, number, path) }
      }
    case .scalar, .alias: break
    }
  }

  private mutating func add(_ node: Node, _ number: Int, _ path: String) throws {
    guard let name = node.scalar?.string else {
      throw FormatError(
        ImportedLocation(path, line: node.mark?.line), "the name of class \(number) is not text")
    }
    names[number] = name
  }

  // MARK: Writing

  /// Returns the text of a `data.yaml` with the directory of each split, and with names numbered
  /// from 0.
  static func text(directories: [(split: String, path: String)], names: [String]) throws -> String {
    // In quotes, “no” and “1” are text, too.
    let numbered = names.enumerated().map { number, name in
      (Node(String(number)), Node(name, .implicit, .doubleQuoted))
    }
    let members = directories.map { (Node($0.split), Node($0.path)) }
    return try serialize(
      node: Node(members + [(Node("names"), Node(numbered))]), width: -1, allowUnicode: true)
  }
}
