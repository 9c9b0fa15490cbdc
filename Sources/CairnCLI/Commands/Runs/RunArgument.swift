import ArgumentParser

struct RunArgument: ParsableArguments {
  @Argument(help: "A unique prefix of its id.") var run: String
}
