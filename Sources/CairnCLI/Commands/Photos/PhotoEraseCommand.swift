import ArgumentParser
import Cairn

struct PhotoErase: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Delete the images of photos everywhere, for good.",
    discussion: HelpText.paragraphs(
      """
      Deletes the bytes of the images, and everything computed from them, from this copy and from the
      image stores of all remotes. The photos, their labels, titles and locations stay. Who erased an
      image, when and why is recorded in the dataset. Every other copy deletes the image when it
      pulls or syncs, and no copy stores it again. This cannot be undone.

      A Git LFS server has no way to delete an image: the command prints what its administrator has
      to delete. For an image that is already erased, the command repeats all of this; --reason is
      not needed. `cairn verify --erased` searches for what is left. If an image store cannot be
      reached, the exit code is that of the error, such as 69, and the next `cairn pull` or `cairn
      push` tries again.

      EXAMPLES
        cairn photo erase 3fa9 --reason "recognizable face"
        cairn photo erase --find 'label:person' --reason "people in the park" --dry-run
      """))

  @OptionGroup var target: PhotoArguments
  @Option(help: "The reason. Everyone who has the dataset can read it.") var reason: String?
  @OptionGroup var bulk: BulkEditOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let ids = try target.ids(in: dataset)
    if bulk.dryRun { return try printPlan(dataset.planErasure(of: ids)) }
    if target.selection.isGiven { try bulk.confirm("erase the images of", ids, isUndoable: false) }
    let report = try dataset.erasePhotos(ids, reason: reason)
    Console.print(globals, report.rendered) { report.print(globals) }
    if let error = report.failure { throw ExitCode(error.kind.exitCode) }
  }

  private func printPlan(_ plan: ErasurePlan) {
    var sentences = [
      "Would erase \(count(plan.photos.count, "image")) (\(byteText(plan.bytes))) here and from "
        + (plan.remotes.isEmpty
          ? "no remote." : "the image stores of \(plan.remotes.joined(separator: ", ")).")
    ]
    if !plan.erased.isEmpty {
      sentences.append("\(count(plan.erased.count, "image")) already erased.")
    }
    Console.printDryRun(
      globals,
      [
        "bytes": JSON(plan.bytes), "erasedBefore": JSON(plan.erased.count),
        "photos": JSON(plan.photos.count),
        "remotes": .array(plan.remotes.map { .string($0) }),
      ], sentences)
  }
}
