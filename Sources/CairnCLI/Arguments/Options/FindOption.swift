import ArgumentParser
import Cairn

/// Parses a query that a person typed; paths in it are relative to the current directory.
func photoQuery(_ text: String) throws(CairnError) -> PhotoQuery {
  try PhotoQuery(text, in: currentDirectory())
}

/// The option of commands that take the photos of a query.
struct FindOption: ParsableArguments {
  @Option(name: FindOption.name, parsing: .unconditional, help: FindOption.help)
  private var text: String?

  static let name: NameSpecification = .customLong("find")
  static let help = ArgumentHelp("Photos matching this query.", valueName: "query")

  var isGiven: Bool { text != nil }

  /// The query as it was typed.
  var queryText: String? { text }

  /// Returns the query; nil if the option is not given.
  ///
  /// - Throws: ``CairnError/Kind/invalidInput`` when it is empty.
  func query() throws -> PhotoQuery? { try text.map { try photoQuery($0).selecting() } }
}
