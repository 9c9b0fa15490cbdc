package import CairnDocument

/// What an export does with a photo of several classes if the format holds one class per photo.
public enum SeveralClasses: String, Sendable, CaseIterable {
  /// Refuse the export, with the number of such photos.
  case refuse
  /// Write the photo once: with the confirmed class before a predicted one, then the one with the
  /// highest confidence, then the first by name.
  case first
  /// Write the photo once for each class.
  case copy
  /// Leave the photo out.
  case skip
}

/// Photos have several classes, but the format holds one per photo.
package struct SeveralClassesError: Error {
  /// The number of such photos.
  package fileprivate(set) var count = 0
  /// The first of them, with its classes.
  package fileprivate(set) var example: (photo: PhotoID, classes: [ClassKey])?
}

extension ExportFormat {
  /// Checks that no photo has several classes if the format holds one per photo.
  ///
  /// - Parameter photos: Calls its argument with the photos to export.
  func refuseSeveralClasses(_ photos: PhotoStream, _ images: ImageSource) throws {
    if limits.hasSeveralClasses { return }
    var error = SeveralClassesError()
    // All classes are kept, to count them.
    var limits = limits
    limits.several = .copy
    var unused = LossReport()
    try photos { photo in
      guard let (photo, _) = try images.fitted(photo, as: self, to: limits, &unused),
        photo.labels.count > 1
      else { return }
      error.count += 1
      if error.example == nil {
        error.example = (photo.id, photo.labels.map(\.labelClass.key))
      }
    }
    if error.count > 0 { throw error }
  }
}
