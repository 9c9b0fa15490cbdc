internal import CairnDocument

/// A labeler pinned to one version of its model: another version is an error, since its labels
/// belong to another run.
package struct VersionPinnedLabeler: Labeler {
  private let labeler: any Labeler
  private let pinned: LabelerIdentity

  package init(_ labeler: any Labeler, _ identity: LabelerIdentity) {
    (self.labeler, pinned) = (labeler, identity)
  }

  package func identity() throws(LabelerError) -> LabelerIdentity { pinned }

  package func predict(_ image: LabelerImage) throws(LabelerError) -> Prediction {
    let prediction = try labeler.predict(image)
    let model = pinned.stated(by: prediction).model
    guard model == pinned.model else {
      throw LabelerError(
        "its model changed from \(DisplaySanitizer.short(pinned.model.identity)) to "
          + DisplaySanitizer.short(model.identity), scope: .labeler, isTransient: true)
    }
    return prediction
  }

  package func interrupt() { labeler.interrupt() }

  package func close() { labeler.close() }
}
