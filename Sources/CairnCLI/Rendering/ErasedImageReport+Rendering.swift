import Cairn

extension ErasedImageReport {
  var rendered: JSON {
    var object = searchedImages.object ?? [:]
    object["facts"] = facts?.rendered
    return .object(object)
  }

  private var searchedImages: JSON {
    [
      "files": JSON(files),
      "findings": .array(
        findings.map {
          [
            "path": .string($0.path), "photo": .string($0.photo.description),
            "kind": .string($0.kind.rawValue), "remedy": .string($0.remedy),
          ]
        }), "images": JSON(images), "objects": JSON(objects),
      "unreached": .array(unreached.map(\.rendered)),
    ]
  }

  func print(_ globals: GlobalOptions) {
    for finding in findings {
      Console.print(
        "\(Style.red("found")) \(finding.photo.short) in "
          + Console.printable("\(finding.kind.text) \(finding.path)"))
    }
    var seen = Set<String>()
    for finding in findings where seen.insert(finding.remedy).inserted {
      Console.hint(finding.remedy)
    }
    for store in unreached {
      let reason = store.failure.map { CairnError($0).message } ?? "unknown error"
      Console.note(
        Console.printable("\(store.remote) (\(store.address)) could not be searched: \(reason)"))
    }
    let searched = "\(count(files, "file")) and \(count(objects, "git object")) searched"
    facts?.print(globals)
    if images == 0, facts != nil { return }
    globals.print(
      "\(count(images, "erased image")): \(searched), "
        + (findings.isEmpty ? "nothing found." : "\(findings.count) found."))
  }
}

extension ErasedImageReport.Finding.Kind {
  fileprivate var text: String {
    switch self {
    case .file: "the file"
    case .object: "the git object"
    case .store: "the image store"
    case .cache: "the cache"
    case .remote: "the remote store"
    }
  }
}

extension RemainingFacts {
  fileprivate var rendered: JSON {
    [
      "commits": JSON(commits), "files": .array(files.map { .string($0) }),
      "locatedImages": .array(locatedImages.map { .string($0.description) }),
      "objects": JSON(objects), "reachable": .bool(isReachable), "subjects": JSON(subjects),
      "unreadable": .array(unreadable.map { .string($0) }),
    ]
  }

  fileprivate func print(_ globals: GlobalOptions) {
    for file in files {
      Console.print("\(Style.red("found")) erased facts in the file \(Console.printable(file))")
    }
    if commits > 0 || objects > 0 {
      Console.print(
        "\(Style.red("found")) erased facts in \(count(objects, "git object")) and "
          + "\(count(commits, "commit"))")
      Console.hint(
        isReachable
          ? "`cairn sync` rewrites the history."
          : "No ref names them. `git gc --prune=now`, while no other program uses this copy, deletes "
            + "them.")
    }
    if !files.isEmpty {
      Console.hint(
        "`cairn commit` erases the facts from documents, reflogs and messages, in another work tree if "
          + "it runs there. Of these files, those in `.git/cairn` can be deleted; `cairn undo` then cannot "
          + "undo what they record.")
    }
    for name in unreadable {
      Console.print(
        "\(Style.red("not searched")): \(Console.printable(name)), which cannot be read")
    }
    for photo in locatedImages {
      Console.print(
        "\(Style.red("found")) the erased location of photo \(photo.short) in its image")
    }
    if let photo = locatedImages.first {
      Console.hint("`cairn photo erase \(photo.short)` deletes the image.")
    }
    if isClean {
      globals.print("Facts erased from the history: nothing found in this copy.")
    }
  }
}
