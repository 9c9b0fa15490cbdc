import ArgumentParser
import Testing

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
}
