import ArgumentParser
import Cairn

/// The options that select the photos and classes to measure.
struct MetricsOptions: ParsableArguments {
  @Option(
    name: .customLong("class"),
    help: ArgumentHelp("Only this class. Can be repeated.", valueName: "class"))
  var classNames: [String] = []
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only photos matching this query.", valueName: "query"))
  var find: String?

  func scope() throws -> MetricsScope {
    var scope = MetricsScope()
    if let find { scope.query = try photoQuery(find) }
    scope.classNames = classNames
    return scope
  }
}
