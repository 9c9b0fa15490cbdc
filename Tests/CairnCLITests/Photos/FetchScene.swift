import Foundation
import TestSupport
import Testing

/// A dataset with a pin, and services to fetch from.
final class FetchScene {
  let box: Sandbox
  let services: PhotoServices
  let environment: [String: String]

  init(_ plan: String = "{}", key: String? = "good-key") throws {
    (box, services) = (try Sandbox(), try PhotoServices(plan))
    var environment = ["CAIRN_CONTACT": "ann@example.org"]
    for (variable, name) in [
      ("FLICKR", "flickr"), ("COMMONS", "commons"), ("INATURALIST", "inaturalist"),
      ("OPENVERSE", "openverse"), ("DOG_CEO", "dog.ceo"),
    ] {
      environment["CAIRN_\(variable)_URL"] = services.url(name)
    }
    environment["CAIRN_FLICKR_KEY"] = key
    self.environment = environment
    try box.cairn("init", "a")
    try box.cairn("pin", "add", "48.8584", "2.2945", "--name", "harbor", in: "a")
  }

  func run(_ arguments: String..., stdin: String = "") throws -> ProgramOutput {
    try box.run("cairn", arguments, in: "a", stdin: Data(stdin.utf8), environment: environment)
  }

  /// Runs cairn with `--json`, which must end with `status`.
  @discardableResult
  func json(
    _ arguments: String..., status: Int32 = 0, location: SourceLocation = #_sourceLocation
  ) throws -> JSONValue {
    try json(arguments, status: status, location: location)
  }

  @discardableResult
  func json(
    _ arguments: [String], status: Int32 = 0, location: SourceLocation = #_sourceLocation
  ) throws -> JSONValue {
    let output = try box.run("cairn", arguments + ["--json"], in: "a", environment: environment)
    #expect(
      output.status == status, "\(arguments): \(output.stderr)\(output.stdout)",
      sourceLocation: location)
    return try output.json(location)
  }

  /// The ids of the pin's visible photos.
  var collection: Set<String> {
    get throws {
      Set(
        try box.json("photo", "list", "pin:harbor", in: "a").elements
          .map { $0["photo"]["id"].string })
    }
  }
}
