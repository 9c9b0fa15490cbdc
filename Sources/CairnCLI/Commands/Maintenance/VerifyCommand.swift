import ArgumentParser
import Cairn
import CairnBase

struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify every document and image.",
    discussion: HelpText.paragraphs(
      """
      Exits with 1 if a problem is found. Stamps in the future are only warnings.

      With --with, compares only the last commit of this copy with that of the remote, and exits
      with 1 if they differ. --with-images also asks whether the remote has every image, and every
      other file that git-lfs stores. --content also verifies the content of each: by a checksum
      that an S3 server keeps or a machine with sftp computes, otherwise by reading it, which costs
      a download. To check a backup every night, run
      `cairn verify --with backup --with-images --quiet`.

      With --erased, searches for the bytes of erased images instead, by content: in all files of
      this directory, in all of git's objects, in caches and in the image stores of the remotes.
      Also searches this copy for facts that were erased from the history. Exits with 1 if something
      is found, or may be in a file that cannot be read, and with the code of the error, such as 69,
      if a store could not be searched.

      EXAMPLES
        cairn verify
        cairn verify --with origin
        cairn verify --with backup --content
        cairn verify --erased
      """))

  @Option(
    name: .customLong("with"), help: ArgumentHelp("Compare with a remote.", valueName: "remote"))
  var remote: String?
  @Flag(help: "With --with, also ask whether the remote has all images.")
  var withImages = false
  @Flag(help: "With --with, also verify the content of the remote's images.") var content = false
  @Flag(help: "Search everywhere for erased images and facts.") var erased = false
  @OptionGroup var bandwidth: BandwidthOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    try bandwidth.apply(to: dataset)
    if let remote { return try compare(dataset, with: remote) }
    if erased { return try searchErased(dataset) }
    let report = try dataset.verify()
    Console.print(globals, report.rendered) { report.print(globals) }
    if !report.isValid { throw ExitCode(1) }
  }

  func validate() throws {
    if remote != nil, erased {
      throw ValidationError("--erased searches all remotes: leave out --with.")
    }
    if remote == nil, withImages || content {
      throw ValidationError("--with-images and --content require --with.")
    }
  }

  private func searchErased(_ dataset: Dataset) throws {
    let report = try dataset.verifyErased()
    Console.print(globals, report.rendered) { report.print(globals) }
    if !report.isClean { throw ExitCode(1) }
    if let failure = report.unreached.first?.failure {
      throw ExitCode(CairnError(failure).kind.exitCode)
    }
  }

  private func compare(_ dataset: Dataset, with remote: String) throws {
    let comparison = try dataset.compare(withRemote: remote)
    let (equal, here, there) = (
      comparison.isEqual, comparison.here ?? "none", comparison.there ?? "none"
    )
    let found =
      withImages || content
      ? try dataset.checkImages(onRemote: remote, readsContent: content) : nil
    Console.print(
      globals,
      [
        "equal": .bool(equal), "here": .string(here), "images": found?.rendered ?? .null,
        "there": .string(there),
      ]
    ) {
      if equal {
        globals.print("Equal commits: both have the tree \(here.prefix(10)).")
      } else {
        Console.print(
          "Different commits: the tree \(here.prefix(10)) here, \(there.prefix(10)) on \(remote).")
      }
      if let found {
        found.print(remote, globals)
      } else if (try? dataset.imageURL(ofRemote: remote)) != "none" {
        globals.print(
          "Images were not compared: "
            + "`cairn verify --with \(shellArgument(remote)) --with-images`.")
      }
    }
    if !equal || found?.isComplete == false { throw ExitCode(1) }
  }
}

extension RemoteImageReport {
  fileprivate var rendered: JSON {
    func list(_ ids: [PhotoID]) -> JSON { .array(ids.map { .string($0.description) }) }
    return [
      "contentVerified": .bool(isContentVerified), "damaged": list(damaged),
      "images": JSON(images), "missing": list(missing),
    ]
  }

  fileprivate func print(_ remote: String, _ globals: GlobalOptions) {
    for (ids, problem) in [(missing, "is missing"), (damaged, "is damaged")] {
      for id in ids {
        Console.print("\(Style.red("bad")) \(id): its image on \(remote) \(problem)")
      }
    }
    let all = count(images, "image")
    if isComplete {
      return globals.print(
        isContentVerified ? "\(all) on \(remote), all intact." : "\(all), all on \(remote).")
    }
    Console.hint(
      "`cairn images push --remote \(remote)\(damaged.isEmpty ? "" : " --repair")` sends them again."
    )
  }
}

extension VerifyReport {
  fileprivate var rendered: JSON {
    [
      "documents": JSON(documents),
      "findings": .array(
        findings.map { ["message": .string($0.message), "path": .string($0.path)] }),
      "images": JSON(images), "imagesElsewhere": JSON(imagesElsewhere),
      "imagesErased": JSON(imagesErased),
      "warnings": .array(
        warnings.map {
          [
            "message": .string($0.message), "path": .string($0.path),
            "stamp": .string($0.stamp.description),
          ]
        }),
    ]
  }

  fileprivate func print(_ globals: GlobalOptions) {
    for finding in findings {
      Console.print(
        "\(Style.red("bad")) \(Console.printable("\(finding.path): \(finding.message)"))")
    }
    for (_, warnings) in Dictionary(grouping: warnings, by: \.stamp.replica)
      .sorted(by: { $0.key < $1.key })
    {
      Console.print("\(Style.yellow("warning")) \(Console.printable(VerifyReport.line(warnings)))")
    }
    let absent = [
      imagesElsewhere > 0 ? "\(imagesElsewhere) not on this disk" : nil,
      imagesErased > 0 ? "\(imagesErased) erased" : nil,
    ].compactMap(\.self).joined(separator: ", ")
    let elsewhere = absent.isEmpty ? "" : " (\(absent))"
    let parts = [
      findings.isEmpty ? "no problems" : count(findings.count, "problem"),
      warnings.isEmpty ? nil : count(warnings.count, "warning"),
    ].compactMap { $0 }
    globals.print(
      "\(documents) documents, \(images) images and models\(elsewhere) checked: "
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
