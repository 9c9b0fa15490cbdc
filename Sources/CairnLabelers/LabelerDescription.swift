public import CairnDocument
package import SystemPackage

/// The stored description of a labeler on a device: its kind and how to call it.
///
/// It contains no secrets, only the names of environment variables that hold them.
public struct LabelerDescription: Sendable {
  package enum Kind: Sendable {
    case service(Service)
    /// A program that implements the labeler protocol, and its arguments.
    case program([String])
    /// An ONNX model, and the library to run it with; nil searches the usual paths.
    case onnx(FilePath, library: FilePath?)
    /// A model that `cairn train` made, and ONNX Runtime for one that contains another model.
    case trained(FilePath, library: FilePath?)
    /// A model of the dataset, which another person may have trained.
    case stored(StoredModel)
  }

  /// A trained model that is stored in the dataset.
  package struct StoredModel: Sendable {
    /// The SHA-256 of its file.
    package let id: PhotoID
    /// Where its blob is, or will be once it is fetched.
    package let file: FilePath
    /// Who trained it.
    package let trainer: Annotator

    package init(id: PhotoID, file: FilePath, trainer: Annotator) {
      (self.id, self.file, self.trainer) = (id, file, trainer)
    }
  }

  package struct Service: Sendable {
    /// The name of the preset; nil for a custom service.
    package let preset: String?
    package let description: ServiceConfig
    package let settings: [String: String]
    /// The variables that hold secrets, where they differ from the defaults.
    package let secrets: [String: String]
    /// Whether the service receives a URL of the image instead of its bytes.
    package let sendsAddress: Bool
    /// The template of an image's URL; nil uses the URL it was fetched from.
    package let address: String?
    /// The classes in the model's order, for responses that contain only scores.
    package let names: [String]
  }

  /// The whole description, which ``Dataset/addLabeler(_:isReplacing:)`` accepts on another device.
  public let json: JSON
  /// The labeler's name on this device.
  public let name: String
  package let kind: Kind
  /// The model recorded as the annotator; nil if the labeler reports it.
  public let model: Annotator?
  /// The maximum number of concurrent requests.
  package let atOnce: Int
  /// The timeout for a response, in seconds.
  package let timeoutSeconds: Int

  /// What it runs: the name of a preset service, the command of a program, or the path of a model;
  /// that of a model of the dataset is relative to the top of the dataset.
  public var target: String {
    switch kind {
    case .service(let service): service.preset ?? "a custom service"
    case .program(let arguments): arguments.joined(separator: " ")
    case .onnx(let file, _), .trained(let file, _): file.string
    case .stored(let model): DocumentPath.model(model.id).description
    }
  }

  private static let known: [String: [String]] = [
    "service": ["preset", "service", "settings", "secrets", "send", "address", "names"],
    "program": ["command"],
    "onnx": ["file", "library"],
    "trained": ["file", "library"],
  ]

  /// - Parameter models: The directory of the models that were trained on this device.
  /// - Throws: ``LabelerError`` with the problem in the description.
  package init(json: JSON, models: FilePath = "") throws(LabelerError) {
    guard let object = json.object else { throw .description("it is not an object") }
    guard let kindName = object["kind"]?.string, let known = LabelerDescription.known[kindName]
    else { throw .description("“kind” must be service, program, onnx or trained") }
    let members = known + ["kind", "name", "model", "atOnce", "timeout"]
    if let other = object.members.first(where: { !members.contains($0.key) }) {
      throw .description("“\(other.key)” is not a known key")
    }
    guard let name = object["name"]?.string, LabelerDescription.isName(name) else {
      throw .description("“name” may contain only letters, digits, “-”, “_” and “.”")
    }
    self.json = json
    self.name = name
    model = try object["model"].map { (json) throws(LabelerError) in
      guard let model = json.string.flatMap(Annotator.init(model:)) else {
        throw .description("“model” must be NAME@VERSION")
      }
      return model
    }
    switch kindName {
    case "service": kind = .service(try Service(object))
    case "program":
      let arguments = object["command"]?.array?.map(\.string) ?? []
      guard !arguments.isEmpty, !arguments.contains(nil) else {
        throw .description("“command” must be a list of strings")
      }
      kind = .program(arguments.compactMap(\.self))
    default:
      guard let file = object["file"]?.string else { throw .description("“file” is missing") }
      let library = object["library"]?.string.map { FilePath($0) }
      kind =
        kindName == "trained"
        ? .trained(models.pushing(FilePath(file)), library: library)
        : .onnx(FilePath(file), library: library)
    }
    atOnce = try object.count("atOnce", 1...64) ?? LabelerDescription.defaultConcurrency(kind)
    timeoutSeconds = try object.count("timeout", 1...3600) ?? LabelerDescription.defaultTimeout
  }

