import Cairn

// New names become classes only if the person says so.

extension LabelCommand {
  /// Asks on the terminal whether to create the classes that do not exist.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` if there is no terminal,
  ///   ``CairnError/Kind/unconfirmed`` if the answer is no.
  func requireClasses(_ names: [String], in dataset: Dataset) throws {
    if try create || dataset.createsClasses() { return }
    let unknown = try dataset.unknownClasses(among: names)
    for name in unknown {
      let question = [name.sentence, name.suggestion, "Create “\(name.name)”?"].compactMap(\.self)
      guard let isAgreed = Console.ask(question.joined(separator: " ")) else {
        throw unknownClassError(unknown)
      }
      if !isAgreed { throw CairnError.declined }
    }
  }

  private func unknownClassError(_ unknown: [UnknownClass]) -> CairnError {
    let names = unknown.map { "“\($0.name)”" }.joined(separator: ", ")
    let message = unknown.count == 1 ? unknown[0].sentence : "There are no classes \(names)."
    let suggestions = unknown.compactMap(\.suggestion)
    let creation = "To create \(names): `\(ownCommandLine(adding: "--create"))`."
    return CairnError(
      .notFound, message, hint: (suggestions + [creation]).joined(separator: " "))
  }
}
