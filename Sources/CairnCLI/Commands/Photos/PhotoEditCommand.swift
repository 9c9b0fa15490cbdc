import ArgumentParser
import Cairn

struct PhotoEdit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Edit the title, caption or pin of photos.",
    discussion: HelpText.paragraphs(
      """
      Only the given fields change. An empty text clears a title or caption.

      EXAMPLES
        cairn photo edit 3fa9 --title "Old hemlock" --pin harbor
        cairn photo edit 3fa9 --caption "" --pin none
        cairn photo edit --find 'near:57.5,-3.9,200m -has:pin' --pin harbor
      """))

  @Argument(help: "A unique prefix of the photo's id, or its file: a path or the original name.")
  var photo: String?
  @OptionGroup var find: FindOption
  @Option(help: "The new title.") var title: String?
  @Option(help: "The new caption.") var caption: String?
  @Option(help: ArgumentHelp("The pin where it was taken; “none” for no pin.", valueName: "pin"))
  var pin: String?
  @OptionGroup var bulk: BulkEditOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if (photo == nil) != find.isGiven {
      throw ValidationError("Give a photo, or --find instead.")
    }
  }

  func run() throws {
    guard title != nil || caption != nil || pin != nil else {
      throw CairnError(
        .usage, "Nothing to change.", hint: "For example: `--title \"Old hemlock\"`.")
    }
    let dataset = try globals.dataset()
    let ids = try self.ids(in: dataset)
    let newPin: PinID?? = try pin.map { $0 == "none" ? nil : try dataset.pin($0).id }
    if bulk.dryRun {
      let number = try ids.count { try isChanged(dataset.show($0).photo, pin: newPin) }
      return Console.printDryRun(
        globals, ["photos": JSON(number)], ["Would edit \(count(number, "photo"))."])
    }
    if find.isGiven { try bulk.confirm("edit", ids) }
    let edited = try dataset.editPhotos(ids, title: title, caption: caption, pin: newPin)
    let rendered = edited.map { edit in
      var rendered = edit.photo.rendered.object ?? [:]
      rendered["changed"] = .bool(edit.changed)
      return JSON.object(rendered)
    }
    Console.printChange(globals, photo == nil ? .array(rendered) : rendered[0]) {
      PhotoEdits(
        done: "edited", unchanged: "unchanged", edits: edited.map { ($0.photo.id, $0.changed) }
      ).print()
    }
  }

  private func ids(in dataset: Dataset) throws -> [PhotoID] {
    if let query = try find.query() { return try dataset.photosToChange(query) }
    return [try dataset.photoID(photo ?? "", relativeTo: currentDirectory())]
  }

  /// Returns whether the options differ from the values of the photo.
  private func isChanged(_ photo: Photo, pin: PinID??) -> Bool {
    if let title, title.trimmed != photo.title.value { return true }
    if let caption, caption.trimmed != photo.caption.value { return true }
    return pin.map { $0 != photo.pin.value } ?? false
  }
}
