import ArgumentParser

struct PinArgument: ParsableArguments {
  @Argument(help: "The pin's name, or a unique prefix of its id.") var pin: String
}
