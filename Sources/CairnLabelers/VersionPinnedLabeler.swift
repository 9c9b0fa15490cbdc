internal import CairnDocument

/// A labeler pinned to one version of its model: another version is an error, since its labels
/// belong to another run.
public struct VersionPinnedLabeler: Labeler {
  private let labeler: any Labeler
  private let steady: LabelerIdentity

  public init(_ labeler: any Labeler, _ identity: LabelerIdentity) {
    (self.labeler, steady) = (labeler, identity)
  }

  public func identity() throws(LabelerError) -> LabelerIdentity { steady }

  public func predict(_ image: LabelerImage) throws(LabelerError) -> Prediction {
    let prediction = try labeler.predict(image)
    let model = steady.stated(by: prediction).model
    guard model == steady.model else {
      throw LabelerError(
        "it answers as \(DisplaySanitizer.short(model.identity)) now, and no more as "
          + DisplaySanitizer.short(steady.model.identity), scope: .labeler, isTransient: true)
    }
    return prediction
  }

  public func close() { labeler.close() }
}
