internal import CairnDocument
internal import CairnFiles
internal import CairnStore
public import SystemPackage

extension Dataset {
  /// Returns a report as one HTML page: the contents of the dataset, the agreement between people
  /// and the quality of models. Without images, it depends only on the documents and the last
  /// commit's id.
  ///
  /// - Parameter withImages: Whether to include the images of the models' most confident mistakes,
  ///   as far as they are on this disk.
  public func report(withImages: Bool = false) throws(CairnError) -> String {
    try translating {
      var data = try reportData()
      if withImages { data.images = try images(of: data.mistakes) }
      return data.page
    }
  }

  /// The number of images in a report, at most.
  private static let reportImageLimit = 100

  /// Returns thumbnails of photos whose images are on this disk and can be decoded.
  private func images(of photos: [PhotoID]) throws -> [PhotoID: [UInt8]] {
    var images: [PhotoID: [UInt8]] = [:]
    for photo in photos where images.count < Dataset.reportImageLimit && images[photo] == nil {
      try environment.checkCancellation()
      images[photo] = try? thumbnail(of: photo)
    }
    return images
  }

  /// Writes a report to a file, replacing its contents.
  ///
  /// - Parameter withImages: See ``report(withImages:)``.
  public func writeReport(to path: FilePath, withImages: Bool = false) throws(CairnError) {
    let page = try report(withImages: withImages)
    try translating {
      if try environment.files.status(path)?.kind == .directory {
        throw CairnError(.exists, "\(path) is a directory.", hint: "Name a file in it.")
      }
      let temporary = FilePath("\(path).\(String(environment.random(), radix: 36)).tmp")
      try environment.files.write(Array(page.utf8), to: path, temporary: temporary)
    }
  }
}
