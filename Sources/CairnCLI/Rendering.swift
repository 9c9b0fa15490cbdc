import Cairn

// How the values of the library look, for programs (JSON) and for people (lines).

extension Label {
  var rendered: JSON {
    var object = json.object ?? [:]
    object["kind"] = nil
    object["photo"] = nil
    return .object(object)
  }
}

extension Resolution {
  var rendered: JSON {
    [
      "because": .string(because), "class": .string(classKey.text), "confidence": JSON(confidence),
      "state": .string(state.rawValue),
    ]
  }

  var color: Style {
    switch state {
    case .confirmed: .green
    case .rejected: .dim
    case .predicted: .cyan
    case .disputed: .red
    case .open: .yellow
    }
  }

  var line: String {
    "\(color(state.rawValue)) \(Style.bold(Console.printable(name))): \(Console.printable(because))"
  }
}

extension PhotoRecord {
  var rendered: JSON {
    var object: JSONObject = [
      "labels": .array(labels.map(\.rendered)), "photo": photo.rendered,
      "resolution": .array(resolution.map(\.rendered)),
      "visible": .bool(visibility.isInView),
    ]
    if case .broughtBack(let annotator) = visibility {
      object["broughtBackBy"] = .string(annotator.description)
    }
    return .object(object)
  }

  /// The classes that stand, as a list shows them: `hemlock, ?oak, !elm`.
  var summary: String {
    resolution.compactMap { resolution in
      switch resolution.state {
      case .confirmed: resolution.name
      case .predicted: "\(resolution.name)?"
      case .disputed: "\(resolution.name)!"
      case .rejected, .open: nil
      }
    }.joined(separator: ", ")
  }
}

extension Photo {
  var rendered: JSON {
    [
      "bytes": JSON(image.bytes), "caption": .string(caption.value),
      "format": .string(image.format.rawValue), "height": JSON(image.height),
      "id": .string(id.description),
      "path": .string(DocumentPath.image(id, image.format).description),
      "pin": JSON(pin.value?.text), "removed": .bool(removed.value),
      "source": .string(source.value), "title": .string(title.value), "width": JSON(image.width),
    ]
  }
}

extension Pin {
  func rendered(photos: Int? = nil) -> JSON {
    var object: JSONObject = [
      "id": .string(id.text), "latitude": JSON(location.value.latitude),
      "longitude": JSON(location.value.longitude), "name": .string(name.value),
      "removed": .bool(removed.value),
    ]
    object["photos"] = photos.map { JSON($0) }
    return .object(object)
  }
}

extension [DocumentKind: Int] {
  var rendered: JSON {
    .object(JSONObject(map { ($0.key.rawValue, JSON($0.value)) }))
  }

  /// `2 photos, 5 labels`; “nothing” when empty.
  var text: String {
    let parts = DocumentKind.allCases.compactMap { kind in
      self[kind].map { ChangeSummary.count($0, kind) }
    }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }
}

extension WorkingProblem {
  var rendered: JSON { ["path": .string(path), "problem": .string(reason.sentence)] }

  var line: String {
    "\(Style.yellow("left out")) \(Console.printable("\(path): \(reason.sentence)"))"
  }
}

extension CommitResult {
  var rendered: JSON {
    [
      "amended": .array(repairs.amended.map(\.rendered)),
      "changes": .array(
        changes.map { ["change": .string($0.kind.rawValue), "path": .string($0.path.description)] }),
      "commit": JSON(commit?.description), "finishedMerge": .bool(repairs.finishedMerge != nil),
      "problems": .array(problems.map(\.rendered)),
    ]
  }
}

extension Amendment {
  var rendered: JSON { ["path": .string(path), "what": .string(reason.sentence)] }

  var line: String { Console.printable("\(reason.sentence): \(path)") }
}

extension LocalRepairs {
  func print() {
    if let merge = finishedMerge {
      Console.print(
        "Concluded the git merge that had stopped: \(count(merge.joined.count, "document")) joined."
      )
      for amendment in merge.amended { Console.print("  " + amendment.line) }
    }
    for path in resolved { Console.print("  was in conflict, joined: \(Console.printable(path))") }
    for amendment in amended { Console.print("  " + amendment.line) }
  }
}

extension PullReport {
  func rendered(_ news: News) -> JSON {
    var object = rendered.object ?? [:]
    for (key, value) in news.rendered { object[key] = value }
    return .object(object)
  }

  private var rendered: JSON {
    let strings = { (texts: [String]) in JSON.array(texts.map { JSON.string($0) }) }
    return [
      "amended": .array((repairs.amended + merge.amended).map(\.rendered)),
      "broughtBack": strings(merge.broughtBack), "came": checkout.changed.rendered,
      "commit": JSON(commit?.description),
      "images": JSON(images), "imagesMissing": JSON(checkout.imagesMissing),
      "joined": strings(merge.joined), "joinedUncommitted": strings(checkout.joined),
      "kept": strings(merge.kept), "left": strings(checkout.left),
      "outcome": .string(outcome.rawValue),
      "problems": .array((merge.broken + checkout.problems).map(\.rendered)),
      "finishedMerge": .bool(repairs.finishedMerge != nil),
      "future": strings(checkout.future), "remote": .string(remote),
      "replaced": strings(merge.replaced),
    ]
  }

  func print(_ news: News) {
    repairs.print()
    switch outcome {
    case .upToDate: Console.print("Nothing new at \(remote).")
    case .fastForward: Console.print("From \(remote): \(checkout.changed.text).")
    case .joined:
      Console.print("Joined with \(remote): \(checkout.changed.text) came from there.")
    }
    if images > 0 { Console.print("\(images) image\(images == 1 ? "" : "s") received.") }
    func tell(_ paths: [String], _ what: String) {
      for path in paths { Console.print("  \(what): \(Console.printable(path))") }
    }
    news.print()
    tell(checkout.joined, "changed here and not committed, joined")
    tell(merge.kept, "removed on one side and changed on the other, kept")
    tell(
      merge.broughtBack.filter { $0.hasPrefix("photos/") },
      "pruned on one side and spoken of on the other, back as it was")
    for amendment in merge.amended { Console.print("  " + amendment.line) }
    tell(merge.replaced, "both sides changed it, the later version taken")
    tell(checkout.future, "its stamp lies far in the future; somebody's clock is wrong")
    tell(checkout.left, "changed here and not committed, left as it is")
    for problem in merge.broken + checkout.problems { Console.print("  " + problem.line) }
    if checkout.imagesMissing > 0 {
      Console.print("\(count(checkout.imagesMissing, "image")) not on this disk.")
    }
  }
}

/// Returns “1 image”, “2 images”.
func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

extension PushReport {
  var rendered: JSON {
    [
      "commit": .string(commit.description), "images": JSON(images), "new": .bool(isNew),
      "objects": JSON(objects), "remote": .string(remote),
    ]
  }

  func print() {
    Console.print(
      isNew
        ? "Pushed to \(remote): \(objects) objects, \(images) image\(images == 1 ? "" : "s")."
        : "\(remote) has everything already.")
  }
}
