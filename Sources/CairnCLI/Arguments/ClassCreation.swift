import ArgumentParser
import Cairn

/// Consent to creating classes for names that somebody typed.
struct ClassCreation: ParsableArguments {
  @Flag(help: "Create classes that do not exist yet.") var create = false

  /// Asks about the names that no class has, when there is somebody to ask.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` when there is nobody.
  func require(_ names: [String], in dataset: Dataset) throws {
    if try create || dataset.createsClasses() { return }
    let unknown = try dataset.unknownClasses(among: names)
    for name in unknown {
      let question = [name.sentence, name.suggestion, "Create “\(name.name)”?"].compactMap(\.self)
      guard let isAgreed = Console.ask(question.joined(separator: " ")) else {
        throw error(unknown)
      }
      if !isAgreed { throw CairnError.declined }
    }
  }

  private func error(_ unknown: [UnknownClass]) -> CairnError {
    let names = unknown.map { "“\($0.name)”" }.joined(separator: ", ")
    let message = unknown.count == 1 ? unknown[0].sentence : "There are no classes \(names)."
    let suggestions = unknown.compactMap(\.suggestion)
    let creation = "To create \(names): `\(ownCommandLine(adding: "--create"))`."
    return CairnError(
      .notFound, message, hint: (suggestions + [creation]).joined(separator: " "))
  }
}
