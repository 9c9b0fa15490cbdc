import ArgumentParser
import Cairn

struct SplitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split", abstract: "Manage train, validation and test splits.",
    discussion: HelpText.paragraphs(
      """
      A photo's subset is computed from a hash of its id, or of its pin's id, so it stays the same when
      photos are added, in every export and on every device. A recorded split has a name that everyone can
      export with. It cannot be changed, since others may have trained with it.

      EXAMPLES
        cairn split add field train=80,val=10,test=10 --by pin
        cairn export yolo ../for-training --split field
      """),
    subcommands: [SplitAdd.self, SplitList.self, SplitRemove.self])
}

/// What a photo is parted by.
enum SplitBasis: String, ExpressibleByArgument, CaseIterable { case photo, pin }

/// Reads how photos are to be parted.
func readSplit(_ text: String, by basis: SplitBasis, salt: String = "") throws -> Split {
  guard let split = Split(text, isByPin: basis == .pin, salt: salt) else {
    throw CairnError(
      .invalidInput, "“\(text)” is not a valid split.",
      hint: "Names with their shares, such as `train=80,val=10,test=10`.")
  }
  return split
}

extension Split {
  fileprivate func rendered(_ name: String) -> JSON {
    [
      "by": isByPin ? "pin" : "photo", "name": .string(name),
      "parts": .object(JSONObject(parts.map { ($0.name, JSON($0.share)) })), "salt": .string(salt),
    ]
  }

  fileprivate func line(_ name: String) -> String {
    "\(Console.printable(name)): \(text) by \(isByPin ? "pin" : "photo")"
      + (salt.isEmpty ? "" : ", salt \(Console.printable(salt))")
  }
}

struct SplitAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Record a split, for everyone.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn split add field train=80,val=10,test=10 --by pin
        cairn split add second-fold train=80,test=20 --salt 2
      """))

  @Argument(help: "Its name: letters, digits and hyphens.") var name: String
  @Argument(help: "Subsets with their shares: train=80,val=10,test=10.") var parts: String
  @Option(
    help: ArgumentHelp("photo, or pin to keep photos of a pin together.", valueName: "what"))
  var by = SplitBasis.photo
  @Option(help: "A salt for the hash: another salt gives another split.") var salt = ""
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let split = try readSplit(parts, by: by, salt: salt)
    let isNew = try globals.dataset().addSplit(name, split)
    var rendered = split.rendered(name).object ?? [:]
    rendered["added"] = .bool(isNew)
    Console.print(globals, .object(rendered)) {
      Console.print((isNew ? "Recorded " : "It was recorded already: ") + split.line(name) + ".")
    }
  }
}

struct SplitList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the recorded splits.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn split list"))

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let splits = try globals.dataset().splits()
    Console.print(globals, .array(splits.map { $0.split.rendered($0.name) })) {
      for (name, split) in splits { Console.print(split.line(name)) }
      if splits.isEmpty { Console.print("No split is recorded.") }
    }
  }
}

struct SplitRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a recorded split.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn split remove field"))

  @Argument(help: "Its name.") var name: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.dataset().removeSplit(name)
    Console.print(globals, ["name": .string(name), "removed": true]) {
      Console.print("Took the split \(Console.printable(name)) back.")
    }
  }
}
