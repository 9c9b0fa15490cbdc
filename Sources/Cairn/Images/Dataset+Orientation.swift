internal import CairnDocument
internal import CairnFiles
internal import CairnPhotos
internal import CairnStore
internal import SystemPackage

extension Dataset {
  /// Returns the orientation of an image, 1 to 8: from its document, otherwise from its file if it
  /// is on this disk; 1 if unknown.
  func orientation(of image: ImageFacts, at path: FilePath) throws -> Int {
    if let known = image.orientation { return known }
    guard try environment.files.status(path) != nil else { return 1 }
    return try environment.files.withMapping(of: path) {
      storedOrientation(of: $0, image.format) ?? 1
    }
  }
}
