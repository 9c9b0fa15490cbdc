internal import CairnDocument

/// What a program says by the protocol of co-processes.
enum ProgramAnswer {
  /// The version of the protocol that is spoken here.
  static let protocolVersion = 1

  private static let description: JSON = [
    "at": "labels", "name": "name", "score": "score", "mayBeMissing": true,
    "caption": ["text": "caption.text", "score": "caption.score"],
    "box": ["x": "box.x", "y": "box.y", "width": "box.width", "height": "box.height"],
    "errors": "error",
  ]

  /// A line that a program wrote.
  struct Said {
    /// The question that it answers.
    var id: Int?
    var isGreeting = false
    /// A failure where it does not read, but says what it answers.
    var json: Result<JSON, LabelerError>
  }

  /// Reads a line. One that is none of JSON still settles its question where its `id` can be read.
  static func said(_ line: [UInt8]) -> Said {
    do throws(LabelerError) {
      let json = try AnswerDescription.json(line)
      return Said(id: json["id"]?.int, isGreeting: json["cairn"] != nil, json: .success(json))
    } catch {
      return Said(id: id(ofBroken: line), json: .failure(error))
    }
  }

  /// Returns the number that stands as `id` in an object that is not whole, or holds what is no JSON.
  private static func id(ofBroken line: [UInt8]) -> Int? {
    var (depth, place) = (0, 0)
    while place < line.count {
      switch line[place] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        var end = place + 1
        while end < line.count, line[end] != UInt8(ascii: "\"") {
          end += line[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < line.count else { return nil }
        if depth == 1, line[(place + 1)..<end].elementsEqual("id".utf8),
          let id = number(line[(end + 1)...])
        {
          return id
        }
        place = end
      default: break
      }
      place += 1
    }
    return nil
  }

  /// Reads a colon and a number.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    let rest = bytes.drop { $0 == 0x20 }
    guard rest.first == UInt8(ascii: ":") else { return nil }
    let digits = rest.dropFirst().drop { $0 == 0x20 }.prefix { 0x30...0x39 ~= $0 }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  /// Reads the first line: who it is.
  static func hello(_ json: JSON) throws(LabelerError) -> ProgramLabeler.Hello {
    guard json["cairn"]?.string == "labeler", let version = json["protocol"]?.int else {
      throw LabelerError(
        "the program's first line is not the greeting of a labeler", scope: .labeler)
    }
    guard version == protocolVersion else {
      throw LabelerError(
        "the program speaks version \(version) of the protocol, and cairn \(protocolVersion)",
        scope: .labeler)
    }
    guard let name = json["name"]?.string, let number = json["version"]?.string,
      let model = Annotator(model: "\(name)@\(number)")
    else {
      throw LabelerError("the program does not say its name and version", scope: .labeler)
    }
    return ProgramLabeler.Hello(
      model: model, digest: json["digest"]?.string.map { ForeignText.short($0) })
  }

  static func prediction(
    _ json: JSON, of image: LabelerImage
  ) throws(LabelerError) -> Prediction {
    try AnswerDescription(json: description).prediction(json, names: [], of: image)
  }
}
