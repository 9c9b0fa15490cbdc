import ArgumentParser
import Cairn
import CairnBase

struct Why: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Explain why a photo has (or lacks) a class.",
    discussion: HelpText.paragraphs(
      """
      For each class, shows the resolution and its reason, then every label with its annotator,
      date, run and commit, and whether it counts. If people disagree under the policy dawid-skene,
      also shows the probability of each answer and each person's estimated error rates.

      EXAMPLES
        cairn why 3fa9
        cairn why 3fa9 "Scots pine"
      """))

  @Argument(help: "A unique prefix of the photo's id, or its file: a path or the original name.")
  var photo: String
  @Argument(help: "Explain only this class.") var className: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let id = try dataset.photoID(photo, relativeTo: currentDirectory())
    let explanation = try dataset.why(id, className: className)
    Console.print(globals, explanation.rendered) { explanation.print() }
  }
}

extension Explanation {
  var rendered: JSON {
    [
      "classes": .array(
        classes.map { resolution in
          var object = resolution.rendered.object ?? [:]
          object["estimate"] = weights(of: resolution.classKey)?.json
          object["evidence"] = .array(resolution.evidence.map(rendered))
          return .object(object)
        }), "photo": .string(record.photo.id.description),
      "visible": .bool(record.visibility.isVisible),
    ]
  }

  private func rendered(_ evidence: Evidence) -> JSON {
    [
      "annotator": .string(evidence.annotator.description),
      "reason": .string(reason(evidence)),
      "commit": origins[evidence.label.name]?.rendered ?? .null,
      "counts": .bool(evidence.status.counts), "label": evidence.label.rendered,
      "status": .string(evidence.status.code),
    ]
  }

  fileprivate func print() {
    Console.print("\(Style.bold(Console.printable(record.name)))  \(record.photo.id.short)")
    if !record.visibility.isVisible {
      Console.print(Style.yellow("removed") + "; `cairn photo restore` restores it")
    }
    if classes.isEmpty { Console.print("No labels yet.") }
    for resolution in classes {
      Console.print()
      Console.print(resolution.sentence)
      let rows = resolution.evidence.map { row($0, of: resolution) }
      for line in Console.table(rows.map { $0.map(Console.printable) }) {
        Console.print("  " + line)
      }
      if let weights = weights(of: resolution.classKey) {
        Console.print(weights.text(name(of:)))
      }
    }
  }

  private func row(_ evidence: Evidence, of resolution: Resolution) -> [String] {
    let label = evidence.label
    var verdict = label.verdict.rawValue
    if let region = label.region { verdict += " " + region.phrase }
    if label.classKey != resolution.classKey { verdict += " as “\(label.classKey)”" }
    let isPlain = label.annotator.isHuman && label.confidence == 1
    let address =
      label.annotator == evidence.annotator ? "" : " (\(label.annotator.identity))"
    return [
      evidence.annotator.identity + address, verdict, isPlain ? "" : label.exactConfidence.text,
      label.run.map { "run \($0.text.prefix(8))" } ?? "",
      label.stamp.isTimeless
        ? origins[label.name].map { localTime(milliseconds: $0.time) } ?? ""
        : localTime(label.stamp),
      origins[label.name].map { String($0.commit.prefix(10)) } ?? "not committed",
      reason(evidence),
    ]
  }
}

extension Explanation.Origin {
  fileprivate var rendered: JSON {
    [
      "author": .string(author), "email": .string(email), "id": .string(commit),
      "summary": .string(summary), "time": .string(RFC3339.text(milliseconds: time)),
    ]
  }
}

extension Resolution {
  /// `“Scots pine” is confirmed: labeled present by ann@x and bob@x.`
  fileprivate var sentence: String {
    let verb = color("is \(state.rawValue)")
    return "“\(Style.bold(Console.printable(name)))” \(verb): \(Console.printable(reason.text))."
  }
}
