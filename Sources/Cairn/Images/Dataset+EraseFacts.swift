public import CairnDocument
internal import CairnFiles
internal import CairnStore
public import CairnSync

/// Facts about photos, or a person, that are to be erased from all of the history.
public struct RedactionPlan: Sendable {
  /// What is not erased yet, and how many versions of documents and commits would change.
  public let report: RedactionReport
  /// What happens to the images; nil if they stay.
  public let images: ErasurePlan?
  /// The photos whose image files say where they were taken, as far as these files stay.
  public let locatedImages: [PhotoID]
}

extension Dataset {
  /// Returns what ``erase(_:of:reason:)`` would do.
  ///
  /// - Parameter fact: ``Redaction/Fact/position`` or ``Redaction/Fact/metadata``.
  public func planErasure(
    of fact: Redaction.Fact, of ids: [PhotoID]
  ) throws(CairnError) -> RedactionPlan {
    let images = fact == .metadata ? try planErasure(of: ids) : nil
    return try translating {
      let located = try Set(ids).sorted().filter {
        try fact == .position && replica.lastVersion(of: $0)?.image.location != nil
          && !replica.isErased($0)
      }
      return RedactionPlan(
        report: try replica.planErasure(fact, of: ids), images: images, locatedImages: located)
    }
  }

  /// Returns what ``erase(person:reason:)`` would do.
  ///
  /// - Parameter email: The address of the person.
  public func planErasure(ofPerson email: String) throws(CairnError) -> RedactionPlan {
    let person = try erasable(email)
    return try translating {
      RedactionPlan(
        report: try replica.planErasure(of: person), images: nil, locatedImages: [])
    }
  }

  /// Erases facts about photos from all of the history, of this copy at once, and of every other one
  /// that learns of it. ``Redaction/Fact/metadata`` also erases the images.
  ///
  /// The history gets new commits, and the next push replaces that of the remote. It cannot be undone.
  /// - Parameters:
  ///   - fact: ``Redaction/Fact/position`` or ``Redaction/Fact/metadata``.
  ///   - reason: Why the facts are erased; needed if one of them is not erased yet.
  /// - Throws: ``CairnError/Kind/invalidInput`` if there is no reason, or it is too long.
  @discardableResult
  public func erase(
    _ fact: Redaction.Fact, of ids: [PhotoID], reason: String? = nil
  ) throws(CairnError) -> (facts: RedactionReport, images: ErasureReport?) {
    let isNew = try translating {
      try ids.contains { try !replica.isErased(fact, of: $0) }
    }
    let text = try checkedReason(reason, isNeeded: isNew)
    let images = fact == .metadata ? try erasePhotos(ids, reason: reason) : nil
    let facts = try edit("photo erase", needsPerson: isNew) { session in
      try replica.erase(fact, of: ids, reason: text ?? "", session: session)
    }
    return (facts, images)
  }

  /// Replaces the address of a person in all of the history by an opaque one, in this copy at once, and
  /// in every other one that learns of it.
  ///
  /// - Parameter email: The address of the person. If the person has several, erase each of them.
  /// - Throws: ``CairnError/Kind/invalidInput`` if there is no reason, or it is too long, or the
  ///   address is invalid.
  @discardableResult
  public func erase(
    person email: String, reason: String? = nil
  ) throws(CairnError) -> RedactionReport {
    let person = try erasable(email)
    let isNew = try translating { try !replica.isErased(person) }
    let text = try checkedReason(reason, isNeeded: isNew)
    return try edit("photo erase", needsPerson: isNew) { session in
      try replica.erase(person, reason: text ?? "", session: session)
    }
  }

  /// Returns how facts about a photo were erased; nil if none were.
  public func redaction(of id: PhotoID) throws(CairnError) -> Redaction? {
    try translating { try replica.redaction(at: .photo(id)) }
  }

  /// Throws if the facts that an edit would write were erased from the history of a photo: the
  /// rewrite would erase them again.
  ///
  /// - Parameter message: Returns the message of the error, given the beginning of the photo's id.
  func checkNotErased(
    _ fact: Redaction.Fact, of ids: [PhotoID], _ message: (_ photo: String) -> String
  ) throws {
    guard let id = try replica.firstErased(fact, of: ids) else { return }
    let removal = ", and `cairn photo remove \(id.short)` hides the photo from queries"
    throw CairnError(
      .erased, message(id.short),
      hint: "`cairn show \(id.short)` shows who erased it, when and why"
        + (fact == .metadata ? removal : "") + ".")
  }

  private func erasable(_ email: String) throws(CairnError) -> Annotator {
    let email = email.trimmingSpaces()
    // Merges by cairn name it, so that every copy makes the same ones.
    if email.lowercased() == "cairn@localhost" {
      throw CairnError(.invalidInput, "“\(email)” is the author of merges by cairn, not a person.")
    }
    guard email.contains("@"), let person = Annotator(email: email) else {
      throw CairnError(.invalidInput, "“\(email)” is not an email address.")
    }
    if email.lowercased().hasSuffix("@cairn.invalid") {
      throw CairnError(.invalidInput, "“\(email)” already stands for an erased person.")
    }
    return person
  }

  /// Returns the reason for an erasure as it is recorded; nil if none is needed.
  ///
  /// - Throws: ``CairnError/Kind/invalidInput`` if there is none, or it is too long.
  @discardableResult
  public func checkedReason(
    _ reason: String?, isNeeded: Bool
  ) throws(CairnError) -> String? {
    if !isNeeded { return nil }
    let text = try translating { try checkedText(reason ?? "", "reason") }
    guard !text.isEmpty else {
      throw CairnError(
        .invalidInput, "An erasure needs a reason.",
        hint: "Add `--reason \"…\"`; everyone who has the dataset can read it.")
    }
    return text
  }
}
