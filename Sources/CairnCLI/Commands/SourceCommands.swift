import ArgumentParser
import Cairn
import CairnTerminal
import SystemPackage

struct SourceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "source", abstract: "Manage the services that photos are fetched from.",
    discussion: HelpText.paragraphs(
      """
      API keys are never stored in the dataset: they come from the environment (CAIRN_FLICKR_KEY,
      CAIRN_OPENVERSE_KEY) or from git's credential helpers. CAIRN_CONTACT, or --contact, is a contact
      address to send with requests, which services ask for.
      """),
    subcommands: [SourceList.self, SourceSet.self, SourceTest.self, SourceRemove.self])
}

struct SourceList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the services and their settings.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn source list"))

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let sources = try globals.dataset().sources().filter { $0.url != nil }
    Console.print(globals, .array(sources.map(\.rendered))) {
      let rows = sources.map { [$0.name.rawValue, $0.name.title, $0.keyText, $0.url ?? ""] }
      Console.table(rows).forEach { Console.print($0) }
      for source in sources where source.key == .missing {
        Console.print("A key of \(source.name.title), and its terms: \(source.name.terms ?? "")")
      }
    }
  }
}

struct SourceSet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set a service's API key, URL or contact address.",
    discussion: HelpText.paragraphs(
      """
      --key reads the API key from stdin, without echo on a terminal, and stores it with git's credential
      helper. URL and contact are stored in this copy's configuration. An empty value removes them.

      EXAMPLES
        cairn source set flickr --key < key.txt
        cairn source set commons --contact ann@example.org
        cairn source set openverse --url https://mirror.example.org/v1/
      """))

  @Argument(help: "The service; see `cairn source list`.") var source: SourceArgument
  @Flag(help: "Read its API key from stdin.") var key = false
  @Option(help: "Its URL: a mirror, or a server of your own.") var url: String?
  @Option(help: "An email address or web page to send with requests.") var contact: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    guard key || url != nil || contact != nil else {
      throw CairnError(
        .invalidInput, "Nothing is to be set.",
        hint: "Such as `--key` or `--contact ann@example.org`.")
    }
    let dataset = try globals.dataset()
    let name = source.name
    let state = try dataset.setSource(name, url: url, contact: contact, key: key ? readKey() : nil)
    Console.print(globals, state.rendered) {
      Console.print("\(name.title): \(state.keyText), asked at \(state.url ?? "").")
    }
  }

  private func readKey() throws -> String {
    if isTerminal(0) { return try typedKey() }
    guard let bytes = readAll(.standardInput, limit: 64 << 10) else {
      throw CairnError(.invalidInput, "The key cannot be read.")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func typedKey() throws -> String {
    guard let terminal = RawTerminal() else {
      throw CairnError(.invalidInput, "The terminal cannot be read key by key.")
    }
    defer { terminal.restore() }
    Console.note("Type the key of \(source.name.title), which is not shown, then Return:")
    var editor = LineEditor(limit: 4096)
    while true {
      switch terminal.next() {
      case .key(let key):
        switch editor.take(key, complete: { _ in [] }) {
        case .editing: continue
        case .entered(let text): return text
        case .cancelled: throw CairnError(.invalidInput, "No key was typed.")
        }
      case .redraw: continue
      case .end(let signal): throw ExitCode(128 + signal)
      }
    }
  }
}

struct SourceTest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Query a service without fetching any photos.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn source test flickr --text harbour"))

  @Argument(help: "The service.") var source: SourceArgument
  @Option(help: "Text to search for.") var text: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let name = source.name
    var query = SourceQuery()
    query.text = text ?? (name == .dogCEO || name == .inaturalist ? nil : "tree")
    let offered = try globals.dataset().testSource(name, query)
    Console.print(globals, ["offered": JSON(offered), "source": .string(name.rawValue)]) {
      Console.print("\(name.title) answers: \(count(offered, "photo")) on its first page.")
    }
  }
}

struct SourceRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a service's API key, URL and contact address.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn source remove flickr"))

  @Argument(help: "The service.") var source: SourceArgument
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let name = source.name
    let dataset = try globals.dataset()
    let changed = try dataset.resetSource(name)
    let state = try? dataset.source(name)
    Console.print(globals, ["changed": .bool(changed), "source": .string(name.rawValue)]) {
      Console.print(
        changed ? "What was set of \(name.title) is forgotten." : "\(name.title) had nothing set.")
      if let state, state.isOwnURL {
        let variable = name.variable("URL")
        Console.print(
          "It is still asked at \(state.url ?? ""): \(variable) or git's own configuration says so."
        )
      }
      if case .variable(let variable)? = state?.key {
        Console.print("\(variable) has its key still.")
      }
    }
  }
}

extension SourceState {
  fileprivate var keyText: String {
    switch key {
    case .notNeeded: "no key needed"
    case .missing: name.keyUse == .optional ? "no key, which is fine" : "no key yet"
    case .variable(let variable): "key from \(variable)"
    case .helper: "key from git's credential helper"
    }
  }

  fileprivate var rendered: JSON {
    let place: JSON =
      switch key {
      case .notNeeded: "not-needed"
      case .missing: "missing"
      case .variable: "environment"
      case .helper: "credential-helper"
      }
    return [
      "contact": JSON(contact), "key": place, "name": .string(name.rawValue),
      "ownURL": .bool(isOwnURL), "terms": JSON(name.terms), "title": .string(name.title),
      "url": JSON(url),
    ]
  }
}
