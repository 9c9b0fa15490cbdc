internal import CairnLabelers

extension CairnError {
  /// - Parameter name: The labeler's name in this dataset.
  static func labeler(_ name: String, _ error: LabelerError) -> CairnError {
    CairnError(
      error.isTransient ? .unreachable : .invalidInput,
      "The labeler “\(name)” does not work: \(error.message).",
      hint: "`cairn labeler test \(name) PHOTO` tries it with one photo.")
  }
}
