internal import CairnDocument

/// A reader of the observations that iNaturalist exports as CSV: one photo of each, and its taxon.
///
/// The table has URLs of photos, not photos: a photo is found by the names that download tools give,
/// see ``ImageNames``. Source: https://www.inaturalist.org/observations/export and the columns of
/// real exports; people choose the columns, and add observation fields as `field:NAME`.
struct INaturalistReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  // iNaturalist's bookkeeping, and other forms of the columns that are read.
  private static let known: Set<String> = [
    "id", "uuid", "observed_on_string", "observed_on", "time_observed_at", "time_zone", "user_id",
    "user_login", "user_name", "created_at", "updated_at", "license", "url", "image_url",
    "description", "tag_list", "scientific_name", "species_guess", "taxon_id",
    "oauth_application_id", "latitude", "longitude", "positional_accuracy", "private_latitude",
    "private_longitude", "public_positional_accuracy", "coordinates_obscured",
  ]

  func read() throws {
    let path = try path()
    try source.forEachRecord(
      of: path, requires: [["id"], ["image_url"], ["scientific_name", "species_guess"]], read)
  }

  private func path() throws -> String {
    if let file = source.file { return file }
    let paths = try source.names(in: "", areDirectories: false).filter {
      $0.hasPrefix("observations") && $0.hasSuffix(".csv")
    }
    guard paths.count == 1 else {
      throw FormatError(
        source.location,
        "it contains \(paths.count) files observations….csv; give the path of the file itself")
    }
    return paths[0]
  }

  /// Returns where an observation was made: the true location, which the export has for its owner,
  /// otherwise the public one.
  private func place(_ record: TableRecord) -> ReportedLocation? {
    if let own = record.location(
      "private_latitude", "private_longitude", accuracy: "positional_accuracy")
    {
      return own
    }
    let isObscured = record["coordinates_obscured"]?.lowercased() == "true"
    // The public accuracy includes the distance by which the location was moved.
    let isPublic = record["public_positional_accuracy"] != nil
    let accuracy = isPublic ? "public_positional_accuracy" : "positional_accuracy"
    var place = record.location("latitude", "longitude", accuracy: accuracy)
    place?.isObscured = isObscured
    return place
  }

  private func read(_ record: TableRecord) throws {
    guard let id = record["id"] else {
      return try source.problem(record.location, "an observation without “id”")
    }
    guard let url = record["image_url"] else {
      return source.ignore("observations without a photo")
    }
    source.ignore(record, but: INaturalistReader.known)
    var photo = ImportedPhoto(urlOrFile: url, id: id, location: record.location)
    photo.metadata.caption = record["description"]
    let credit: [(String, String?)] = [
      ("author", record["user_name", "user_login"]), ("licence", record["license"]),
      ("page", record["url"]), ("url", url), ("service", "inaturalist"),
    ]
    for (key, text) in credit { photo.metadata.credit[key] = text }
    photo.metadata.taken = source.captureTime(record["time_observed_at", "observed_on"])
    photo.metadata.place = place(record)
    if let name = record["scientific_name", "species_guess"] {
      var label = ImportedLabel(name)
      label.attribute(
        toPerson: record["user_login"], record["user_name"],
        at: record["updated_at", "created_at"])
      photo.labels = [label]
    } else {
      source.ignore("observations without a taxon")
    }
    for tag in (record["tag_list"] ?? "").keywords {
      var label = ImportedLabel(tag)
      label.attribute(toPerson: record["user_login"], record["user_name"], at: nil)
      photo.labels.append(label)
    }
    try source.photo(photo)
  }
}
