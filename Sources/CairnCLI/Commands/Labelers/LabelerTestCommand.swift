import ArgumentParser
import Cairn
import CairnBase
import CairnFiles
import SystemPackage

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
      Console.print("\(Style.bold(trial.model.identity)) answered in \(seconds) s.")
      for finding in trial.prediction.findings.prefix(10) {
        Console.print("  \(percent(finding.score))  \(Console.printable(finding.name))")
      }
      if trial.prediction.findings.isEmpty { Console.print("  It predicted no classes.") }
      if let caption = trial.prediction.caption {
        Console.print("  “\(Console.printable(caption.text))”")
      }
    }
  }

  /// Returns a percentage padded to a fixed width: `  8.1%`.
  private func percent(_ score: Double) -> String {
    let tenths = Int((score * 1000).rounded())
    let text = "\(tenths / 10).\(tenths % 10)%"
    return String(repeating: " ", count: max(0, 6 - text.count)) + text
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
      "milliseconds": JSON(Int(milliseconds)), "model": .string(model.identity),
    ]
    object["caption"] = prediction.caption.map {
      ["score": JSON($0.score), "text": .string($0.text)]
    }
    return .object(object)
  }
}
