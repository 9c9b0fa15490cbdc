import Cairn
import CairnBase

// Commits, merges, checkouts, pulls and pushes, as JSON and as lines of text.

extension WorkingProblem {
  var rendered: JSON { ["path": .string(path), "problem": .string(message)] }

  var line: String {
    "\(Style.yellow("left out")) \(Console.printable("\(path): \(message)"))"
  }
}

extension [WorkingProblem] {
  /// Returns one line for each of the first problems, and a line that counts the others by kind.
  ///
  /// - Parameter all: The command that lists all problems.
  func lines(first limit: Int = 10, all: String) -> [String] {
    let lines = prefix(limit).map(\.line)
    if count <= limit { return lines }
    let names = dropFirst(limit).map(\.kind.rawValue)
    let counts = Dictionary(grouping: names) { $0 }.mapValues(\.count)
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) × \($0.key)" }
    return lines + [
      "… and \(count - limit) more (\(counts.joined(separator: ", "))): `\(all)` lists them all"
    ]
  }

  func print(first limit: Int = 10, all: String) {
    for line in lines(first: limit, all: all) { Console.print("  " + line) }
    if let image = first(where: { $0.kind == .imageOfNoPhoto })?.path {
      Console.hint(
        "At the top of the dataset, add the photo with `cairn photo add \(image)`, "
          + "or remove the file.")
    }
  }
}

extension CommitResult {
  /// - Parameter finishedMerge: The changes of a git merge that was finished.
  func rendered(_ finishedMerge: PullSummary?) -> JSON {
    [
      "changes": .array(
        changes.map {
          ["change": .string($0.kind.rawValue), "path": .string($0.path.description)]
        }),
      "commit": JSON(commit?.description), "uncheckedFiles": JSON(uncheckedFiles),
      "problems": .array(problems.map(\.rendered)),
      "repairs": repairs.rendered(finishedMerge),
    ]
  }
}

extension Fixup {
  var rendered: JSON { ["path": .string(path), "what": .string(reason.sentence)] }

  var line: String { Console.printable("\(reason.sentence): \(path)") }
}

/// Prints a line for each fixup, and one for each commit that removed everything.
func printFixups(_ fixups: [Fixup]) {
  var kept: [(commit: EmptyingCommit, files: Int)] = []
  var others: [Fixup] = []
  for fixup in fixups {
    guard case .emptied(let commit) = fixup.reason else {
      others.append(fixup)
      continue
    }
    if let known = kept.firstIndex(where: { $0.commit == commit }) {
      kept[known].files += 1
    } else {
      kept.append((commit, 1))
    }
  }
  for (commit, files) in kept {
    Console.print(
      "  removed with everything else by \(Console.printable(commit.text)), kept: "
        + "\(count(files, "file")) (perhaps a checkout had failed there)")
  }
  printFirst(others, \.line)
}

extension Repairs {
  /// - Parameter summary: The changes of a git merge that was finished.
  func print(_ summary: PullSummary?, _ globals: GlobalOptions) {
    if let finishedMerge {
      globals.print(
        "Finished the git merge that had stopped: "
          + "\(count(finishedMerge.merge.merged.count, "document")) merged.")
      if !globals.quiet { summary?.print() }
      finishedMerge.merge.print(globals)
      if !globals.quiet {
        printPaths(finishedMerge.staged, "not a document, took the staged version")
      }
      finishedMerge.checkout.print(globals)
    }
    autostash?.print(globals)
    if globals.quiet { return }
    printPaths(resolved, "was in conflict, merged")
    printFixups(fixups)
  }

  func rendered(_ summary: PullSummary?) -> JSON {
    var object: JSONObject = [
      "fixups": .array(fixups.map(\.rendered)), "resolved": strings(resolved),
    ]
    if let finishedMerge {
      var merge = JSONObject(finishedMerge.merge.members + finishedMerge.checkout.members)
      for (key, value) in summary?.rendered ?? [] { merge[key] = value }
      merge["commit"] = .string(finishedMerge.commit.description)
      merge["staged"] = strings(finishedMerge.staged)
      object["finishedMerge"] = .object(merge)
    }
    if let autostash {
      object["autostash"] = [
        "applied": strings(autostash.applied), "left": strings(autostash.left),
      ]
    }
    return .object(object)
  }
}

extension AppliedAutostash {
  fileprivate func print(_ globals: GlobalOptions) {
    if !globals.quiet {
      printPaths(applied, "not committed before the merge, stashed by git, applied again")
    }
    guard let path = left.first else { return }
    printPaths(left, "changed in the merge and in git's stash, left unchanged")
    let file = shellArgument(":/\(path)")
    Console.hint(
      "Everything that was stashed is in git's stash: `git diff stash -- \(file)` compares a file, "
        + "`git checkout stash -- \(file)` restores it.")
  }
}

private func strings(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }

private func printPaths(_ paths: [String], _ description: String) {
  printFirst(paths) { "\(description): \(Console.printable($0))" }
}

