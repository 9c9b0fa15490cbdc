internal import CairnDocument
internal import CairnFiles
internal import CairnPhotos
internal import CairnStore
internal import SystemPackage

extension Dataset {
  /// Returns how an image lies, 1 to 8: as its document says, else as its file does where it is here.
  func orientation(of image: ImageFacts, at path: FilePath) throws -> Int {
    if let known = image.orientation { return known }
    guard try world.files.status(path) != nil else { return 1 }
    return try world.files.withMapping(of: path) { storedOrientation(of: $0, image.format) ?? 1 }
  }
}
