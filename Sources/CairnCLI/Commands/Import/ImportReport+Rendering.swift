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
    var parts: [String] = []
    if !added.isEmpty { parts.append("\(isDryRun ? "add" : "added") \(added.text)") }
    if !changed.isEmpty { parts.append("\(isDryRun ? "change" : "changed") \(changed.text)") }
    if !created.isEmpty {
      let classes = "\(created.count) class\(created.count == 1 ? "" : "es")"
      parts.append("\(isDryRun ? "create" : "created") \(classes)")
    }
    if known > 0 {
      parts.append("\(isDryRun ? "leave" : "left") \(count(known, "document")) unchanged")
    }
    if parts.isEmpty { return "Nothing to import." }
    let text = (isDryRun ? "Would " : "") + parts.joined(separator: "; ")
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
