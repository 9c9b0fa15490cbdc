public import CairnDocument
internal import CairnSources

extension PhotoFetchReport.FetchedPhoto {
  /// The photo as `cairn photo fetch --json` prints it.
  public var json: JSON {
    [
      "accuracy": photo.location?.accuracy.map { JSON($0) } ?? .null,
      "author": JSON(photo.author), "classes": .array(classes.map { .string($0) }),
      "id": .string(id.description), "note": JSON(note),
      "latitude": photo.location.map { JSON($0.coordinate.latitude) } ?? .null,
      "licence": JSON(photo.license?.text), "licenceURL": JSON(photo.license?.url),
      "longitude": photo.location.map { JSON($0.coordinate.longitude) } ?? .null,
      "obscured": .bool(photo.location?.isObscured ?? false),
      "page": JSON(photo.page.map(WebLocation.withoutSecrets)), "sourceID": .string(photo.id),
      "taken": JSON(photo.taken?.description), "title": JSON(photo.title),
      "url": JSON((photo.original ?? photo.address).map(WebLocation.withoutSecrets)),
    ]
  }
}
