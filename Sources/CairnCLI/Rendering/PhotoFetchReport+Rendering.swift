import ArgumentParser
import Cairn

extension PhotoFetchReport {
  /// Prints what came, and ends with the code of what went wrong.
  ///
  /// - Parameter isNewCollection: Whether they were to take the place of what the pin had.
  func tell(_ globals: GlobalOptions, wanted: Int?, isNewCollection: Bool = false) throws {
    Console.print(globals, rendered) {
      print(wanted: wanted)
      if isNewCollection, removed.isEmpty { Console.print("What the pin had before stays.") }
    }
    try SignalHandling.end()
    guard let trouble else { return }
    if !globals.json {
      Console.note(Console.printable(trouble.message))
      if let hint = trouble.hint { Console.hint(hint) }
    }
    throw ExitCode(trouble.kind.exitCode)
  }

  private func print(wanted: Int?) {
    for arrival in added {
      let photo = arrival.photo
      var line = "added \(arrival.id.short) \(Console.printable(photo.name))"
      if let author = photo.author { line += ", by \(Console.printable(author))" }
      if let licence = photo.licence?.text { line += " (\(Console.printable(licence)))" }
      Console.print(line)
      if let note = arrival.note {
        Console.print("\(Style.yellow("no label")): \(Console.printable(note))")
      }
    }
    for id in removed { Console.print("removed \(id.short)") }
    for failure in failed {
      Console.print("\(Style.red("not added")): \(Console.printable(failure.message))")
    }
    var parts = ["\(count(added.count, "photo")) added"]
    if !removed.isEmpty { parts.append("\(removed.count) removed") }
    if known > 0 { parts.append("\(known) known already") }
    if !failed.isEmpty { parts.append("\(failed.count) failed") }
    Console.print(parts.joined(separator: ", ") + ".")
    if let wanted, added.count < wanted, trouble == nil {
      Console.print("The source has no others: \(added.count) of \(wanted) are here.")
    }
  }

  var rendered: JSON {
    [
      "added": .array(added.map(\.rendered)),
      "failed": .array(
        failed.map {
          [
            "message": .string($0.message), "url": JSON($0.address.map(WebLocation.withoutSecrets)),
          ]
        }),
      "known": JSON(known),
      "removed": .array(removed.map { .string($0.description) }),
      "trouble": trouble.map { .string($0.message) } ?? .null,
    ]
  }
}

extension PhotoFetchReport.Arrival {
  fileprivate var rendered: JSON {
    [
      "author": JSON(photo.author), "classes": .array(classes.map { .string($0) }),
      "id": .string(id.description), "note": JSON(note),
      "latitude": photo.position.map { JSON($0.latitude) } ?? .null,
      "licence": JSON(photo.licence?.text), "licenceURL": JSON(photo.licence?.url),
      "longitude": photo.position.map { JSON($0.longitude) } ?? .null,
      "page": JSON(photo.page.map(WebLocation.withoutSecrets)), "sourceID": .string(photo.id),
      "taken": JSON(photo.taken?.description), "title": JSON(photo.title),
      "url": JSON((photo.original ?? photo.address).map(WebLocation.withoutSecrets)),
    ]
  }
}

extension Credit {
  var rendered: JSON {
    [
      "author": JSON(author), "licence": JSON(licence), "page": JSON(page),
      "service": JSON(service), "title": JSON(title), "url": JSON(url),
    ]
  }

  /// What people are shown: who made it, under which licence, and where it came from.
  var lines: [String] {
    var first = title.map { "“\($0)”" } ?? ""
    if let author { first += (first.isEmpty ? "by " : ", by ") + author }
    if let licence { first += (first.isEmpty ? "" : ", ") + licence }
    let place = page ?? url
    let from = service.map { SourceName(rawValue: $0)?.title ?? $0 }
    let second = [from.map { "from \($0)" }, place].compactMap { $0 }.joined(separator: ": ")
    return [first, second].filter { !$0.isEmpty }.map(Console.printable)
  }
}
