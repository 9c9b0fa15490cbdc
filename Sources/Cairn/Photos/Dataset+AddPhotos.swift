internal import CairnDocument
internal import CairnFiles
public import SystemPackage

extension Dataset {
  /// Adds images: files, and directories with all images below them. A file that is not an image,
  /// or is incomplete, is reported as failed and changes nothing.
  @discardableResult
  public func addPhotos(
    _ paths: [FilePath], pin: PinID? = nil
  ) throws(CairnError) -> [AddedPhoto] {
    var options = PhotoImport()
    options.pin = pin.map { .pin($0) } ?? .none
    return try addPhotos(paths, options)
  }

  /// Adds images with the metadata of their files: time and location, orientation, titles,
  /// descriptions, keywords and regions. With ``PhotoImport/importsKeywords``, keywords and named
  /// regions also become labels of the current user.
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
  /// - Returns: One result for each image, in the order of the files, then one for each directory
  ///   that cannot be read and for each file in the directories that is not an image. If canceled,
  ///   only the results so far: those photos are kept.
  @discardableResult
  public func addPhotos(
    _ paths: [FilePath], _ options: PhotoImport
  ) throws(CairnError) -> [AddedPhoto] {
    try edit("photo add", needsPerson: options.importsKeywords) { session in
      // Files that cannot be removed now may be removable next time.
      try? directory.blobs.removeLeftovers()
      let scan = try ImageScan(of: paths, directory.files)
      let photos = try PhotoImporter(self, session, options).add(scan.images)
      let unreadable = scan.unreadable.map { folder, error in
        AddedPhoto(folder, .failed, note: error.message)
      }
      return photos + unreadable + scan.skipped.map { AddedPhoto(skipping: $0.file, $0.type) }
    }
  }

  /// Adds one image as a part of an operation that reports its progress and can be canceled itself.
  func addPhoto(_ file: FilePath, pin: PinID?) throws(CairnError) -> AddedPhoto? {
    try edit("photo add") { session in
      var options = PhotoImport()
      options.pin = pin.map { .pin($0) } ?? .none
      let images = try ImageScan(of: [file], directory.files).images
      return try PhotoImporter(self, session, options, isPart: true).add(images).first
    }
  }
}
