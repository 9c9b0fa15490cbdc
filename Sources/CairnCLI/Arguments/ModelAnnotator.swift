import Cairn

/// Returns the annotator of `NAME@VERSION`.
func annotator(model: String) throws -> Annotator {
  guard let annotator = Annotator(model: model) else {
    throw CairnError(
      .invalidInput, "“\(model)” does not name a model and its version.",
      hint: "For example: `resnet50@2026-01`.")
  }
  return annotator
}
