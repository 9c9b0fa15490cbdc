import ArgumentParser

struct RunArgument: ParsableArguments {
  @Argument(help: "A unique prefix of the run's id.") var run: String
}
