internal import CairnDocument
internal import CairnFiles
public import SystemPackage

extension Dataset {
  /// Adds images: files, and directories with all images below them. A file that is not an image,
  /// or is incomplete, is reported as failed and changes nothing.
  ///
  /// - Parameter progress: Called with the number of files done and their total.
  @discardableResult
  public func addPhotos(
    _ paths: [FilePath], pin: PinID? = nil, progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws(CairnError) -> [AddedPhoto] {
    var options = PhotoImport()
    options.pin = pin.map { .pin($0) } ?? .none
    options.progress = progress
    return try addPhotos(paths, options)
  }

  /// Adds images with the metadata of their files: time and location, orientation, titles and
  /// descriptions. Keywords and named regions become labels of the current user.
  ///
  /// Photos already in the dataset are left unchanged, so an interrupted import can be run again.
  ///
  /// ```swift
  /// var options = PhotoImport()
  /// options.pin = .nearest(within: 500)  // meters
  /// let added = try dataset.addPhotos(["/home/alice/camera"], options)
  /// print("\(added.count { $0.status == .added }) photos added")
  /// ```
  ///
  /// - Returns: One result for each file, in the order of the files.
  @discardableResult
  public func addPhotos(
    _ paths: [FilePath], _ options: PhotoImport
  ) throws(CairnError) -> [AddedPhoto] {
    try edit("photo add") { session in
      // Files that cannot be removed now may be removable next time.
      try? directory.blobs.removeLeftovers()
      let files = try paths.flatMap { try imageFiles(at: $0) }
      return try PhotoImporter(self, session, options).add(files)
    }
  }

  /// Returns the file at `path`, or the files below it that have an image's extension, sorted.
  func imageFiles(at path: FilePath) throws -> [FilePath] {
    guard directory.files.directoryExists(path) else { return [path] }
    var found: [FilePath] = []
    for name in try directory.files.list(path)?.sorted() ?? [] where !name.hasPrefix(".") {
      let file = path.appending(name)
      switch try directory.files.status(file)?.kind {
      case .directory?: found += try imageFiles(at: file)
      case .regular?:
        if ImageFormat.knownExtensions.contains(file.extension?.lowercased() ?? "") {
          found.append(file)
        }
      default: break
      }
    }
    return found
  }
}
