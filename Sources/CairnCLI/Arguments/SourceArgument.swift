import ArgumentParser
import Cairn

/// The name of a source on the command line.
struct SourceArgument: ExpressibleByArgument {
  private let text: String

  init(argument: String) { text = argument }

  /// Returns the source.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` if there is no source with this name.
  func name() throws(CairnError) -> SourceName {
    guard let name = SourceName(rawValue: text.lowercased()) else {
      throw CairnError(
        .notFound, "There is no source “\(text)”.",
        hint: "Use one of \(SourceArgument.allValueStrings.joined(separator: ", ")).")
    }
    return name
  }

  static var allValueStrings: [String] { SourceName.allCases.map(\.rawValue) }
}

/// The name of a source that is a service, on the command line.
struct ServiceArgument: ExpressibleByArgument {
  private let source: SourceArgument

  init(argument: String) { source = SourceArgument(argument: argument) }

  /// Returns the source, which may be another one: the command reports that it has no settings.
  func name() throws(CairnError) -> SourceName { try source.name() }

  static var allValueStrings: [String] {
    SourceName.allCases.filter { $0.url != nil }.map(\.rawValue)
  }
}
