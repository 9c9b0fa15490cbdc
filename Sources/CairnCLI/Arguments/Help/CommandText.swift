import ArgumentParser

/// The name and the help text of a command that has a second name below `cairn photo`.
protocol CommandText {
  static var configuration: CommandConfiguration { get }
}
