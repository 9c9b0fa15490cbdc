import ArgumentParser
import Cairn

extension PhotoFetchReport {
  /// Prints the report, and throws the exit code of its error, if any.
  ///
  /// - Parameters:
  ///   - wanted: The requested number of photos; nil for all.
  ///   - isNewCollection: Whether the photos were meant to replace those of the pin.
  func finish(
    _ globals: GlobalOptions, wanted: Int?, isNewCollection: Bool = false
  ) throws {
    Console.print(globals, rendered) {
      print(globals, wanted: wanted)
      if isNewCollection, removed.isEmpty { Console.print("The pin keeps its previous photos.") }
    }
    try SignalHandling.end()
    guard let failure else { return }
    if !globals.json {
      Console.note(Console.printable(failure.message))
      if let hint = failure.hint { Console.hint(hint) }
    }
    throw ExitCode(failure.kind.exitCode)
  }

  private func print(_ globals: GlobalOptions, wanted: Int?) {
    for fetched in added {
      var line = "added \(fetched.id.short) \(Console.printable(fetched.name))"
      if let author = fetched.author { line += ", by \(Console.printable(author))" }
      if let license = fetched.license { line += " (\(Console.printable(license)))" }
      globals.print(line)
      if let note = fetched.note {
        Console.print("\(Style.yellow("no label")): \(Console.printable(note))")
      }
    }
    for note in notes {
      Console.print("\(Style.yellow("note")): \(Console.printable(note.message))")
    }
    for id in removed { globals.print("removed \(id.short)") }
    for failure in failed {
      Console.print("\(Style.red("not added")): \(Console.printable(failure.message))")
    }
    var parts = ["\(count(added.count, "photo")) added"]
    if !removed.isEmpty { parts.append("\(removed.count) removed") }
    if known > 0 { parts.append("\(known) already known") }
    if !failed.isEmpty { parts.append("\(failed.count) failed") }
    globals.print(parts.joined(separator: ", ") + ".")
    let types = SkippedTypes(skipped)
    if types.total > 0 { Console.print("\(count(types.total, "file")) skipped: \(types.text).") }
    guard failure == nil, added.count < wanted ?? .max else { return }
    let fetched = wanted.map { ": \(added.count) of \($0) fetched" } ?? ""
    if hasGivenUp {
      Console.print(
        "The search was stopped, because its last results contained nothing new\(fetched).")
    } else if wanted != nil {
      Console.print("The source has no more photos\(fetched).")
    }
  }

  var rendered: JSON {
    [
      "added": .array(added.map(\.json)),
      "failed": .array(
        failed.map {
          [
            "message": .string($0.message), "url": JSON($0.address.map(WebLocation.withoutSecrets)),
          ]
        }),
      "givenUp": .bool(hasGivenUp), "known": JSON(known),
      "notes": .array(notes.map { .string($0.message) }),
      "removed": .array(removed.map { .string($0.description) }),
      "skipped": SkippedTypes(skipped).rendered,
      "failure": failure.map { .string($0.message) } ?? .null,
    ]
  }
}

extension Credit {
  var rendered: JSON {
    [
      "author": JSON(author), "licence": JSON(license), "page": JSON(page),
      "place": location?.json ?? .null, "taken": JSON(taken?.description),
      "service": JSON(service), "title": JSON(title), "url": JSON(url),
    ]
  }

  /// The title, author and license, then the source and its page.
  var lines: [String] {
    var first = title.map { "“\($0)”" } ?? ""
    if let author { first += (first.isEmpty ? "by " : ", by ") + author }
    if let license { first += (first.isEmpty ? "" : ", ") + license }
    let address = page ?? url
    let from = service.map { SourceName(rawValue: $0)?.title ?? $0 }
    let second = [from.map { "from \($0)" }, address].compactMap { $0 }.joined(separator: ": ")
    return ([first, second].filter { !$0.isEmpty } + capture).map(Console.printable)
  }

  /// When and where the photo was taken according to its source, one fact per line.
  private var capture: [String] {
    let source = service.map { SourceName(rawValue: $0)?.title ?? $0 } ?? "its source"
    var lines: [String] = []
    if let taken {
      let text = taken.description.map { $0 == "T" ? " " : $0 }
      lines.append("taken \(String(text)) according to \(source)")
    }
    if let location {
      let (latitude, longitude) = (location.coordinate.latitude, location.coordinate.longitude)
      var line = location.isObscured ? "near" : "at"
      line += " \(latitude), \(longitude) according to \(source)"
      if location.isObscured { line += ", which hides the exact location" }
      if let accuracy = location.accuracy {
        line += ", accurate to \(Int(min(accuracy, 1e9).rounded())) m"
      }
      if let level = location.level { line += ", placed at map level \(level) of 16" }
      lines.append(line)
    }
    return lines
  }
}
