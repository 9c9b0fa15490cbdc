internal import CairnDocument

/// The labeler protocol: the lines that a program writes.
enum LabelerProtocol {
  /// The supported version of the protocol.
  static let protocolVersion = 1

  private static let mapping: JSON = [
    "at": "labels", "name": "name", "score": "score", "mayBeMissing": true,
    "caption": ["text": "caption.text", "score": "caption.score"],
    "box": ["x": "box.x", "y": "box.y", "width": "box.width", "height": "box.height"],
    "errors": "error",
  ]

  /// A line written by a program.
  struct Response {
    /// The id of the request.
    var id: Int?
    var isGreeting = false
    /// A failure if the line is not valid JSON.
    var json: Result<JSON, LabelerError>
  }

  /// Parses a line. A line that is not JSON still completes its request if its `id` can be read.
  static func parse(_ line: [UInt8]) -> Response {
    do throws(LabelerError) {
      let json = try ResponseMapping.json(line)
      return Response(id: json["id"]?.int, isGreeting: json["cairn"] != nil, json: .success(json))
    } catch {
      return Response(id: id(ofBroken: line), json: .failure(error))
    }
  }

  /// Returns the numeric `id` of an object that is truncated or contains invalid JSON.
  private static func id(ofBroken line: [UInt8]) -> Int? {
    var (depth, index) = (0, 0)
    while index < line.count {
      switch line[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        var end = index + 1
        while end < line.count, line[end] != UInt8(ascii: "\"") {
          end += line[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < line.count else { return nil }
        if depth == 1, line[(index + 1)..<end].elementsEqual("id".utf8),
          let id = number(line[(end + 1)...])
        {
          return id
        }
        index = end
      default: break
      }
      index += 1
    }
    return nil
  }

  /// Parses a colon and a number.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    let rest = bytes.drop { $0 == 0x20 }
    guard rest.first == UInt8(ascii: ":") else { return nil }
    let digits = rest.dropFirst().drop { $0 == 0x20 }.prefix { 0x30...0x39 ~= $0 }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  /// Parses the first line, with the identity of the model.
  static func handshake(_ json: JSON) throws(LabelerError) -> ProgramLabeler.Handshake {
    guard json["cairn"]?.string == "labeler", let version = json["protocol"]?.int else {
      throw LabelerError(
        "the program's first line is not a labeler greeting", scope: .labeler)
    }
    guard version == protocolVersion else {
      throw LabelerError(
        "the program uses version \(version) of the protocol; cairn supports \(protocolVersion)",
        scope: .labeler)
    }
    guard let name = json["name"]?.string, let number = json["version"]?.string,
      let model = Annotator(model: "\(name)@\(number)")
    else {
      throw LabelerError("the program's greeting has no name and version", scope: .labeler)
    }
    return ProgramLabeler.Handshake(
      model: model, digest: json["digest"]?.string.map { DisplaySanitizer.short($0) })
  }

  static func prediction(
    _ json: JSON, of image: LabelerImage
  ) throws(LabelerError) -> Prediction {
    try ResponseMapping(json: mapping).prediction(json, names: [], of: image)
  }
}
