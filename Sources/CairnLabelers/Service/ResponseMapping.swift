internal import CairnDocument

/// The paths of names, scores and errors in the responses of a service.
struct ResponseMapping: Sendable {
  enum Form: String {
    /// An array of objects, each with a name and a score.
    case objects
    /// An array of `[name, score]`.
    case pairs
    /// An object whose keys are names and whose values are scores.
    case map
    /// An object with an array of names and one of scores.
    case columns
    /// An array of scores in the order of the labeler's class names.
    case scores
    /// An array of strings `score:index:name`, where the name is optional.
    case ranked
  }

  enum Activation: String { case none, softmax, sigmoid }

  /// The paths of a box within an element, as edges or as corner and size, and their unit.
  struct Box: Sendable {
    let paths: [JSONPath]
    let isEdges: Bool
    let isPixels: Bool
  }

  let form: Form
  /// The path of the findings.
  let path: JSONPath
  /// The first path that has a value is used.
  let name: [JSONPath]
  let score: [JSONPath]
  /// The divisor of scores.
  let scale: Double
  let activation: Activation
  /// Whether a response without a value at `path` means no findings.
  let mayBeMissing: Bool
  /// The path of the version of the model that responded.
  let version: JSONPath?
  let captionText: JSONPath?
  let captionScore: JSONPath?
  let box: Box?
  let errors: [JSONPath]
  let success: (path: JSONPath, value: JSON)?

  init(json: JSON) throws(LabelerError) {
    guard let object = json.object else { throw .description("“answer” must be an object") }
    let known = [
      "form", "at", "name", "score", "scale", "activation", "mayBeMissing", "caption", "box",
      "errors", "success", "version",
    ]
    if let other = object.members.first(where: { !known.contains($0.key) }) {
      throw .description("“\(other.key)” is not a known key of “answer”")
    }
    form = try ResponseMapping.choice(object, "form", .objects)
    activation = try ResponseMapping.choice(object, "activation", .none)
    path = try ResponseMapping.path(object["at"]) ?? JSONPath("$")!
    name = try ResponseMapping.paths(object["name"]) ?? [JSONPath("label")!]
    score = try ResponseMapping.paths(object["score"]) ?? [JSONPath("score")!]
    scale = object["scale"]?.double ?? 1
    guard scale > 0 else { throw .description("“scale” must be above zero") }
    mayBeMissing = object["mayBeMissing"]?.bool ?? false
    version = try ResponseMapping.path(object["version"])
    captionText = try ResponseMapping.path(object["caption"]?["text"])
    captionScore = try ResponseMapping.path(object["caption"]?["score"])
    box = try object["box"].map(ResponseMapping.box)
    errors = try ResponseMapping.paths(object["errors"]) ?? []
    if let success = object["success"] {
      guard let path = try ResponseMapping.path(success["at"]), let value = success["is"] else {
        throw .description("“success” must have both “at” and “is”")
      }
      self.success = (path, value)
    } else {
      success = nil
    }
  }

  private static func choice<Choice: RawRepresentable<String>>(
    _ object: JSONObject, _ key: String, _ standard: Choice
  ) throws(LabelerError) -> Choice {
    guard let value = object[key] else { return standard }
    guard let choice = value.string.flatMap(Choice.init(rawValue:)) else {
      throw .description("“\(key)” has an unknown value")
    }
    return choice
  }

  private static func path(_ json: JSON?) throws(LabelerError) -> JSONPath? {
    guard let json else { return nil }
    guard let text = json.string, let path = JSONPath(text) else {
      throw .description(
        "“\(json.string ?? "…")” is not a path in a response, such as `result.tags[0]`")
    }
    return path
  }

  private static func paths(_ json: JSON?) throws(LabelerError) -> [JSONPath]? {
    guard let json else { return nil }
    var paths: [JSONPath] = []
    for element in json.array ?? [json] { if let path = try path(element) { paths.append(path) } }
    return paths
  }

  private static func box(_ json: JSON) throws(LabelerError) -> Box {
    let isEdges = json["left"] != nil && json["right"] != nil
    var paths: [JSONPath] = []
    for key in isEdges ? ["left", "top", "right", "bottom"] : ["x", "y", "width", "height"] {
      guard let path = try path(json[key]) else { throw .description("a box has no “\(key)”") }
      paths.append(path)
    }
    let unit = json["unit"]?.string ?? "fraction"
    guard ["fraction", "pixel"].contains(unit) else {
      throw .description("the “unit” of a box must be “fraction” or “pixel”")
    }
    return Box(paths: paths, isEdges: isEdges, isPixels: unit == "pixel")
  }
}
