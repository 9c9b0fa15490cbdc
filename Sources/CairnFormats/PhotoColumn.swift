internal import CairnDocument

/// A column of a photo's metadata in tables, apart from its labels.
enum PhotoColumn: String, CaseIterable {
  case title, caption, source, pin
  case pinName = "pin_name"
  case latitude, longitude, altitude, taken, camera, author
  case license = "licence"
  case creditTitle = "credit_title"
  case service, page, url

  var isNumber: Bool { [.latitude, .longitude, .altitude].contains(self) }

  /// Returns the value of the column; nil when the photo has none.
  func value(of photo: AnnotatedPhoto) -> JSON? {
    func text(_ text: String?) -> JSON? { text.flatMap { $0.isEmpty ? nil : .string($0) } }
    return switch self {
    case .title: text(photo.title)
    case .caption: text(photo.caption)
    case .source: text(photo.source)
    case .pin: text(photo.pin?.id.text)
    case .pinName: text(photo.pin?.name)
    case .latitude: photo.location.map { JSON($0.latitude) }
    case .longitude: photo.location.map { JSON($0.longitude) }
    case .altitude: photo.pin == nil ? photo.image.location?.altitude.map { JSON($0) } : nil
    case .taken: text(photo.image.taken?.description)
    case .camera: text(photo.image.camera)
    case .author: text(photo.credit?.author)
    case .license: text(photo.credit?.license)
    case .creditTitle: text(photo.credit?.title)
    case .service: text(photo.credit?.service)
    case .page: text(photo.credit?.page)
    case .url: text(photo.credit?.url)
    }
  }
}

extension AnnotatedPhoto {
  /// The photo's metadata apart from its labels, without missing values.
  var metadata: JSONObject {
    JSONObject(
      PhotoColumn.allCases.compactMap { column in
        column.value(of: self).map { (column.rawValue, $0) }
      })
  }
}