/// Prints a line for each of the first values, and a line that counts the others.
private func printFirst<Value>(_ values: [Value], _ line: (Value) -> String) {
  let shown = 10
  for value in values.prefix(shown) { Console.print("  " + line(value)) }
  if values.count > shown { Console.print("  … and \(values.count - shown) more") }
}

extension MergeReport {
  fileprivate var members: [(String, JSON)] {
    [
      ("fixups", .array(fixups.map(\.rendered))), ("restored", strings(restored)),
      ("merged", strings(merged)), ("kept", strings(kept)),
      ("problems", .array(broken.map(\.rendered))), ("replaced", strings(replaced)),
    ]
  }

  fileprivate func print(_ globals: GlobalOptions) {
    if !globals.quiet {
      printPaths(kept, "removed on one side and changed on the other, kept")
      printPaths(
        restored.filter { !$0.hasPrefix("labels/") && !$0.hasPrefix("images/") },
        "removed on one side and referred to on the other, restored")
      printFixups(fixups)
      printPaths(replaced, "changed on both sides, took the later version")
    }
    broken.print(all: "cairn verify")
  }
}

extension CheckoutReport {
  fileprivate var members: [(String, JSON)] {
    [
      ("checkedOut", changed.rendered), ("future", strings(future)),
      ("imagesMissing", JSON(imagesMissing)), ("joinedUncommitted", strings(merged)),
      ("remaining", strings(left)), ("restoredHere", strings(restored.map(\.description))),
    ]
  }

  fileprivate func print(_ globals: GlobalOptions) {
    if !globals.quiet {
      printPaths(merged, "not committed here, merged")
      printPaths(
        restored.map(\.short),
        "pruned by others, restored because of an uncommitted label here")
    }
    printPaths(future, "its stamp is far in the future; a device's clock is wrong")
    printPaths(left, "not committed here, left unchanged")
    problems.print(all: "cairn status --json")
    if imagesMissing > 0 { globals.print("\(count(imagesMissing, "image")) not on this disk.") }
  }
}

extension PullReport {
  /// - Parameter finishedMerge: The changes of a git merge that was finished.
  func rendered(_ summary: PullSummary, finishedMerge: PullSummary?) -> JSON {
    var object = JSONObject(
      merge.members + checkout.members + summary.rendered + images.members)
    object["commit"] = JSON(commit?.description)
    object["erasures"] = erasures.rendered
    if !redactions.isEmpty { object["redactions"] = .object(JSONObject(redactions.members)) }
    object["outcome"] = .string(outcome.rawValue)
    object["problems"] = .array((merge.broken + checkout.problems).map(\.rendered))
    object["remote"] = .string(remote)
    object["repairs"] = repairs.rendered(finishedMerge)
    return .object(object)
  }

  /// - Parameter finishedMerge: The changes of a git merge that was finished.
  func print(_ summary: PullSummary, finishedMerge: PullSummary?, _ globals: GlobalOptions) {
    repairs.print(finishedMerge, globals)
    switch outcome {
    case .upToDate: globals.print("Nothing new on \(remote).")
    case .fastForward: globals.print("From \(remote): \(checkout.changed.text).")
    case .merged:
      globals.print("Merged with \(remote): received \(checkout.changed.text).")
    }
    images.print(globals)
    if !globals.quiet { summary.print() }
    merge.print(globals)
    checkout.print(globals)
    erasures.print(globals)
    if !redactions.isEmpty {
      redactions.print(globals)
      Console.hint(
        "`git gc --prune=now`, while no other program uses this copy, deletes the old objects from "
          + "this disk.")
    }
  }
}

extension PushReport {
  var rendered: JSON {
    var object = pushed.object ?? [:]
    if replacesHistory { object["replacedHistory"] = true }
    return .object(object)
  }

  private var pushed: JSON {
    [
      "commit": .string(commit.description), "erasures": .array(erasures.map(\.rendered)),
      "imageBytes": JSON(imageBytes),
      "images": JSON(images),
      "imagesLeft": JSON(imagesLeft), "new": .bool(isNew), "objects": JSON(objects),
      "remote": .string(remote), "messages": .array(messages.map { .string($0) }),
    ]
  }

  func print(_ globals: GlobalOptions) {
    globals.print(
      isNew
        ? "Pushed to \(remote): \(objects) objects, \(images) image\(images == 1 ? "" : "s")."
        : "\(remote) already has all commits.")
    if imagesLeft > 0 {
      let them = imagesLeft == 1 ? "it" : "them"
      Console.print(
        leavesImages
          ? "\(count(imagesLeft, "image")) not pushed: `cairn images push` uploads them."
          : "\(count(imagesLeft, "image")) not pushed: neither this copy nor \(remote) has \(them)."
      )
    }
    for line in messages { Console.print("  \(remote): \(line)") }
    if replacesHistory {
      Console.print(
        "The history of \(remote) had erased facts and was replaced. Anyone who uses plain git runs "
          + "`git pull --rebase` once. Old objects stay there until they are pruned.")
    }
    erasures.print(globals)
  }
}
