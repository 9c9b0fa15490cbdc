import ArgumentParser
import Cairn
import SystemPackage

struct PhotoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo", abstract: "Manage photos.",
    subcommands: [
      PhotoAdd.self, PhotoList.self, PhotoShow.self, PhotoEdit.self, PhotoRemove.self,
      PhotoRestore.self,
      FetchPhotos.self, ReplacePhotos.self,
    ])
}

extension PhotoRecord {
  /// What a list of photos says of it.
  var cells: [String] {
    [
      photo.id.short, "\(photo.image.width)×\(photo.image.height)",
      name + (visibility.isVisible ? "" : " (removed)"), summary,
    ]
  }
}

struct PhotoList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List photos with their resolved labels.",
    discussion: HelpText.paragraphs(
      """
      “?” marks a predicted class, with its confidence, and “!” a disputed one.

      EXAMPLES
        cairn photo list --pin harbour
        cairn photo list --find 'state:predicted' --json
      """))

  @OptionGroup var selection: PhotoSelection
  @Flag(help: "Include removed ones.") var removed = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let (rows, list) = (TableWriter(), JSONArrayWriter())
    func print(_ record: PhotoRecord) {
      if globals.json { list.add(record.rendered) } else { rows.add(record.cells) }
    }
    if let query = try selection.query() {
      let removed = PhotoQuery.all([query, .term(.trait(.removed))])
      for id in try dataset.find(self.removed ? .any([query, removed]) : query) {
        print(try dataset.show(id))
      }
    } else {
      try dataset.forEachPhoto(includingRemoved: removed, print)
    }
    if globals.json { return list.finish() }
    rows.finish()
    if rows.count == 0 {
      Console.print(
        selection.isGiven ? "No photos match." : "No photos yet: cairn photo add DIR.")
    }
  }
}

struct PhotoShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a photo with its labels.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn photo show 3fa9"))

  @Argument(help: "A unique prefix of its id, or the path of its file.") var photo: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let id = try dataset.photoID(photo, relativeTo: currentDirectory())
    printPhoto(try dataset.show(id), globals)
  }
}

/// Prints a photo with all that is said of it.
func printPhoto(_ record: PhotoRecord, _ globals: GlobalOptions) {
  Console.print(globals, record.rendered) {
    let photo = record.photo
    Console.print("\(Style.bold(Console.printable(record.name)))  \(photo.id)")
    Console.print(
      "\(photo.image.format.rawValue) \(photo.image.width)×\(photo.image.height), \(photo.image.bytes) bytes"
    )
    for line in photo.image.lines { Console.print(line) }
    if !photo.caption.value.isEmpty { Console.print(Console.printable(photo.caption.value)) }
    if let pin = photo.pin.value { Console.print("at pin \(pin)") }
    for line in photo.credit?.value?.lines ?? [] { Console.print(line) }
    switch record.visibility {
    case .visible: break
    case .removed: Console.print(Style.yellow("removed") + "; `cairn photo restore` restores it")
    case .restored(let annotator):
      Console.print("removed, and brought back by a later label of \(annotator.identity)")
    }
    if !record.resolution.isEmpty { Console.print() }
    for resolution in record.resolution { Console.print(resolution.line) }
    if !record.labels.isEmpty { Console.print() }
    let rows = record.labels.map { label in
      [
        label.annotator.identity, label.classKey.text, label.verdict.rawValue + label.origin,
        label.annotator.isHuman && label.confidence.double == 1 ? "" : label.confidence.text,
        localTime(label.stamp),
      ]
    }
    Console.table(rows).forEach { Console.print("  " + $0) }
  }
}

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
      throw ValidationError("Give a photo, or a query in its place.")
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
        Console.print(changed ? "edited \(photo.id.short)" : "\(photo.id.short) was so already")
      }
    }
  }

  private func ids(in dataset: Dataset) throws -> [PhotoID] {
    if let find { return try dataset.photosToChange(photoQuery(find)) }
    return [try dataset.photoID(photo ?? "", relativeTo: currentDirectory())]
  }
}

struct PhotoRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove photos from view; their labels and images are kept.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn photo remove 3fa9 c4d0
        cairn photo remove --find 'label:blurred by:me'
      """))

  @OptionGroup var target: PhotoArguments
  @OptionGroup var globals: GlobalOptions

  func run() throws { try setRemoved(target, true, globals) }
}

struct PhotoRestore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore removed photos with their labels.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn photo restore 3fa9
        cairn photo restore --find is:removed
      """))

  @OptionGroup var target: PhotoArguments
  @OptionGroup var globals: GlobalOptions

  func run() throws { try setRemoved(target, false, globals) }
}

private func setRemoved(
  _ target: PhotoArguments, _ removed: Bool, _ globals: GlobalOptions
) throws {
  let dataset = try globals.dataset()
  let photos = try dataset.setPhotosRemoved(try target.ids(in: dataset), removed)
  Console.print(
    globals,
    .array(photos.map { ["changed": .bool($0.changed), "id": .string($0.id.description)] })
  ) {
    for (id, changed) in photos {
      let done = removed ? "removed" : "restored"
      Console.print(changed ? "\(done) \(id.short)" : "\(id.short) was \(done) already")
    }
  }
}

extension Label {
  /// Which part of the photo it is of, and where it was read from: “ in a box, from xmp:dc:subject”.
  fileprivate var origin: String {
    (region == nil ? "" : " in a box") + (source.map { ", from \($0)" } ?? "")
  }
}

extension ImageFacts {
  /// What the file says of how it was taken, a line each.
  fileprivate var lines: [String] {
    var lines: [String] = []
    if let taken {
      let text = taken.description.map { $0 == "T" ? " " : $0 }
      lines.append("taken \(String(text))" + (camera.map { ", \($0)" } ?? ""))
    } else if let camera {
      lines.append("taken with \(camera)")
    }
    if let place {
      let (latitude, longitude) = (place.coordinate.latitude, place.coordinate.longitude)
      lines.append(
        "at \(latitude), \(longitude)" + (place.altitude.map { ", \($0) m above the sea" } ?? ""))
    }
    if let orientation, orientation != 1 { lines.append("stored in orientation \(orientation)") }
    return lines.map(Console.printable)
  }
}
