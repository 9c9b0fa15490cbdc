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

  /// The classes that stand, as a list shows them.
  var summary: String {
    resolution.compactMap { $0.state.mark($0.name, $0.confidence) }.joined(separator: ", ")
  }
}

extension Resolution.State {
  /// A class that may be there, as a list shows it: `hemlock`, `oak? 0.83`, `elm!`.
  func mark(_ name: String, _ confidence: Double) -> String? {
    switch self {
    case .confirmed: name
    case .predicted: "\(name)? \((confidence * 100).rounded() / 100)"
    case .disputed: "\(name)!"
    case .rejected, .open: nil
    }
  }
}

extension Photo {
  var rendered: JSON {
    [
      "bytes": JSON(image.bytes), "caption": .string(caption.value),
      "credit": credit?.value?.rendered ?? .null,
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
  /// - Parameter concluded: What a merge brought that git had begun.
  func rendered(_ concluded: News?) -> JSON {
    [
      "changes": .array(
        changes.map { ["change": .string($0.kind.rawValue), "path": .string($0.path.description)] }),
      "commit": JSON(commit?.description), "passedOver": JSON(passedOver),
      "problems": .array(problems.map(\.rendered)),
      "repairs": repairs.rendered(concluded),
    ]
  }
}

extension Amendment {
  var rendered: JSON { ["path": .string(path), "what": .string(reason.sentence)] }

  var line: String { Console.printable("\(reason.sentence): \(path)") }
}

extension LocalRepairs {
  /// - Parameter news: What the merge brought that was concluded.
  func print(_ news: News?) {
    if let concluded {
      Console.print(
        "Concluded the git merge that had stopped: "
          + "\(count(concluded.merge.joined.count, "document")) joined.")
      news?.print()
      concluded.merge.print()
      concluded.checkout.print()
    }
    for path in resolved { Console.print("  was in conflict, joined: \(Console.printable(path))") }
    for amendment in amended { Console.print("  " + amendment.line) }
  }

  func rendered(_ news: News?) -> JSON {
    var object: JSONObject = [
      "amended": .array(amended.map(\.rendered)), "resolved": strings(resolved),
    ]
    if let concluded {
      var merge = JSONObject(concluded.merge.members + concluded.checkout.members)
      for (key, value) in news?.rendered ?? [] { merge[key] = value }
      merge["commit"] = .string(concluded.commit.description)
      object["concluded"] = .object(merge)
    }
    return .object(object)
  }
}

private func strings(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }

private func tell(_ paths: [String], _ what: String) {
  for path in paths { Console.print("  \(what): \(Console.printable(path))") }
}

extension MergeReport {
  fileprivate var members: [(String, JSON)] {
    [
      ("amended", .array(amended.map(\.rendered))), ("broughtBack", strings(broughtBack)),
      ("joined", strings(joined)), ("kept", strings(kept)),
      ("problems", .array(broken.map(\.rendered))), ("replaced", strings(replaced)),
    ]
  }

  fileprivate func print() {
    tell(kept, "removed on one side and changed on the other, kept")
    tell(
      broughtBack.filter { $0.hasPrefix("p") },
      "pruned on one side and spoken of on the other, back as it was")
    for amendment in amended { Console.print("  " + amendment.line) }
    tell(replaced, "both sides changed it, the later version taken")
    for problem in broken { Console.print("  " + problem.line) }
  }
}

extension CheckoutReport {
  fileprivate var members: [(String, JSON)] {
    [
      ("came", changed.rendered), ("future", strings(future)),
      ("imagesMissing", JSON(imagesMissing)), ("joinedUncommitted", strings(joined)),
      ("left", strings(left)), ("broughtBackHere", strings(broughtBack.map(\.description))),
    ]
  }

  fileprivate func print() {
    tell(joined, "changed here and not committed, joined")
    tell(
      broughtBack.map(\.short),
      "pruned by others and labelled here, not committed; back as it was")
    tell(future, "its stamp lies far in the future; somebody's clock is wrong")
    tell(left, "changed here and not committed, left as it is")
    for problem in problems { Console.print("  " + problem.line) }
    if imagesMissing > 0 { Console.print("\(count(imagesMissing, "image")) not on this disk.") }
  }
}

extension PullReport {
  /// - Parameter concluded: What a merge brought that git had begun.
  func rendered(_ news: News, concluded: News?) -> JSON {
    var object = JSONObject(
      merge.members + checkout.members + news.rendered + images.members)
    object["commit"] = JSON(commit?.description)
    object["outcome"] = .string(outcome.rawValue)
    object["problems"] = .array((merge.broken + checkout.problems).map(\.rendered))
    object["remote"] = .string(remote)
    object["repairs"] = repairs.rendered(concluded)
    return .object(object)
  }

  func print(_ news: News, concluded: News?) {
    repairs.print(concluded)
    switch outcome {
    case .upToDate: Console.print("Nothing new at \(remote).")
    case .fastForward: Console.print("From \(remote): \(checkout.changed.text).")
    case .joined:
      Console.print("Joined with \(remote): \(checkout.changed.text) came from there.")
    }
    images.print()
    news.print()
    merge.print()
    checkout.print()
  }
}

/// Returns “1 image”, “2 images”.
func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

extension PushReport {
  var rendered: JSON {
    [
      "commit": .string(commit.description), "imageBytes": JSON(imageBytes),
      "images": JSON(images),
      "imagesLeft": JSON(imagesLeft), "new": .bool(isNew), "objects": JSON(objects),
      "remote": .string(remote), "said": .array(words.map { .string($0) }),
    ]
  }

  func print() {
    Console.print(
      isNew
        ? "Pushed to \(remote): \(objects) objects, \(images) image\(images == 1 ? "" : "s")."
        : "\(remote) has everything already.")
    if imagesLeft > 0 {
      Console.print(
        "\(count(imagesLeft, "image")) stayed here: `cairn images push` sends them.")
    }
    for line in words { Console.print("  \(remote) says: \(line)") }
  }
}
