import ArgumentParser

struct ClassArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("Its name or key.", valueName: "class")) var className: String
}
