import ArgumentParser
import Cairn

/// The name of a source on the command line.
struct SourceArgument: ExpressibleByArgument {
  let name: SourceName

  init?(argument: String) {
    guard let name = SourceName(rawValue: argument.lowercased()) else { return nil }
    self.name = name
  }

  static var allValueStrings: [String] { SourceName.allCases.map(\.rawValue) }
}
