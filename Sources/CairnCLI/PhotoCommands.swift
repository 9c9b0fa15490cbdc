import ArgumentParser
import Cairn
import SystemPackage

struct PhotoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo", abstract: "Photos.",
    subcommands: [
      PhotoAdd.self, PhotoList.self, PhotoShow.self, PhotoEdit.self, PhotoRemove.self,
      PhotoRestore.self,
    ])
}

/// Prints a list of photos, a line each.
func printPhotos(_ photos: [PhotoRecord]) {
  let rows = photos.map { record in
    [
      record.photo.id.short, "\(record.photo.image.width)×\(record.photo.image.height)",
      record.name + (record.visibility.isInView ? "" : " (removed)"), record.summary,
    ]
  }
  Console.table(rows).forEach { Console.print($0) }
}

struct PhotoAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add photos: files, or folders with all images below them.",
    discussion: "EXAMPLE\n  cairn photo add ~/Pictures/trip --pin harbour")

  @Argument(help: "Image files (JPEG, PNG, WebP) and folders.") var paths: [String]
  @Option(help: ArgumentHelp("The pin where they were taken.", valueName: "pin")) var pin: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let pin = try pin.map { try dataset.pin($0).id }
    let base = currentDirectory()
    let bar = ProgressBar()
    let photos = try dataset.addPhotos(paths.map { base.pushing(FilePath($0)) }, pin: pin) {
      bar.update("adding photos", $0, $1)
    }
    bar.finish()
    Console.print(
      globals,
      .array(
        photos.map {
          [
            "file": .string($0.file.string), "id": JSON($0.id?.description), "note": JSON($0.note),
            "status": .string($0.status.rawValue),
          ]
        })
    ) { printSummary(photos) }
    if photos.contains(where: { $0.status == .failed }) {
      throw ExitCode(CairnError.Kind.invalidImage.exitCode)
    }
  }

  private func printSummary(_ photos: [AddedPhoto]) {
    for photo in photos where photo.status == .added {
      Console.print(
        "added \(photo.id?.short ?? "") \(Console.printable(photo.file.lastComponent?.string ?? ""))"
      )
    }
    for photo in photos where photo.note != nil {
      let what = photo.status == .failed ? Style.red("not added") : "known"
      Console.print("\(what): \(Console.printable(photo.note ?? ""))")
    }
    let counts = [AddedPhoto.Status.added, .known, .failed].compactMap { status -> String? in
      let count = photos.count { $0.status == status }
      return count == 0 ? nil : "\(count) \(status == .known ? "known already" : status.rawValue)"
    }
    Console.print(counts.isEmpty ? "No images found." : counts.joined(separator: ", ") + ".")
  }
}

struct PhotoList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the photos with what stands of their labels.",
    discussion: """
      After a class, “?” marks a model's prediction and “!” a dispute among people.

      EXAMPLE
        cairn photo list --pin harbour
      """)

  @Option(help: ArgumentHelp("Only the photos of a pin.", valueName: "pin")) var pin: String?
  @Flag(help: "Also those that were removed.") var removed = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let pin = try pin.map { try dataset.pin($0).id }
    var photos: [PhotoRecord] = []
    try dataset.forEachPhoto(pin: pin, includingRemoved: removed) { photos.append($0) }
    Console.print(globals, .array(photos.map(\.rendered))) {
      if photos.isEmpty { return Console.print("No photos yet: cairn photo add DIR.") }
      printPhotos(photos)
    }
  }
}

struct PhotoArguments: ParsableArguments {
  @Argument(help: "Unique prefixes of their ids, or the paths of their files.") var photos: [String]

  func ids(in dataset: Dataset) throws -> [PhotoID] {
    try photos.map { try dataset.photoID($0, relativeTo: currentDirectory()) }
  }
}

struct PhotoShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a photo with all that is said of it.",
    discussion: "EXAMPLE\n  cairn photo show 3fa9")

  @Argument(help: "A unique prefix of its id, or the path of its file.") var photo: String
  @OptionGroup var globals: GlobalOptions

  func run() throws { try showPhoto(photo, globals) }
}

/// Shows a photo: what `cairn show` and `cairn photo show` do.
func showPhoto(_ text: String, _ globals: GlobalOptions) throws {
  let dataset = try globals.dataset()
  let record = try dataset.show(try dataset.photoID(text, relativeTo: currentDirectory()))
  Console.print(globals, record.rendered) {
    let photo = record.photo
    Console.print("\(Style.bold(Console.printable(record.name)))  \(photo.id)")
    Console.print(
      "\(photo.image.format.rawValue) \(photo.image.width)×\(photo.image.height), \(photo.image.bytes) bytes"
    )
    if !photo.caption.value.isEmpty { Console.print(Console.printable(photo.caption.value)) }
    if let pin = photo.pin.value { Console.print("at pin \(pin)") }
    switch record.visibility {
    case .visible: break
    case .removed: Console.print(Style.yellow("removed") + "; `cairn photo restore` brings it back")
    case .broughtBack(let annotator):
      Console.print("removed, and brought back by a later label of \(annotator.identity)")
    }
    if !record.resolution.isEmpty { Console.print() }
    for resolution in record.resolution { Console.print(resolution.line) }
    if !record.labels.isEmpty { Console.print() }
    let rows = record.labels.map { label in
      [
        label.annotator.identity, label.classKey.text, label.verdict.rawValue,
        label.annotator.isHuman && label.confidence.double == 1 ? "" : label.confidence.text,
        localTime(milliseconds: label.stamp.milliseconds),
      ]
    }
    Console.table(rows).forEach { Console.print("  " + $0) }
  }
}

struct PhotoEdit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Give a photo a title, a caption, or another pin.",
    discussion: """
      What is not given stays as it is; an empty text takes a title or caption away.

      EXAMPLES
        cairn photo edit 3fa9 --title "Old hemlock" --pin harbour
        cairn photo edit 3fa9 --caption "" --pin none
      """)

  @Argument(help: "A unique prefix of its id, or the path of its file.") var photo: String
  @Option(help: "What people call it.") var title: String?
  @Option(help: "What there is to say about it.") var caption: String?
  @Option(help: ArgumentHelp("The pin where it was taken; “none” for no pin.", valueName: "pin"))
  var pin: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    guard title != nil || caption != nil || pin != nil else {
      throw CairnError(
        .invalidInput, "Nothing is to be changed.", hint: "Such as `--title \"Old hemlock\"`.")
    }
    let dataset = try globals.dataset()
    let id = try dataset.photoID(photo, relativeTo: currentDirectory())
    let newPin: PinID?? = try pin.map { $0 == "none" ? nil : try dataset.pin($0).id }
    let (photo, changed) = try dataset.editPhoto(id, title: title, caption: caption, pin: newPin)
    var rendered = photo.rendered.object ?? [:]
    rendered["changed"] = .bool(changed)
    Console.print(globals, .object(rendered)) {
      Console.print(changed ? "edited \(id.short)" : "\(id.short) was so already")
    }
  }
}

struct PhotoRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take photos out of view; their labels and images stay.",
    discussion: "EXAMPLE\n  cairn photo remove 3fa9 c4d0")

  @OptionGroup var target: PhotoArguments
  @OptionGroup var globals: GlobalOptions

  func run() throws { try setRemoved(target, true, globals) }
}

struct PhotoRestore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Bring removed photos back, labels and all.",
    discussion: "EXAMPLE\n  cairn photo restore 3fa9")

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
