internal import CairnFiles
internal import CairnLabelers
internal import CairnPhotos

extension Dataset {
  /// Decodes images for models that run locally.
  static let pixels: PixelReader = { image in
    do {
      return try FileSystem().withMapping(of: image.path) {
        try PixelBuffer(decoding: $0, alpha: .dropped)
      }
    } catch let error as ImageError {
      throw LabelerError("the image \(error)")
    } catch {
      throw LabelerError("the image cannot be read: \(error)")
    }
  }
}
