extension Document {
  /// The documents and the image that this one refers to: a label needs its photo, its class and
  /// its run. Restoring a document restores these too.
  package var references: [DocumentPath] {
    switch self {
    case .manifest, .pin, .run, .erasure, .redaction: []
    case .photo(let photo):
      [.image(photo.id, photo.image.format)] + [photo.pin.value].compactMap(\.self).map { .pin($0) }
    case .label(let label):
      [.photo(label.photo)] + (label.classKey == .favorite ? [] : [.class(label.classKey)])
        + [label.run].compactMap(\.self).map { .run($0) }
    case .class(let labelClass):
      [labelClass.parent.value, labelClass.aliasOf?.value ?? nil].compactMap(\.self)
        .map { .class($0) }
    }
  }
}
