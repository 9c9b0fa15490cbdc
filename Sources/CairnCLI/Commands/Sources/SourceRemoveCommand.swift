import ArgumentParser
import Cairn

struct SourceRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a service's API key, URL and contact address.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn source remove flickr"))

  @Argument(help: "The service.") var source: ServiceArgument
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let name = try source.name()
    let dataset = try globals.dataset()
    let changed = try dataset.resetSource(name)
    let state = try? dataset.source(name)
    Console.print(globals, ["changed": .bool(changed), "source": .string(name.rawValue)]) {
      globals.print(
        changed ? "Removed the settings of \(name.title)." : "\(name.title) had no settings.")
      if let state, state.isOwnURL {
        let variable = name.variable("URL")
        Console.print(
          "Its URL is still \(state.url ?? ""), set by \(variable) or git's configuration."
        )
      }
      if case .variable(let variable)? = state?.key {
        Console.print("\(variable) still contains its API key.")
      }
    }
  }
}