  /// Creates the labeler of a model of the dataset, which is not saved on this device.
  ///
  /// - Parameter model: Its name and version.
  package init(_ stored: StoredModel, name: String, model: Annotator) {
    json = [
      "file": .string(DocumentPath.model(stored.id).description), "kind": "trained",
      "model": .string(model.identity), "name": .string(name),
    ]
    (self.name, self.model, kind) = (name, model, .stored(stored))
    (atOnce, timeoutSeconds) = (
      LabelerDescription.defaultConcurrency(kind), LabelerDescription.defaultTimeout
    )
  }

  private static let defaultTimeout = 60

  /// Returns the default concurrency: local models are limited by this machine's cores.
  private static func defaultConcurrency(_ kind: Kind) -> Int {
    switch kind {
    case .onnx, .trained, .stored: 2
    case .service, .program: 8
    }
  }

  /// Returns whether a text is a valid labeler name, which is also a file name.
  package static func isName(_ text: String) -> Bool {
    1...64 ~= text.utf8.count && text.first != "." && text.first != "-"
      && text.utf8.allSatisfy {
        0x61...0x7A ~= $0 | 0x20 || 0x30...0x39 ~= $0
          || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains($0)
      }
  }
}

extension LabelerDescription.Service {
  fileprivate init(_ object: JSONObject) throws(LabelerError) {
    preset = object["preset"]?.string
    switch (object["preset"], object["service"]) {
    case (.string(let name)?, nil):
      guard let json = ServicePresets.json(name) else {
        throw .description("there is no preset “\(name)”")
      }
      description = try ServiceConfig(json: json)
    case (nil, let json?): description = try ServiceConfig(json: json)
    default: throw .description("it must have either “preset” or “service”")
    }
    settings = Dictionary(try object.texts("settings")) { $1 }
    secrets = Dictionary(try object.texts("secrets")) { $1 }
    address = object["address"]?.string
    switch object["send"]?.string {
    case nil: sendsAddress = description.withBytes == nil
    case "bytes"?: sendsAddress = false
    case "address"?: sendsAddress = true
    case let text?: throw .description("“send” must be bytes or address, not “\(text)”")
    }
    let names = object["names"]?.array?.map(\.string) ?? []
    guard !names.contains(nil) else { throw .description("“names” must be a list of strings") }
    self.names = names.compactMap(\.self)
    try check()
  }

  private func isVariable(_ text: String) -> Bool {
    text.utf8.first.map { !(48...57 ~= $0) } == true
      && text.utf8.allSatisfy { 65...90 ~= $0 || 48...57 ~= $0 || $0 == 95 }
  }

  private func check() throws(LabelerError) {
    for name in settings.keys.sorted() {
      guard description.settings.contains(where: { $0.name == name }) else {
        let names = description.settings.map(\.name).joined(separator: ", ")
        throw .description(
          "it has no setting “\(name)”; its settings: \(names.isEmpty ? "none" : names)")
      }
    }
    for name in secrets.keys.sorted() {
      guard description.secrets.contains(where: { $0.name == name }) else {
        throw .description("it has no secret “\(name)”")
      }
      // The value is not quoted: it may be the key itself.
      guard isVariable(secrets[name] ?? "") else {
        throw .description(
          "the secret “\(name)” must be the name of an environment variable, such as MY_KEY")
      }
    }
    guard let request else {
      throw .description("it does not accept the \(sendsAddress ? "URLs" : "bytes") of images")
    }
    for (name, standard) in description.settings where (settings[name] ?? standard).isEmpty {
      if request.required.contains(name) { throw .description("the setting “\(name)” is missing") }
    }
    if let endpoint = settings["endpoint"] {
      let isWeb = ["http://", "https://"].contains { endpoint.lowercased().hasPrefix($0) }
      guard isWeb, !endpoint.contains("@"), !endpoint.contains("?") else {
        throw .description(
          "the setting “endpoint” must be an https:// or http:// URL without user, password and “?”"
        )
      }
    }
    if description.mapping.form == .scores, names.isEmpty {
      throw .description("“names” is missing: the service returns only scores")
    }
  }

  var request: ServiceRequest? {
    sendsAddress ? description.withAddress : description.withBytes
  }

  /// The settings, including defaults.
  var values: [String: String] {
    var values = Dictionary(
      uniqueKeysWithValues: description.settings.map { ($0.name, settings[$0.name] ?? $0.standard) }
    )
    if let endpoint = values["endpoint"], endpoint.hasSuffix("/") {
      values["endpoint"] = String(endpoint.dropLast())
    }
    return values
  }
}

extension JSONObject {
  fileprivate func count(_ key: String, _ range: ClosedRange<Int>) throws(LabelerError) -> Int? {
    guard let value = self[key] else { return nil }
    guard let count = value.int, range ~= count else {
      throw .description(
        "“\(key)” must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return count
  }
}
