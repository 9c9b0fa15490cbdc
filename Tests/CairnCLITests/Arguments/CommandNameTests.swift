import Testing

@testable import ArgumentParser
@testable import CairnCLI

@Suite("Commands")
struct CommandNameTests {
  @Test("are looked up by the name on their help pages")
  func names() {
    let lists = [CairnCommand.hiddenCommands] + CairnCommand.groups.map(\.commands)
    for (name, command) in lists.joined() {
      #expect(command().configuration.commandName == name)
    }
    #expect(lists.joined().count == CairnCommand.everything.subcommands.count)
  }

  /// ArgumentParser checks this itself only in debug builds; `make` compiles it as an optimized one.
  @Test("are declared without mistakes")
  func declarations() throws {
    var unchecked: [any ParsableCommand.Type] =
      CairnCommand.everything.subcommands + [CairnCommand.self]
    while let command = unchecked.popLast() {
      try command._validate(parent: nil)
      unchecked += command.configuration.subcommands
    }
  }
}
