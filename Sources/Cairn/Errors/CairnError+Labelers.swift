internal import CairnLabelers

extension CairnError {
  /// - Parameter name: The labeler's name on this device.
  static func labeler(_ name: String, _ error: LabelerError) -> CairnError {
    CairnError(
      error.isTransient ? .unreachable : .invalidInput,
      "The labeler “\(name)” failed: \(error.message).",
      hint: error.hint ?? "Test it with one photo: `cairn labeler test \(name) PHOTO`.")
  }
}
