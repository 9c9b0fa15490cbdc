internal import CairnDocument

/// What is known of a photo apart from its labels, by the names that tables have for it.
enum AboutPhoto: String, CaseIterable {
  case title, caption, source, pin
  case pinName = "pin_name"
  case latitude, longitude, altitude, taken, camera, author, licence
  case creditTitle = "credit_title"
  case service, page, url

  var isNumber: Bool { [.latitude, .longitude, .altitude].contains(self) }

  /// Nil where there is nothing of it.
  func value(of photo: AnnotatedPhoto) -> JSON? {
    func text(_ text: String?) -> JSON? { text.flatMap { $0.isEmpty ? nil : .string($0) } }
    return switch self {
    case .title: text(photo.title)
    case .caption: text(photo.caption)
    case .source: text(photo.source)
    case .pin: text(photo.place?.pin.text)
    case .pinName: text(photo.place?.name)
    case .latitude: photo.location.map { JSON($0.latitude) }
    case .longitude: photo.location.map { JSON($0.longitude) }
    case .altitude: photo.place == nil ? photo.image.place?.altitude.map { JSON($0) } : nil
    case .taken: text(photo.image.taken?.description)
    case .camera: text(photo.image.camera)
    case .author: text(photo.credit?.author)
    case .licence: text(photo.credit?.licence)
    case .creditTitle: text(photo.credit?.title)
    case .service: text(photo.credit?.service)
    case .page: text(photo.credit?.page)
    case .url: text(photo.credit?.url)
    }
  }
}

extension AnnotatedPhoto {
  /// What is known of the photo apart from its labels; what there is not is left out.
  var about: JSONObject {
    JSONObject(
      AboutPhoto.allCases.compactMap { part in part.value(of: self).map { (part.rawValue, $0) } })
  }
}
