import Cairn

extension ImportReport {
  /// The invalid lines, each with its reason.
  var problemLines: [String] {
    var lines = problems.map { "line \($0.line): \(Console.printable($0.message))" }
    if problemCount > problems.count { lines.append("… and \(problemCount - problems.count) more") }
    return lines
  }

  func print(isDryRun: Bool, isRefused: Bool, _ globals: GlobalOptions) {
    if isRefused { return }
    if let commit = before?.commit {
      globals.print("Committed the uncommitted changes first: \(commit.short).")
    }
    for line in problemLines { Console.print("\(Style.yellow("skipped")) \(line)") }
    if manifests > 0 { Console.print("Skipped \(count(manifests, "manifest")).") }
    for line in future {
      Console.print(
        "line \(line): its stamp is far in the future; a device's clock is wrong")
    }
    if isDryRun || !globals.quiet { Console.print(sentence(isDryRun: isDryRun)) }
    for path in checkout.left {
      Console.print("  not committed here, left unchanged: \(Console.printable(path))")
    }
    if let commit { globals.print("Commit \(commit.short).") }
  }

  /// What was imported, or would be.
  private func sentence(isDryRun: Bool) -> String {
    let would = isDryRun ? "Would " : ""
    var parts: [String] = []
    if !added.isEmpty { parts.append("add \(added.text)") }
    if !changed.isEmpty { parts.append("change \(changed.text)") }
    if !created.isEmpty {
      parts.append("create \(created.count) class\(created.count == 1 ? "" : "es")")
    }
    if known > 0 { parts.append("leave \(count(known, "document")) unchanged") }
    if parts.isEmpty { return "Nothing to import." }
    let text = would + parts.joined(separator: "; ")
    return text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  func rendered(isRefused: Bool, isDryRun: Bool) -> JSON {
    [
      "added": added.rendered, "changed": changed.rendered,
      "created": .array(created.map { .string($0.text) }), "commit": JSON(commit?.description),
      "committedBefore": JSON(before?.commit?.description), "dryRun": .bool(isDryRun),
      "future": .array(future.map { JSON($0) }), "images": JSON(images), "known": JSON(known),
      "manifests": JSON(manifests), "problemCount": JSON(problemCount),
      "problems": .array(
        problems.map { ["line": JSON($0.line), "message": .string($0.message)] }),
      "refused": .bool(isRefused), "remaining": .array(checkout.left.map { .string($0) }),
    ]
  }
}
