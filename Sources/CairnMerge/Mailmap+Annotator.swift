public import CairnDocument

extension Mailmap {
  /// Returns the annotator under their proper address; a model is itself.
  public func person(_ annotator: Annotator) -> Annotator {
    guard annotator.isHuman else { return annotator }
    return Annotator(email: address(of: annotator.identity)) ?? annotator
  }
}
