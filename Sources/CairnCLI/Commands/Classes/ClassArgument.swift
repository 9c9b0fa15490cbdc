import ArgumentParser

struct ClassArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The class's name, alias or key.", valueName: "class"))
  var className: String
}
