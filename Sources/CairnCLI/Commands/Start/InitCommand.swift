import ArgumentParser
import Cairn
import SystemPackage

struct Init: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create a dataset.",
    discussion: HelpText.paragraphs(
      """
      With --ci, also commits a workflow for a hosting site: on each push, it runs `cairn verify` and
      `cairn report`, and posts the changes as a comment on the commit. In an existing dataset, --ci
      only adds the workflow.

      EXAMPLES
        cairn init field-trip --name "Field trip 2026"
        cairn init field-trip --user-name "Ann Lee" --email ann@example.org
        cairn init --ci github
      """))

  @Argument(help: "The dataset's directory, created if missing.") var directory: String = "."
  @Option(help: "The dataset's name (default: the directory's name).") var name: String?
  @Option(
    help: ArgumentHelp(
      "Your name, for this dataset (default: git's user.name).", valueName: "name"))
  var userName: String?
  @Option(
    help: ArgumentHelp(
      "Your email address, for this dataset (default: git's user.email).", valueName: "address"))
  var email: String?
  @Option(help: ArgumentHelp("Add a workflow: github or gitlab.", valueName: "site"))
  var ci: CIService?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.enter()
    let path = currentDirectory().pushing(FilePath(directory)).lexicallyNormalized()
    let (dataset, isNew) = try open(path)
    try saveIdentity(in: dataset)
    if let ci {
      try dataset.commitFile(
        ci.path, Array(ci.workflow.utf8), message: "Add a workflow that verifies the dataset")
    }
    let name = try dataset.name()
    Console.printChange(
      globals,
      ["name": .string(name), "path": .string(dataset.root.string), "workflow": JSON(ci?.path)]
    ) {
      if isNew {
        Console.print("Created the dataset “\(name)” in \(dataset.root).")
        Console.print("Next: `cairn photo add DIR`, then `cairn label PHOTO CLASS --create`.")
      }
      if let ci {
        Console.print("Committed \(ci.path). \(ci.nextStep)")
      }
    }
  }

  /// Creates the dataset, or opens it if only a workflow is to be added.
  private func open(_ path: FilePath) throws -> (dataset: Dataset, isNew: Bool) {
    do {
      let dataset = try Dataset.create(
        at: path, name: name, author: try author(), command: ownExecutable(),
        onMessage: GlobalOptions.report, onMissingIdentity: globals.identityPrompt)
      return (dataset, true)
    } catch let error as CairnError where error.kind == .exists && ci != nil && name == nil {
      let dataset = try Dataset(
        at: path, author: try author(), command: ownExecutable(), onMessage: GlobalOptions.report,
        onMissingIdentity: globals.identityPrompt)
      return (dataset, false)
    }
  }

  /// The person of `--user-name` and `--email`, each completed from git's configuration.
  private func author() throws -> Author? {
    if userName == nil, email == nil { return nil }
    let user = GitConfiguration.user
    guard let name = try userName ?? user.value(of: "user.name"),
      let email = try email ?? user.value(of: "user.email")
    else {
      throw CairnError(
        .noIdentity, "Your name and email are not both set.",
        hint: "Give both: `--user-name \"Your Name\" --email you@example.org`.")
    }
    return Author(name: name, email: email)
  }

  private func saveIdentity(in dataset: Dataset) throws {
    for (key, value) in [("user.name", userName), ("user.email", email)] {
      if let value { try dataset.configuration.set(key, to: value) }
    }
  }

  func validate() throws {
    if let email, !email.contains("@") || Annotator(email: email) == nil {
      throw ValidationError("“\(email)” is not an email address.")
    }
    if let userName, userName.trimmed.isEmpty {
      throw ValidationError("--user-name is empty.")
    }
  }
}
