import ArgumentParser
import Cairn
import CairnTerminal
import SystemPackage

struct SourceSet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set a service's API key, URL or contact address.",
    discussion: HelpText.paragraphs(
      """
      --key reads the API key from stdin, without echo on a terminal, and stores it with git's
      credential helper. The URL and the contact address are stored in this copy's configuration; an
      empty value removes one of them.

      EXAMPLES
        cairn source set flickr --key < key.txt
        cairn source set commons --contact ann@example.org
        cairn source set openverse --url https://mirror.example.org/v1/
      """))

  @Argument(help: "The service; see `cairn source list`.") var source: ServiceArgument
  @Flag(help: "Read the service's API key from stdin.") var key = false
  @Option(help: "The URL of a mirror, or of your own server.") var url: String?
  @Option(help: "An email address or web page to send with requests.") var contact: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let name = try source.name()
    guard key || url != nil || contact != nil else {
      throw CairnError(
        .usage, "Nothing to set.",
        hint: "For example: `--key` or `--contact ann@example.org`.")
    }
    let dataset = try globals.dataset()
    let key = try key ? readKey(of: name) : nil
    let state = try dataset.setSource(name, url: url, contact: contact, key: key)
    Console.printChange(globals, state.rendered) {
      Console.print("\(name.title): \(state.keyText), URL \(state.url ?? "").")
    }
  }

  private func readKey(of source: SourceName) throws -> String {
    if isTerminal(0) { return try typedKey(of: source) }
    guard let bytes = readAll(.standardInput, limit: 64 << 10) else {
      throw CairnError(.invalidInput, "The key cannot be read.")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func typedKey(of source: SourceName) throws -> String {
    guard let terminal = RawTerminal() else {
      throw CairnError(.invalidInput, "The terminal cannot be switched to single-key input.")
    }
    defer { terminal.restore() }
    Console.note("Type the API key of \(source.title) (not shown), then press Return:")
    var editor = LineEditor(limit: 4096)
    while true {
      switch terminal.next() {
      case .key(let key):
        switch editor.take(key, complete: { _ in [] }) {
        case .editing: continue
        case .entered(let text): return text
        case .cancelled: throw CairnError(.invalidInput, "No API key was typed.")
        }
      case .redraw: continue
      case .end(let signal): throw ExitCode(128 + signal)
      }
    }
  }
}
