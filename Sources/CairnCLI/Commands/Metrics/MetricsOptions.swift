import ArgumentParser
import Cairn

/// The options that select the photos and classes to measure.
struct MetricsOptions: ParsableArguments {
  @Option(
    name: .customLong("class"),
    help: ArgumentHelp("Only this class. Can be repeated.", valueName: "class"))
  var classNames: [String] = []
  @OptionGroup var find: FindOption

  func scope() throws -> MetricsScope {
    var scope = MetricsScope()
    if let query = try find.query() { scope.query = query }
    scope.classNames = classNames
    return scope
  }
}
