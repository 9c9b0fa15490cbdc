package import CairnDocument

/// The requests and responses of a web service that labels images: the same for presets and for
/// custom services.
package struct ServiceConfig: Sendable {
  /// The original JSON.
  package let json: JSON
  /// The settings used in templates, with their defaults; a setting with an empty default is
  /// required unless it is in brackets in every template.
  package let settings: [(name: String, standard: String)]
  /// The secrets by name, with the environment variables that hold them.
  package let secrets: [(name: String, variable: String)]
  /// The template of `NAME@VERSION`.
  let model: Template?
  let withBytes: ServiceRequest?
  let withAddress: ServiceRequest?
  let mapping: ResponseMapping

  /// The settings that must be given when adding the service.
  package var openSettings: [String] {
    let required = (withBytes ?? withAddress)?.required ?? []
    return settings.filter { $0.standard.isEmpty && required.contains($0.name) }.map(\.name)
  }

  /// - Throws: ``LabelerError`` with the problem in the description.
  package init(json: JSON) throws(LabelerError) {
    guard let object = json.object else { throw .description("it is not an object") }
    let known = ["title", "settings", "secrets", "model", "bytes", "address", "answer"]
    if let other = object.members.first(where: { !known.contains($0.key) }) {
      throw .description("“\(other.key)” is not a known key")
    }
    self.json = json
    settings = try object.texts("settings").map { (name: $0.0, standard: $0.1) }
    secrets = try object.texts("secrets").map { (name: $0.0, variable: $0.1) }
    let names = settings.map(\.name) + secrets.map(\.name)
    if let taken = names.first(where: Template.reserved.contains) {
      throw .description("“\(taken)” is a reserved name")
    }
    let all = Set(names + Template.reserved)
    let (settingNames, secretNames) = (Set(settings.map(\.name)), Set(secrets.map(\.name)))
    model = try object["model"].map { (json) throws(LabelerError) in
      guard let text = json.string else { throw .description("“model” must be a string") }
      return try Template(text, names: settingNames)
    }
    func request(_ json: JSON?) throws(LabelerError) -> ServiceRequest? {
      guard let json else { return nil }
      return try ServiceRequest(json: json, names: all, secrets: secretNames)
    }
    withBytes = try request(object["bytes"])
    withAddress = try request(object["address"])
    guard withBytes != nil || withAddress != nil else {
      throw .description("it has no request: neither “bytes” nor “address”")
    }
    guard let answer = object["answer"] else { throw .description("“answer” is missing") }
    mapping = try ResponseMapping(json: answer)
  }
}

extension LabelerError {
  static func description(_ problem: String) -> LabelerError {
    LabelerError("the description is invalid: \(problem)", scope: .labeler)
  }
}

extension JSONObject {
  /// Returns the members of an object of strings, which may be missing.
  func texts(_ key: String) throws(LabelerError) -> [(String, String)] {
    guard let value = self[key] else { return [] }
    guard let object = value.object else { throw .description("“\(key)” must be an object") }
    var texts: [(String, String)] = []
    for (name, text) in object.members {
      guard let text = text.string else { throw .description("“\(name)” must be a string") }
      texts.append((name, text))
    }
    return texts
  }
}
