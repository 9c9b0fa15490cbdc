import ArgumentParser
import Cairn

struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify every document and image.",
    discussion: HelpText.paragraphs(
      """
      Exits with 1 if a problem is found. Stamps in the future are only warnings.

      With --with, only compares the last commit of this copy with that of a remote, without
      transferring anything, and exits with 1 if they differ.

      EXAMPLES
        cairn verify
        cairn verify --with origin
      """))

  @Option(
    name: .customLong("with"), help: ArgumentHelp("Compare with a remote.", valueName: "remote"))
  var remote: String?
  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(quiet)
    if let remote {
      let comparison = try dataset.compare(withRemote: remote)
      let (equal, here, there) = (
        comparison.isEqual, comparison.here ?? "none", comparison.there ?? "none"
      )
      Console.print(
        globals, ["equal": .bool(equal), "here": .string(here), "there": .string(there)]
      ) {
        if equal { return quiet.print("Equal: both have the tree \(here.prefix(10)).") }
        Console.print("Different: \(here.prefix(10)) here, \(there.prefix(10)) at \(remote).")
      }
      if !equal { throw ExitCode(1) }
      return
    }
    let bar = ProgressBar(nil, quiet)
    let report = try dataset.verify { bar.update("checking", $0, $1) }
    bar.finish()
    Console.print(globals, report.rendered) { report.print(quiet) }
    if !report.isValid { throw ExitCode(1) }
  }
}

extension VerifyReport {
  fileprivate var rendered: JSON {
    [
      "documents": JSON(documents),
      "findings": .array(
        findings.map { ["message": .string($0.message), "path": .string($0.path)] }),
      "images": JSON(images), "imagesElsewhere": JSON(imagesElsewhere),
      "warnings": .array(
        warnings.map {
          [
            "message": .string($0.message), "path": .string($0.path),
            "stamp": .string($0.stamp.description),
          ]
        }),
    ]
  }

  fileprivate func print(_ quiet: QuietOption) {
    for finding in findings {
      Console.print(
        "\(Style.red("bad")) \(Console.printable("\(finding.path): \(finding.message)"))")
    }
    for (_, warnings) in Dictionary(grouping: warnings, by: \.stamp.replica)
      .sorted(by: { $0.key < $1.key })
    {
      Console.print("\(Style.yellow("warning")) \(Console.printable(VerifyReport.line(warnings)))")
    }
    let elsewhere = imagesElsewhere > 0 ? " (\(imagesElsewhere) not on this disk)" : ""
    let parts = [
      findings.isEmpty ? "no problems" : count(findings.count, "problem"),
      warnings.isEmpty ? nil : count(warnings.count, "warning"),
    ].compactMap { $0 }
    quiet.print(
      "\(documents) documents and \(images) images\(elsewhere) checked: "
        + parts.joined(separator: ", ") + ".")
  }

  /// Returns one line about all documents with stamps of the same device.
  private static func line(_ warnings: [Warning]) -> String {
    if warnings.count == 1 { return "\(warnings[0].path): \(warnings[0].message)" }
    let annotators = Set(warnings.compactMap { $0.annotator?.identity }).sorted()
    let who = annotators.isEmpty ? "" : " by \(annotators.joined(separator: ", "))"
    let replica = warnings[0].stamp.replica
    let latest = warnings.map(\.stamp).max()?.description.prefix(10) ?? ""
    return "\(warnings.count) documents\(who) have stamps in the future, up to \(latest): "
      + "the clock of the device \(replica) was fast (--json lists them)"
  }
}
