package import CairnBase
package import CairnDocument
internal import CairnMerge
internal import CairnReview
internal import CairnStore
internal import CairnSync

// Boxes of the current user: labels with a region.

extension UndoableEditor {
  /// Draws a box of a class.
  ///
  /// - Returns: The label of the box.
  package func addBox(
    _ box: NormalizedRect, _ className: String, to photo: PhotoID, as text: String
  ) throws(CairnError) -> (label: LabelName, report: Report) {
    let changes = try labeling([photo]) { () throws(CairnError) in
      try dataset.label([photo], [className], LabelAssertion(.present, box: box))
    }
    guard case .label(let change)? = changes.first else {
      throw CairnError(.internalError, "The box was not written.")
    }
    var report = Report(changed: 1)
    try recordAction(changes, text, &report)
    return (change.after.name, report)
  }

  /// Moves, resizes or reclassifies a box of the current user.
  ///
  /// - Parameters:
  ///   - box: Nil leaves it where it is.
  ///   - className: Nil leaves its class.
  /// - Returns: The label of the box, which has another name if its class changed.
  package func editBox(
    _ name: LabelName, of photo: PhotoID, to box: NormalizedRect?, className: String?,
    as text: String
  ) throws(CairnError) -> (label: LabelName, report: Report) {
    var report = Report()
    let (changes, label) = try dataset.edit("label") { session in
      var label = try ownBox(name, of: photo)
      let old = label
      if let box, let region = label.region, region.box != box {
        guard let moved = region.moved(to: box) else {
          _ = try dataset.region(box); return ([EditChange](), old)
        }
        label.region = moved
      }
      if let className {
        label.classKey = try dataset.classKeys(creating: [className], session: session)[0]
      }
      if label == old { return ([], old) }
      var changes: [EditChange] = []
      var last = try dataset.labels(of: photo).map(\.stamp).max()
      if label.name != old.name {
        var withdrawn = old
        withdrawn.verdict = .withdrawn
        withdrawn.stamp = session.stamp(replacing: last)
        last = withdrawn.stamp
        try session.write([.label(withdrawn)])
        changes.append(.label(LabelChange(before: old, after: withdrawn)))
      }
      let before =
        label.name == old.name
        ? old : try dataset.labels(of: photo).first { $0.name == label.name }
      label.stamp = session.stamp(replacing: last)
      try session.write([.label(label)])
      changes.append(.label(LabelChange(before: before, after: label)))
      return (changes, label)
    }
    report.changed = changes.isEmpty ? 0 : 1
    try recordAction(changes, text, &report)
    return (label.name, report)
  }

  /// Withdraws a box of the current user.
  package func removeBox(
    _ name: LabelName, of photo: PhotoID, as text: String
  ) throws(CairnError) -> Report {
    let changes = try dataset.edit("unlabel") { session in
      let old = try ownBox(name, of: photo)
      var label = old
      label.verdict = .withdrawn
      label.stamp = session.stamp(replacing: old.stamp)
      try session.write([.label(label)])
      return [EditChange.label(LabelChange(before: old, after: label))]
    }
    var report = Report(changed: 1)
    try recordAction(changes, text, &report)
    return report
  }

  private func ownBox(_ name: LabelName, of photo: PhotoID) throws -> Label {
    let mailmap = Mailmap(try dataset.mailmapText())
    let label = try dataset.labels(of: photo).first { $0.name == name }
    guard let label, label.region != nil, label.verdict != .withdrawn else {
      throw CairnError(.notFound, "There is no box “\(name)” on \(photo.short)….")
    }
    guard mailmap.person(label.annotator) == mailmap.person(me) else {
      throw CairnError(
        .permission, "The box was drawn by \(label.annotator.identity).",
        hint: "Draw your own box, or reject the class.")
    }
    return label
  }
}
