import ArgumentParser

struct PinArgument: ParsableArguments {
  @Argument(help: "Its name, or a unique prefix of its id.") var pin: String
}
