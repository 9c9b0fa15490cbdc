import Cairn
import Synchronization

/// Asks for the person's name and email address on the terminal when a command needs them and git's
/// configuration does not have both.
enum IdentityPrompt {
  private static let state = Mutex((isAsked: false, author: Author?.none))

  /// Returns the person, who is asked only once; nil if there is no terminal, or no answer.
  static func ask() -> Author? {
    state.withLock { state in
      if state.isAsked { return state.author }
      state.isAsked = true
      guard isTerminal(0), isTerminal(2) else { return nil }
      Console.message(
        "cairn records your name and email with each label and commit, but they are not both "
          + "set.\n")
      let user = GitConfiguration.user
      guard let name = answer("Your name", known: try? user.value(of: "user.name")),
        let email = answer(
          "Your email", known: try? user.value(of: "user.email"),
          isValid: { $0.contains("@") && Annotator(email: $0) != nil })
      else { return nil }
      let entered = Author(name: name, email: email)
      state.author = entered
      save(entered)
      return entered
    }
  }

  private static func save(_ author: Author) {
    do {
      let user = GitConfiguration.user
      try user.set("user.name", to: author.name)
      try user.set("user.email", to: author.email)
      Console.note(
        "saved in git's configuration for all datasets here; `cairn config set` changes it.")
    } catch {
      Console.note("not saved: \(error.message)")
    }
  }

  /// Asks until the answer is valid; nil at the end of the input.
  ///
  /// - Parameter known: The answer to an empty line.
  private static func answer(
    _ question: String, known: String?, isValid: (String) -> Bool = { _ in true }
  ) -> String? {
    let suggestion = known.map { " [\(Console.printable($0))]" } ?? ""
    while true {
      Console.message("\(question)\(suggestion): ")
      guard let line = readLine() else {
        writeAll("\n", to: 2)
        return nil
      }
      let text = line.trimmed.isEmpty ? known ?? "" : line.trimmed
      if !text.isEmpty, isValid(text) { return text }
    }
  }
}
