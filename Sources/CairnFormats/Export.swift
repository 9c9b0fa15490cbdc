public import CairnDocument
package import CairnFiles
package import SystemPackage

/// The result of an export.
public struct FormatReport: Equatable, Sendable {
  /// The number of photos that were written.
  public internal(set) var photos = 0
  /// The number of labels, each a class on a photo.
  public internal(set) var labels = 0
  /// The number of boxes that were written.
  public internal(set) var regions = 0
  /// The number of images copied or linked.
  public internal(set) var images = 0
  /// The classes of the labels, sorted.
  package internal(set) var classes: [AnnotationClass] = []
  /// The keys of the classes of the labels, sorted.
  public var classKeys: [ClassKey] { classes.map(\.key) }
  /// The number of photos in each split.
  public internal(set) var splits: [String: Int] = [:]
  /// What the format cannot represent.
  public internal(set) var leftOut = LossReport()

  package init() {}
}

/// A stream of photos: calls its argument with each photo. May be called twice.
package typealias PhotoStream = ((AnnotatedPhoto) throws -> Void) throws -> Void

/// Writes photos to a directory, which must be empty.
///
/// - Parameters:
///   - several: What to do with photos of several classes if the format holds one per photo.
///   - title: The name of the dataset.
/// - Throws: ``SeveralClassesError`` when `several` refuses a photo.
package func exportPhotos(
  _ photos: PhotoStream, as format: ExportFormat, to directory: FilePath, files: FileSystem,
  images: ImageSource, several: SeveralClasses, title: String
) throws -> FormatReport {
  if several == .refuse { try format.refuseSeveralClasses(photos, images) }
  var limits = format.limits
  limits.several = several
  let output = FormatOutput(directory, files: files, images: images, title: title)
  var classes = Set<AnnotationClass>()
  var subsets = Set<String>()
  if format.needsClasses {
    var unused = LossReport()
    try photos { photo in
      guard let (photo, _) = try images.fitted(photo, as: format, to: limits, &unused)
      else { return }
      classes.formUnion(photo.labels.map(\.labelClass))
      if let split = photo.split { subsets.insert(split) }
    }
  }
  let writer = try format.writer(output, classes: classes.sorted(), subsets: subsets)
  var report = FormatReport()
  try photos { photo in
    guard
      let (photo, hasImage) = try images.fitted(photo, as: format, to: limits, &report.leftOut)
    else { return }
    try writer.write(photo)
    report.photos += 1
    if hasImage { report.images += limits.hasSeveralClasses ? 1 : photo.labels.count }
    report.labels += photo.labels.count
    report.regions += photo.labels.reduce(0) { $0 + $1.boxes.count }
    if let split = photo.split { report.splits[split, default: 0] += 1 }
    classes.formUnion(photo.labels.map(\.labelClass))
  }
  try writer.finish()
  report.classes = classes.sorted()
  return report
}
