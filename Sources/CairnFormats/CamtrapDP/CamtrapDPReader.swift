internal import CairnBase
internal import CairnDocument

/// A reader of Camera Trap Data Packages: observations of media, and the locations of cameras.
///
/// An observation's class is its scientific name, otherwise its type: `animal`, `human`, `vehicle`,
/// `blank`, `unknown`. Observations of whole events are counted and not imported: they do not say on
/// which photos the animal is. Source: Camtrap DP 1.0 and 0.1.6 (https://camtrap-dp.tdwg.org).
struct CamtrapDPReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  private struct Medium {
    let file: String
    let location: ImportedLocation
    let deployment: String?
    let comment: String?
    let taken: ReportedTime?
    var isReported = false
  }

  private struct Resources {
    var deployments = "deployments.csv"
    var media = "media.csv"
    var observations = "observations.csv"
    /// The name or id of the package, which distinguishes its deployments from those of others.
    var package = ""
  }

  // Ids, and what follows from other tables.
  private static let readOfMedia: Set<String> = [
    "mediaID", "deploymentID", "filePath", "fileName", "fileMediatype", "filePublic",
    "mediaComments", "timestamp", "sequenceID", "comments",
  ]
  private static let readOfDeployments: Set<String> = [
    "deploymentID", "locationID", "locationName", "latitude", "longitude",
  ]
  private static let readOfObservations: Set<String> = [
    "observationID", "deploymentID", "mediaID", "eventID", "eventStart", "eventEnd",
    "observationLevel", "observationType", "scientificName", "bboxX", "bboxY", "bboxWidth",
    "bboxHeight", "classificationMethod", "classifiedBy", "classificationTimestamp",
    "classificationProbability", "observationComments", "sequenceID", "timestamp",
    "classificationConfidence", "comments",
  ]

  func read() throws {
    let resources = try resources()
    let pins = try deployments(resources)
    let (photos, others) = try media(resources)
    var media = photos
    if try source.exists(resources.observations) {
      try source.forEachRecord(
        of: resources.observations, requires: [["observationType"]]
      ) { record in
        guard let (id, label) = try label(record) else { return }
        if others.contains(id) { return source.ignore("observations of media of other types") }
        guard let medium = media[id] else {
          return try source.problem(
            record.location, "an observation of the unknown medium “\(id.prefix(64))”")
        }
        try source.photo(photo(medium, pins, label, record.location))
        media[id]?.isReported = true
      }
    }
    for medium in media.values.sorted(by: { $0.location.line ?? 0 < $1.location.line ?? 0 })
    where !medium.isReported {
      try source.photo(photo(medium, pins, nil, medium.location))
    }
  }

  /// Returns the paths of the tables, which `datapackage.json` names.
  private func resources() throws -> Resources {
    let path = source.file ?? "datapackage.json"
    guard let bytes = try source.read(path) else {
      throw FormatError(source.location, "there is no datapackage.json")
    }
    let package = try source.scanning(path) { try JSON(bytes: bytes) }
    guard let list = package["resources"]?.array else {
      throw FormatError(ImportedLocation(path), "there are no “resources”: not a data package")
    }
    var resources = Resources()
    resources.package = package["id"]?.string ?? package["name"]?.string ?? ""
    for resource in list {
      let name = resource["name"]?.string ?? ""
      guard ["deployments", "media", "observations"].contains(name) else {
        source.ignore("the table “\(name.prefix(64))”")
        continue
      }
      guard let file = resource["path"]?.string ?? resource["path"]?.array?.first?.string,
        resource["path"]?.array?.count ?? 1 == 1, !file.contains("://"), !file.hasPrefix("/"),
        !file.split(separator: "/").contains("..")
      else {
        throw FormatError(
          ImportedLocation(path), "the table “\(name)” is not a single file in this directory")
      }
      switch name {
      case "deployments": resources.deployments = file
      case "media": resources.media = file
      default: resources.observations = file
      }
    }
    return resources
  }

  // MARK: Deployments

  /// Returns a pin for each deployment with coordinates.
  private func deployments(_ resources: Resources) throws -> [String: ImportedPin] {
    var pins: [String: ImportedPin] = [:]
    guard try source.exists(resources.deployments) else { return pins }
    try source.forEachRecord(of: resources.deployments, requires: [["deploymentID"]]) { record in
      source.ignore(record, but: CamtrapDPReader.readOfDeployments)
      guard let id = record["deploymentID"], let latitude = record.number("latitude"),
        let longitude = record.number("longitude")
      else { return }
      guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
        return try source.problem(
          record.location, "not a longitude within ±180 and a latitude within ±90")
      }
      // Deployments at the same location, one after the other, are one pin.
      let place = record["locationID"] ?? id
      pins[id] = ImportedPin(
        id: PinID(naming: "camtrap-dp", resources.package, place), coordinate: coordinate,
        name: record["locationName", "locationID"] ?? id, location: record.location)
    }
    return pins
  }

  // MARK: Media

  /// Returns the photos by id, and the ids of other media.
  private func media(
    _ resources: Resources
  ) throws -> (photos: [String: Medium], others: Set<String>) {
    var media: [String: Medium] = [:]
    var others: Set<String> = []
    try source.forEachRecord(
      of: resources.media, requires: [["mediaID"], ["filePath", "fileName"]]
    ) { record in
      guard let id = record["mediaID"], let path = record["filePath", "fileName"] else {
        return try source.problem(record.location, "a media record without “mediaID” or “filePath”")
      }
      guard media[id] == nil else {
        return try source.problem(record.location, "a second media record “\(id.prefix(64))”")
      }
      if let type = record["fileMediatype"], !type.hasPrefix("image/") {
        others.insert(id)
        return source.ignore("media of the type \(type.prefix(32))")
      }
      source.ignore(record, but: CamtrapDPReader.readOfMedia)
      let file = path.contains("://") ? record["fileName"] ?? path : path
      media[id] = Medium(
        file: file, location: record.location, deployment: record["deploymentID"],
        comment: record["mediaComments", "comments"], taken: source.captureTime(record["timestamp"])
      )
    }
    return (media, others)
  }

  private func photo(
    _ medium: Medium, _ pins: [String: ImportedPin], _ label: ImportedLabel?,
    _ location: ImportedLocation
  ) -> ImportedPhoto {
    var photo = ImportedPhoto(urlOrFile: medium.file, location: location)
    photo.labels = label.map { [$0] } ?? []
    photo.hasReportedMetadata = medium.isReported
    if !medium.isReported {
      photo.metadata.pin = medium.deployment.flatMap { pins[$0] }
      photo.metadata.caption = medium.comment
      photo.metadata.taken = medium.taken
    }
    return photo
  }

  // MARK: Observations

  /// Returns the medium and the label of an observation; nil after counting or reporting it.
  private func label(_ record: TableRecord) throws -> (medium: String, label: ImportedLabel)? {
    // Before version 1.0, observations with a medium are of it, and others of a sequence.
    let isOfMedium = record["observationLevel"].map { $0 == "media" } ?? true
    guard isOfMedium, let medium = record["mediaID"] else {
      source.ignore("observations of events, which do not say on which photos the animal is")
      return nil
    }
    let type = record["observationType"] ?? ""
    if type == "unclassified" {
      source.ignore("unclassified media")
      return nil
    }
    guard let name = record["scientificName"] ?? (type.isEmpty ? nil : type) else {
      try source.problem(record.location, "an observation without a type or a scientific name")
      return nil
    }
    source.ignore(record, but: CamtrapDPReader.readOfObservations)
    var label = ImportedLabel(name)
    label.text = record["observationComments", "comments"]
    let corners = ["bboxX", "bboxY", "bboxWidth", "bboxHeight"]
    if corners.contains(where: { record[$0] != nil }) {
      guard let box = record.numbers(corners) else {
        try source.problem(record.location, "the box has a cell that is not a number")
        return nil
      }
      label.box = .fractions(
        NormalizedRect(x: box[0], y: box[1], width: box[2], height: box[3]))
    }
    for name in ["classificationProbability", "classificationConfidence"]
    where record[name] != nil {
      guard let confidence = record.number(name), 0...1 ~= confidence else {
        try source.problem(record.location, "“\(name)” is not between 0 and 1")
        return nil
      }
      (label.confidence, label.isScored) = (confidence, true)
    }
    let (author, time) = (record["classifiedBy"], record["classificationTimestamp"])
    switch record["classificationMethod"] {
    case "human": label.attribute(toPerson: author, at: time)
    case "machine": label.attribute(toModel: author, at: time)
    default: label.time = importedTime(time)
    }
    return (medium, label)
  }
}
