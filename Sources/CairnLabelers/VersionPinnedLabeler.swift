internal import CairnDocument

/// A labeler pinned to one version of its model: another version is an error, since its labels
/// belong to another run.
public struct VersionPinnedLabeler: Labeler {
  private let labeler: any Labeler
  private let pinned: LabelerIdentity

  public init(_ labeler: any Labeler, _ identity: LabelerIdentity) {
    (self.labeler, pinned) = (labeler, identity)
  }

  public func identity() throws(LabelerError) -> LabelerIdentity { pinned }

  public func predict(_ image: LabelerImage) throws(LabelerError) -> Prediction {
    let prediction = try labeler.predict(image)
    let model = pinned.stated(by: prediction).model
    guard model == pinned.model else {
      throw LabelerError(
        "its model changed from \(DisplaySanitizer.short(pinned.model.identity)) to "
          + DisplaySanitizer.short(model.identity), scope: .labeler, isTransient: true)
    }
    return prediction
  }

  public func close() { labeler.close() }
}
