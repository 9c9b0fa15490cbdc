internal import CairnBase
package import CairnDocument
internal import CairnMerge
internal import CairnReview
internal import CairnStore
internal import CairnSync

// Boxes and outlines of the current user: labels with a region.

extension UndoableEditor {
  /// Draws a region of a class.
  ///
  /// - Returns: The label of the region.
  package func addRegion(
    _ shape: RegionShape, _ className: String, to photo: PhotoID, as text: String
  ) throws(CairnError) -> (label: LabelName, report: Report) {
    var assertion = LabelAssertion(.present)
    assertion.shape = shape
    beginOperation(text)
    let changes = try labeling([photo]) { () throws(CairnError) in
      try dataset.label([photo], [className], assertion)
    }
    guard case .label(let change)? = changes.first else {
      throw CairnError(.internalError, "The region was not written.")
    }
    var report = Report(changed: 1)
    try recordAction(changes, text, &report)
    return (change.after.name, report)
  }

  /// Reshapes or reclassifies a region of the current user.
  ///
  /// - Parameters:
  ///   - shape: Nil leaves it unchanged; a box moves and scales an outline.
  ///   - className: Nil leaves its class.
  /// - Returns: The label of the region, which has another name if its class changed.
  package func editRegion(
    _ name: LabelName, of photo: PhotoID, to shape: RegionShape?, className: String?,
    as text: String
  ) throws(CairnError) -> (label: LabelName, report: Report) {
    var report = Report()
    beginOperation(text)
    let (changes, label) = try dataset.edit("label") { session in
      var label = try ownRegion(name, of: photo)
      let old = label
      if let shape, let region = label.region, shape != .box(region.box) {
        guard let reshaped = region.reshaped(to: shape) else { throw shape.error }
        label.region = reshaped
      }
      if let className {
        label.classKey = try dataset.classKeys(creating: [className], session: session)[0]
      }
      if label == old { return ([EditChange](), old) }
      var changes: [EditChange] = []
      let known = try dataset.allLabels(of: photo)
      var last = known.map(\.stamp).max()
      if label.name != old.name {
        var withdrawn = old
        withdrawn.verdict = .withdrawn
        withdrawn.stamp = session.stamp(replacing: last)
        last = withdrawn.stamp
        try session.write([.label(withdrawn)])
        changes.append(.label(LabelChange(before: old, after: withdrawn)))
      }
      let before =
        label.name == old.name ? old : known.first { $0.name == label.name }
      label.stamp = session.stamp(replacing: last)
      try session.write([.label(label)])
      changes.append(.label(LabelChange(before: before, after: label)))
      return (changes, label)
    }
    report.changed = changes.isEmpty ? 0 : 1
    try recordAction(changes, text, &report)
    return (label.name, report)
  }

  /// Withdraws a region of the current user.
  package func removeRegion(
    _ name: LabelName, of photo: PhotoID, as text: String
  ) throws(CairnError) -> Report {
    beginOperation(text)
    let changes = try dataset.edit("unlabel") { session in
      let old = try ownRegion(name, of: photo)
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

  private func ownRegion(_ name: LabelName, of photo: PhotoID) throws -> Label {
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
