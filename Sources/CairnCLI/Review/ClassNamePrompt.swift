import Cairn

/// Asks for the name of a class, and what an unknown name means.
struct ClassNamePrompt {
  let dataset: Dataset
  let ui: any ReviewUI

  enum Answer {
    /// A class was named; an unknown one would be created.
    case named(String, isKnown: Bool)
    case cancelled
    /// Another answer, such as the end of the session.
    case other(ReviewAnswer)
  }

  func read() throws -> Answer {
    let classes = try dataset.classCompletion()
    let answer = ui.name(complete: classes.candidates)
    guard case .text(let text) = answer else { return .other(answer) }
    let name = text.split(separator: " ").joined(separator: " ")
    if name.isEmpty { return .cancelled }
    do throws(CairnError) {
      _ = try dataset.classKey(name)
      return .named(name, isKnown: true)
    } catch {
      guard error.kind == .notFound else {
        Console.print("  " + error.message)
        return .cancelled
      }
      return meaning(ofUnknown: name, classes.candidates(name))
    }
  }

  /// A unique prefix of a name probably means that name, but the person is asked to make sure.
  private func meaning(ofUnknown name: String, _ candidates: [String]) -> Answer {
    if candidates.count == 1 {
      let answer = ui.confirmation(
        "There is no class “\(name)”. Did you mean “\(candidates[0])”?")
      if case .yes = answer { return .named(candidates[0], isKnown: true) }
      guard case .no = answer else { return .other(answer) }
    }
    if ClassKey(naming: name) != nil { return .named(name, isKnown: false) }
    Console.print("  “\(name)” cannot be the name of a class.")
    return .cancelled
  }
}
