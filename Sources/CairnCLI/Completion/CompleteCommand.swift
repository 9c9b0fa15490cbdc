import ArgumentParser
import Cairn
import CairnFiles

/// Run by the completion scripts, whenever a word is completed.
///
/// Prints a line for each candidate, with a description after a tab in zsh and fish. The last line
/// says which files complete the word too: `files`, `directories` or `none`; and, after a space,
/// `open` if a candidate is not yet a whole word.
struct Complete: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "complete", abstract: "Print completions for a command line.",
    shouldDisplay: false)

  @Argument var shell: CompletionShell
  @Argument(
    parsing: .captureForPassthrough, help: "The words; in bash, the line up to the cursor.")
  var words: [String] = []

  func run() throws {
    // Passed through by ArgumentParser.
    var words = words.first == "--" ? Array(words.dropFirst()) : words
    var line: ShellLine?
    if shell == .bash {
      line = ShellLine(words.first ?? "")
      words = line?.words ?? []
    }
    // The first word is the program itself.
    let completion = CommandLineCompletion(Array(words.dropFirst()))
    let typed = words.last ?? ""
    var (candidates, files): ([Candidate], FileCompletion?) = ([], nil)
    switch completion.target {
    case .words(let all): candidates = all.filter { $0.text.hasPrefix(typed) }
    case .value(let kind, let prefix):
      files = kind.files
      candidates = kind.candidates(String(typed.dropFirst(prefix.count))) {
        try dataset(in: completion.directory)
      }.map { Candidate(text: prefix + $0.text, detail: $0.detail) }
    }
    let isOpen = !candidates.isEmpty && candidates.allSatisfy { $0.text.hasSuffix(":") }
    var text = ""
    for candidate in candidates where !candidate.text.contains(where: \.isNewline) {
      switch shell {
      // With file names, bash escapes the words itself, except for these characters: the names
      // come from other people, and it would expand them.
      case .bash where files != nil:
        if candidate.text.utf8.contains(where: "$`~!".utf8.contains) { continue }
        text += line.map { String($0.replacement(of: candidate.text)) } ?? ""
      case .bash: text += line?.insertion(of: candidate.text) ?? ""
      case .zsh, .fish:
        text += "\(Console.printable(candidate.text))\t\(Console.printable(candidate.detail))"
      }
      text += "\n"
    }
    Console.write(text + (files?.rawValue ?? "none") + (isOpen ? " open" : "") + "\n")
  }

  /// Opens the dataset without messages, which would appear on the command line.
  private func dataset(in directory: String?) throws -> Dataset {
    if var directory {
      // The shells pass what was typed.
      for start in ["~/", "$HOME/"] where directory.hasPrefix(start) {
        directory = (variable("HOME") ?? "") + "/" + directory.dropFirst(start.count)
      }
      guard changeDirectory(directory) else {
        throw CairnError(.notFound, "There is no directory \(directory).")
      }
    }
    return try Dataset(at: currentDirectory(), command: nil, onMessage: { _ in })
  }
}
