import ArgumentParser
import Cairn
import CairnFiles
import SystemPackage

struct LabelerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "labeler",
    abstract: "Manage labelers: services, programs and models that predict classes.",
    discussion: HelpText.paragraphs(
      """
      Labelers belong to this device and are not part of the dataset: photos are only sent to services
      that you added yourself. Secrets are read from the environment and never stored.

      EXAMPLES
        cairn labeler presets
        cairn labeler add azure --preset azure-image-analysis --url https://ME.cognitiveservices.azure.com
        cairn labeler add trees --onnx trees.onnx
        cairn labeler add own --program python3 labeler.py model.pt
        cairn labeler test trees photo.jpg
        cairn predict --labeler trees
      """),
    subcommands: [
      LabelerAdd.self, LabelerList.self, LabelerShow.self, LabelerTest.self, LabelerRemove.self,
      LabelerPresets.self,
    ])
}

extension LabelerDescription {
  fileprivate var what: String {
    switch kind {
    case .service(let service): service.preset ?? "a described service"
    case .program(let words): words.joined(separator: " ")
    case .onnx(let file, _): file.string
    }
  }
}

struct LabelerList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the labelers of this device.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn labeler list"))

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let labelers = try globals.dataset().labelers()
    Console.print(globals, .array(labelers.map(\.json))) {
      if labelers.isEmpty {
        return Console.print("No labelers yet: cairn labeler add NAME --preset …")
      }
      let rows = labelers.map { [$0.name, $0.model?.identity ?? "", $0.what] }
      Console.table(rows).forEach { Console.print($0) }
    }
  }
}

struct LabelerShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a labeler's settings as JSON, for another device.",
    discussion: HelpText.paragraphs(
      """
      The output contains no secrets.

      EXAMPLE
        cairn labeler show trees | ssh elsewhere 'cd trees && cairn labeler add trees --from -'
      """))

  @Argument(help: "The labeler.") var name: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    Console.print(json: try globals.dataset().labeler(name).json)
  }
}

struct LabelerRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a labeler from this device. Its labels stay.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn labeler remove trees"))

  @Argument(help: "The labeler.") var name: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.dataset().removeLabeler(name)
    Console.print(globals, ["removed": .string(name)]) {
      Console.print("Removed the labeler “\(name)” from this device.")
    }
  }
}

struct LabelerPresets: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "presets", abstract: "List the preset services, or describe one.",
    discussion: HelpText.paragraphs(
      """
      The description can be edited and passed to `labeler add --describe`.

      EXAMPLES
        cairn labeler presets
        cairn labeler presets google-vision
      """))

  @Argument(help: "A service.") var name: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.enter()
    if let name {
      guard let json = ServicePresets.json(name) else {
        throw CairnError(
          .notFound, "There is no preset “\(name)”.",
          hint: "`cairn labeler presets` lists those there are.")
      }
      return Console.print(json: json)
    }
    let presets = ServicePresets.names.compactMap { name in
      ServicePresets.json(name).map { (name, $0) }
    }
    Console.print(globals, .object(JSONObject(presets.map { ($0.0, $0.1) }))) {
      let rows = presets.map { name, json in
        let described = try? ServiceConfig(json: json)
        let open = described?.openSettings ?? []
        let secrets = (described?.secrets ?? []).map { "$" + $0.variable }
        return [
          name, json["title"]?.string ?? "",
          (open + secrets).joined(separator: ", "),
        ]
      }
      Console.table(rows).forEach { Console.print($0) }
    }
  }
}

struct LabelerTest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Run a labeler on one photo without saving its predictions.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn labeler test trees photo.jpg
        cairn labeler test azure 3fa9
      """))

  @Argument(help: "The labeler.") var name: String
  @Argument(help: "A file, or a unique prefix of a photo's id.") var photo: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let labeler = try dataset.labeler(name)
    let file = currentDirectory().pushing(FilePath(photo))
    let trial: LabelerTrial
    if (try? FileSystem().status(file)?.kind) == .regular {
      trial = try dataset.tryLabeler(labeler, with: file)
    } else {
      let id = try dataset.photoID(photo, relativeTo: currentDirectory())
      trial = try dataset.tryLabeler(labeler, with: id)
    }
    Console.print(globals, trial.rendered) {
      let seconds = Double((trial.milliseconds + 5) / 10) / 100
      Console.print("\(Style.bold(trial.identity.model.identity)) answered in \(seconds) s.")
      for finding in trial.prediction.findings.prefix(10) {
        Console.print("  \(percent(finding.score))  \(Console.printable(finding.name))")
      }
      if trial.prediction.findings.isEmpty { Console.print("  It names no class.") }
      if let caption = trial.prediction.caption {
        Console.print("  “\(Console.printable(caption.text))”")
      }
    }
  }

  /// `  8.1 %`, all of one width.
  private func percent(_ score: Double) -> String {
    let tenths = Int((score * 1000).rounded())
    let text = "\(tenths / 10).\(tenths % 10) %"
    return String(repeating: " ", count: max(0, 7 - text.count)) + text
  }
}

extension LabelerTrial {
  fileprivate var rendered: JSON {
    var object: JSONObject = [
      "labels": .array(
        prediction.findings.map { finding in
          var object: JSONObject = ["name": .string(finding.name), "score": JSON(finding.score)]
          object["box"] = finding.box.map {
            [
              "height": JSON($0.height), "width": JSON($0.width), "x": JSON($0.x),
              "y": JSON($0.y),
            ]
          }
          return .object(object)
        }),
      "milliseconds": JSON(Int(milliseconds)), "model": .string(identity.model.identity),
    ]
    object["caption"] = prediction.caption.map {
      ["score": JSON($0.score), "text": .string($0.text)]
    }
    return .object(object)
  }
}
