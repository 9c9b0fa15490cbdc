internal import CairnDocument
internal import CairnFormats
internal import CairnSync

// What `print` shows of a result: one line.

extension CommitResult: CustomStringConvertible {
  public var description: String {
    guard let commit else { return "nothing to commit" + leftOut(problems.count) }
    let counts = Dictionary(grouping: changes.compactMap(\.path.kind)) { $0 }.mapValues(\.count)
    return "committed \(text(counts)) as \(commit.short)" + leftOut(problems.count)
  }

  private func leftOut(_ count: Int) -> String {
    count == 0 ? "" : ", left out \(counted(count, "file"))"
  }
}

extension PullReport: CustomStringConvertible {
  public var description: String {
    switch outcome {
    case .upToDate: "up to date with \(remote)"
    case .fastForward: "fast-forwarded to \(remote): \(checkout)"
    case .merged: "merged with \(remote): \(checkout)"
    }
  }
}

extension CheckoutReport: CustomStringConvertible {
  public var description: String { "\(text(changed)) changed" }
}

extension MergeReport: CustomStringConvertible {
  public var description: String {
    "\(counted(merged.count, "document")) merged, \(restored.count) restored"
  }
}

extension PushReport: CustomStringConvertible {
  public var description: String {
    guard isNew || images > 0 else { return "\(remote) is up to date" }
    return "pushed \(commit.short) to \(remote): \(counted(objects, "object")), "
      + counted(images, "image")
  }
}

extension SyncReport: CustomStringConvertible {
  public var description: String {
    let last =
      push.map(\.description)
      ?? (isOffline ? "the remote could not be reached" : "the remote was not updated")
    return ([committed.description] + pulls.map(\.description) + [last]).joined(separator: "; ")
  }
}

extension ImageFetchReport: CustomStringConvertible {
  public var description: String { "fetched \(counted(transferred, "image")), \(left) missing" }
}

extension ImageSendReport: CustomStringConvertible {
  public var description: String { "sent \(counted(images, "image"))" }
}

extension ImageDropReport: CustomStringConvertible {
  public var description: String {
    "dropped \(counted(dropped, "image")), kept \(notOnRemote.count + changed.count)"
  }
}

extension ImageInventory: CustomStringConvertible {
  public var description: String { "\(counted(here, "image")) here, \(elsewhere) elsewhere" }
}

extension DatasetStatus: CustomStringConvertible {
  public var description: String {
    let changes = working.changes.count
    return "“\(name)”: \(counted(photos, "photo")), \(counted(labels, "label")), "
      + (changes == 0 ? "nothing to commit" : "\(counted(changes, "change")) to commit")
  }
}

extension VerifyReport: CustomStringConvertible {
  public var description: String {
    "\(counted(documents, "document")), \(images) images and models checked, "
      + (findings.isEmpty ? "no problems" : counted(findings.count, "problem"))
  }
}

extension PredictionReport: CustomStringConvertible {
  public var description: String {
    "\(model.identity): \(counted(labels, "label")) on \(counted(photos, "photo")), "
      + "\(skipped) skipped, \(failed.count) failed"
  }
}

extension FormatImportReport: CustomStringConvertible {
  public var description: String {
    "\(counted(new, "new photo")), \(known) known, \(counted(labels, "label")), "
      + counted(problemCount, "problem")
  }
}

extension FormatReport: CustomStringConvertible {
  public var description: String {
    "\(counted(photos, "photo")), \(counted(labels, "label")), \(counted(images, "image"))"
  }
}

extension AddedPhoto: CustomStringConvertible {
  public var description: String {
    "\(file.lastComponent?.string ?? "\(file)"): \(status.rawValue)"
      + (note.map { " (\($0))" } ?? "")
  }
}

extension PhotoRecord: CustomStringConvertible {
  public var description: String {
    let classes = resolution.map { "\($0.name) \($0.state.rawValue)" }
    return name + ": " + (classes.isEmpty ? "no labels" : classes.joined(separator: ", "))
  }
}

extension Resolution: CustomStringConvertible {
  public var description: String { "\(name) \(state.rawValue): \(reason)" }
}

extension LabelResult: CustomStringConvertible {
  public var description: String {
    "\(label.classKey.text) \(label.verdict.rawValue) by \(label.annotator.identity)"
      + (changed ? "" : ", unchanged")
  }
}

extension HistoryEntry: CustomStringConvertible {
  public var description: String { "\(commit.prefix(7)) \(author): \(summary)" }
}

extension ObjectID {
  fileprivate var short: String { String(description.prefix(7)) }
}

/// Returns “2 photos, 5 labels”; “nothing” when empty.
private func text(_ counts: [DocumentKind: Int]) -> String {
  let parts = DocumentKind.allCases.compactMap { kind in
    counts[kind].map { ChangeSummary.count($0, kind) }
  }
  return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
}
