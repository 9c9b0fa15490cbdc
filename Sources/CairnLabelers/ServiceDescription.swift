public import CairnDocument

/// How a service on the web is asked about an image, and where its answer holds what it says: the same
/// for those that cairn knows by name and for those that people describe.
public struct ServiceDescription: Sendable {
  /// As it was written.
  public let json: JSON
  /// What the templates leave open, with what holds where nobody says otherwise; empty: it must be said,
  /// unless it stands in brackets in each template.
  public let settings: [(name: String, standard: String)]
  /// Names of secrets, and the environment's variables that hold them.
  public let secrets: [(name: String, variable: String)]
  /// The template of `NAME@VERSION`.
  let model: Template?
  let withBytes: ServiceRequest?
  let withAddress: ServiceRequest?
  let answer: AnswerDescription

  /// The settings that whoever adds it must give.
  public var openSettings: [String] {
    let required = (withBytes ?? withAddress)?.required ?? []
    return settings.filter { $0.standard.isEmpty && required.contains($0.name) }.map(\.name)
  }

  /// - Throws: ``LabelerError`` with what is wrong, as words about a description.
  public init(json: JSON) throws(LabelerError) {
    guard let object = json.object else { throw .description("it is not an object") }
    let known = ["title", "settings", "secrets", "model", "bytes", "address", "answer"]
    if let other = object.members.first(where: { !known.contains($0.key) }) {
      throw .description("“\(other.key)” is nothing that is known")
    }
    self.json = json
    settings = try object.texts("settings").map { (name: $0.0, standard: $0.1) }
    secrets = try object.texts("secrets").map { (name: $0.0, variable: $0.1) }
    let names = settings.map(\.name) + secrets.map(\.name)
    if let taken = names.first(where: Template.reserved.contains) {
      throw .description("“\(taken)” means something else already")
    }
    let all = Set(names + Template.reserved)
    let (settingNames, secretNames) = (Set(settings.map(\.name)), Set(secrets.map(\.name)))
    model = try object["model"].map { (json) throws(LabelerError) in
      guard let text = json.string else { throw .description("“model” is not a text") }
      return try Template(text, names: settingNames)
    }
    func request(_ json: JSON?) throws(LabelerError) -> ServiceRequest? {
      guard let json else { return nil }
      return try ServiceRequest(json: json, names: all, secrets: secretNames)
    }
    withBytes = try request(object["bytes"])
    withAddress = try request(object["address"])
    guard withBytes != nil || withAddress != nil else {
      throw .description("it has neither “bytes” nor “address”, the requests")
    }
    guard let answer = object["answer"] else { throw .description("“answer” is missing") }
    self.answer = try AnswerDescription(json: answer)
  }
}

extension LabelerError {
  static func description(_ problem: String) -> LabelerError {
    LabelerError("the description does not read: \(problem)", scope: .labeler)
  }
}

extension JSONObject {
  /// Returns the members of an object of texts, which may be missing.
  func texts(_ key: String) throws(LabelerError) -> [(String, String)] {
    guard let value = self[key] else { return [] }
    guard let object = value.object else { throw .description("“\(key)” is not an object") }
    var texts: [(String, String)] = []
    for (name, text) in object.members {
      guard let text = text.string else { throw .description("“\(name)” is not a text") }
      texts.append((name, text))
    }
    return texts
  }
}
