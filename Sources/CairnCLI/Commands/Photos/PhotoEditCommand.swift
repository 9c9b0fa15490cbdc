import ArgumentParser
import Cairn

struct PhotoEdit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Edit the title, caption or pin of photos.",
    discussion: HelpText.paragraphs(
      """
      Only the given fields change. An empty text clears a title or caption.

      EXAMPLES
        cairn photo edit 3fa9 --title "Old hemlock" --pin harbour
        cairn photo edit 3fa9 --caption "" --pin none
        cairn photo edit --find 'near:57.5,-3.9,200m -has:pin' --pin harbour
      """))

  @Argument(help: "A unique prefix of its id, or the path of its file.") var photo: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Photos matching this query.", valueName: "query"))
  var find: String?
  @Option(help: "Its display name.") var title: String?
  @Option(help: "Its caption.") var caption: String?
  @Option(help: ArgumentHelp("The pin where it was taken; “none” for no pin.", valueName: "pin"))
  var pin: String?
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if (photo == nil) == (find == nil) {
      throw ValidationError("Give a photo, or --find instead.")
    }
  }

  func run() throws {
    guard title != nil || caption != nil || pin != nil else {
      throw CairnError(
        .invalidInput, "Nothing to change.", hint: "Such as `--title \"Old hemlock\"`.")
    }
    let dataset = try globals.dataset()
    let ids = try self.ids(in: dataset)
    let newPin: PinID?? = try pin.map { $0 == "none" ? nil : try dataset.pin($0).id }
    let edited = try dataset.editPhotos(ids, title: title, caption: caption, pin: newPin)
    let rendered = edited.map { photo, changed in
      var rendered = photo.rendered.object ?? [:]
      rendered["changed"] = .bool(changed)
      return JSON.object(rendered)
    }
    Console.print(globals, photo == nil ? .array(rendered) : rendered[0]) {
      for (photo, changed) in edited {
        Console.print(changed ? "edited \(photo.id.short)" : "\(photo.id.short) is unchanged")
      }
    }
  }

  private func ids(in dataset: Dataset) throws -> [PhotoID] {
    if let find { return try dataset.photosToChange(photoQuery(find)) }
    return [try dataset.photoID(photo ?? "", relativeTo: currentDirectory())]
  }
}
