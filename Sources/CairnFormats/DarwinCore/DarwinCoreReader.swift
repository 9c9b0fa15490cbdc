internal import CairnDocument

/// A reader of Darwin Core Archives, as GBIF, iNaturalist and museums publish them: the taxon of each
/// occurrence becomes the class of its media.
///
/// The archive has URLs of media, not the files: they are found by the names that download tools
/// give, see ``ImageNames``. Source: TDWG “Darwin Core text guide”; GBIF “Simple Multimedia”;
/// GBIF “Occurrence downloads”, format Darwin Core Archive.
struct DarwinCoreReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  /// The part of an occurrence that is kept in memory, since there may be a million of them: indexes
  /// of texts.
  private struct Occurrence {
    let name: Int32
    let person: Int32
    let page: Int32
    /// The time of the observation.
    let taken: Int32
    let location: CompactLocation?
    let time: Int64?
    let isAbsent: Bool
    var hasMedia = false
  }

  /// A ``ReportedLocation`` in little memory.
  private struct CompactLocation {
    let latitude: Double
    let longitude: Double
    let accuracy: Float?

    init?(_ location: ReportedLocation?) {
      guard let location else { return nil }
      (latitude, longitude) = (location.coordinate.latitude, location.coordinate.longitude)
      accuracy = location.accuracy.map { Float($0) }
    }

    var reported: ReportedLocation? {
      var location = Coordinate(latitude: latitude, longitude: longitude)
        .map { ReportedLocation($0) }
      location?.accuracy = accuracy.map { Double($0) }
      return location
    }
  }

  // Ids, and what follows from other columns.
  private static let readOfOccurrences: Set<String> = [
    DarwinCoreArchive.Table.id, "gbifID", "occurrenceID", "scientificName", "genericName",
    "specificEpithet", "infraspecificEpithet", "species", "vernacularName",
    "acceptedScientificName",
    "identifiedBy", "recordedBy", "references", "dateIdentified", "occurrenceStatus",
    "associatedMedia", "eventDate", "year", "month", "day", "startDayOfYear", "endDayOfYear",
    "decimalLatitude", "decimalLongitude", "coordinateUncertaintyInMeters", "hasCoordinate",
    "taxonKey", "acceptedTaxonKey", "speciesKey", "genusKey", "familyKey", "orderKey", "classKey",
    "phylumKey", "kingdomKey", "datasetKey", "mediaType", "lastInterpreted", "lastParsed",
    "lastCrawled",
  ]
  private static let readOfMedia: Set<String> = [
    DarwinCoreArchive.Table.id, "gbifID", "type", "format", "identifier", "accessURI", "title",
    "description", "references", "creator", "rightsHolder", "license", "rights", "publisher",
    "created", "CreateDate",
  ]

  /// Texts, each kept once.
  private struct Texts {
    private(set) var all: [String] = []
    private var indexes: [String: Int32] = [:]

    mutating func index(_ text: String?) -> Int32 {
      guard let text, !text.isEmpty else { return -1 }
      if let index = indexes[text] { return index }
      indexes[text] = Int32(all.count)
      all.append(text)
      return Int32(all.count - 1)
    }

    subscript(index: Int32) -> String? { index < 0 ? nil : all[Int(index)] }
  }

  func read() throws {
    let archive = try archive()
    guard let table = archive.occurrences else { return }
    for type in archive.others { source.ignore("the table of the type “\(type.prefix(64))”") }
    var texts = Texts()
    var occurrences: [String: Occurrence] = [:]
    try source.forEachRecord(of: table.path, table.form) { record in
      guard let id = record[DarwinCoreArchive.Table.id] ?? record["gbifID", "occurrenceID"] else {
        return try source.problem(record.location, "an occurrence without an id")
      }
      guard let name = DarwinCoreReader.name(record, table.defaults) else {
        return source.ignore("occurrences without a scientific name")
      }
      source.ignore(record, but: DarwinCoreReader.readOfOccurrences)
      let location = record.location(
        "decimalLatitude", "decimalLongitude", accuracy: "coordinateUncertaintyInMeters")
      occurrences[id] = Occurrence(
        name: texts.index(name), person: texts.index(record["identifiedBy", "recordedBy"]),
        page: texts.index(record["references"]), taken: texts.index(record["eventDate"]),
        location: CompactLocation(location),
        time: importedTime(record["dateIdentified"]),
        isAbsent: record["occurrenceStatus"]?.uppercased() == "ABSENT")
      if archive.media == nil { try readAssociatedMedia(record, id, texts, occurrences[id]) }
    }
    guard let media = archive.media else { return }
    try source.forEachRecord(of: media.path, media.form) { record in
      try read(record, media.defaults, texts, &occurrences)
    }
    let without = occurrences.values.count { !$0.hasMedia }
    if without > 0 { source.ignore("occurrences without a photo", without) }
  }

  private func archive() throws -> DarwinCoreArchive {
    let path = source.file ?? "meta.xml"
    guard let bytes = try source.read(path) else {
      throw FormatError(
        source.location, "there is no meta.xml; unpack the archive and give its directory")
    }
    do {
      return try DarwinCoreArchive(XMLReader.read(bytes), path)
    } catch let error as XMLError {
      throw FormatError(ImportedLocation(path, line: error.line), error.message)
    }
  }

  /// Returns the name of the taxon without its author, if the archive has its parts.
  private static func name(_ record: TableRecord, _ defaults: [String: String]) -> String? {
    let parts = ["genericName", "specificEpithet", "infraspecificEpithet"].map { record[$0] }
    if let genus = parts[0] {
      return [genus, parts[1], parts[1] == nil ? nil : parts[2]].compactMap { $0 }
        .joined(separator: " ")
    }
    return record["species", "scientificName"] ?? defaults["scientificName"]
      ?? record["vernacularName"]
  }

  private func label(_ occurrence: Occurrence, _ texts: Texts) -> ImportedLabel {
    var label = ImportedLabel(texts[occurrence.name] ?? "")
    // Names are separated by “|”.
    label.attribute(to: (texts[occurrence.person] ?? "").split(separator: "|").map(String.init))
    label.time = occurrence.time
    label.isAbsent = occurrence.isAbsent
    return label
  }

  /// Reads a row of the media table.
  private func read(
    _ record: TableRecord, _ defaults: [String: String], _ texts: Texts,
    _ occurrences: inout [String: Occurrence]
  ) throws {
    guard let id = record[DarwinCoreArchive.Table.id] ?? record["gbifID", "occurrenceID"],
      let occurrence = occurrences[id]
    else {
      return source.ignore("media of occurrences that have no scientific name or are not listed")
    }
    let type = record["type"] ?? defaults["type"] ?? ""
    let format = record["format"] ?? defaults["format"] ?? ""
    let isImage = ["", "StillImage", "Image", "image"].contains(
      String(type.split(separator: "/").last ?? ""))
    guard isImage, format.isEmpty || format.hasPrefix("image/") || !format.contains("/") else {
      return source.ignore("media of the type \((type.isEmpty ? format : type).prefix(64))")
    }
    guard let address = record["accessURI", "identifier"] else {
      return try source.problem(record.location, "a media record without “identifier”")
    }
    source.ignore(record, but: DarwinCoreReader.readOfMedia)
    var photo = ImportedPhoto(urlOrFile: address, id: id, location: record.location)
    photo.labels = [label(occurrence, texts)]
    photo.metadata.title = record["title"]
    photo.metadata.caption = record["description"]
    let page = record["references"] ?? texts[occurrence.page]
    let credit: [(String, String?)] = [
      ("author", record["creator", "rightsHolder"] ?? defaults["creator"]),
      ("licence", record["license", "rights"] ?? defaults["license"]), ("page", page),
      ("service", record["publisher"] ?? defaults["publisher"]),
      ("url", address.contains("://") ? address : nil),
    ]
    for (key, text) in credit { photo.metadata.credit[key] = text }
    photo.metadata.taken = source.captureTime(
      record["created", "CreateDate"] ?? texts[occurrence.taken])
    photo.metadata.place = occurrence.location?.reported
    occurrences[id]?.hasMedia = true
    try source.photo(photo)
  }

  /// Reads the photos that an occurrence itself names, separated by “|”.
  private func readAssociatedMedia(
    _ record: TableRecord, _ id: String, _ texts: Texts, _ occurrence: Occurrence?
  ) throws {
    guard let list = record["associatedMedia"], let occurrence else {
      return source.ignore("occurrences without a photo")
    }
    for address in list.split(separator: "|") {
      let address = String(address).trimmingSpaces()
      var photo = ImportedPhoto(urlOrFile: address, id: id, location: record.location)
      photo.labels = [label(occurrence, texts)]
      if address.contains("://") { photo.metadata.credit["url"] = address }
      photo.metadata.credit["page"] = texts[occurrence.page]
      photo.metadata.taken = source.captureTime(texts[occurrence.taken])
      photo.metadata.place = occurrence.location?.reported
      try source.photo(photo)
    }
  }
}
