internal import CairnDocument

/// A writer of a Darwin Core Archive: `occurrence.txt` with a row for each class on a photo,
/// `multimedia.txt` with its image, and `meta.xml`, which describes both.
///
/// The name of a class is the scientific name. Cells have no tabs and line breaks, as GBIF writes
/// them. Source: TDWG “Darwin Core text guide”; GBIF “Simple Multimedia”.
final class DarwinCoreWriter: FormatWriter {
  private let output: FormatOutput
  private let occurrences: OutputFile
  private let media: OutputFile

  private static let occurrenceTerms = [
    "http://rs.tdwg.org/dwc/terms/occurrenceID", "http://rs.tdwg.org/dwc/terms/basisOfRecord",
    "http://rs.tdwg.org/dwc/terms/occurrenceStatus", "http://rs.tdwg.org/dwc/terms/scientificName",
    "http://rs.tdwg.org/dwc/terms/identifiedBy",
    "http://rs.tdwg.org/dwc/terms/identificationVerificationStatus",
    "http://rs.tdwg.org/dwc/terms/eventDate", "http://rs.tdwg.org/dwc/terms/decimalLatitude",
    "http://rs.tdwg.org/dwc/terms/decimalLongitude", "http://rs.tdwg.org/dwc/terms/geodeticDatum",
    "http://rs.tdwg.org/dwc/terms/locality", "http://purl.org/dc/terms/references",
  ]
  private static let mediaTerms = [
    "type", "format", "identifier", "references", "title", "description", "created", "creator",
    "publisher", "license",
  ].map { "http://purl.org/dc/terms/\($0)" }

  init(_ output: FormatOutput) throws {
    self.output = output
    occurrences = try output.open("occurrence.txt")
    media = try output.open("multimedia.txt")
    func names(_ terms: [String]) -> [String] {
      terms.map { String($0.split(separator: "/").last ?? "") }
    }
    try occurrences.write(DarwinCoreWriter.row(names(DarwinCoreWriter.occurrenceTerms)))
    try media.write(DarwinCoreWriter.row(["coreid"] + names(DarwinCoreWriter.mediaTerms)))
  }

  private static func row(_ cells: [String?]) -> String {
    let cells = cells.map { cell in
      (cell ?? "").split(whereSeparator: { $0 == "\t" || $0.isNewline }).joined(separator: " ")
    }
    return cells.joined(separator: "\t") + "\n"
  }

  func write(_ photo: AnnotatedPhoto) throws {
    let path = try output.placeImage(photo, in: "images")
    let taken = photo.image.taken?.description
    for label in photo.labels {
      let id = "\(photo.id)-\(label.labelClass.key.text)"
      let isByModels = label.state == .predicted
      // People are named by their addresses, models as `model:NAME@VERSION`.
      let annotators = label.annotators.map { $0.isHuman ? $0.identity : $0.description }
      func degrees(_ value: Double?) -> String? { value.map { JSONNumber($0).text } }
      let cells: [String?] = [
        id, isByModels ? "MachineObservation" : "HumanObservation",
        label.state == .rejected ? "absent" : "present", label.labelClass.name,
        annotators.joined(separator: " | "), label.state.rawValue, taken,
        degrees(photo.location?.latitude), degrees(photo.location?.longitude),
        photo.location == nil ? nil : "WGS84", photo.pin?.name, photo.credit?.page,
      ]
      try occurrences.write(DarwinCoreWriter.row(cells))
      let format = photo.image.format.rawValue
      try media.write(
        DarwinCoreWriter.row([
          id, "StillImage", "image/\(format)", path, photo.credit?.page, photo.title, photo.caption,
          taken, photo.credit?.author, photo.credit?.service, photo.credit?.license,
        ]))
    }
  }

  func finish() throws {
    try occurrences.close()
    try media.close()
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <archive xmlns="http://rs.tdwg.org/dwc/text/">
      \(table("core", "http://rs.tdwg.org/dwc/terms/Occurrence", "occurrence.txt", "id"))\
      \(table("extension", "http://rs.gbif.org/terms/1.0/Multimedia", "multimedia.txt", "coreid"))\
      </archive>

      """
    try output.write(Array(text.utf8), to: "meta.xml")
  }

  private func table(_ element: String, _ type: String, _ file: String, _ id: String) -> String {
    let isCore = id == "id"
    let terms = isCore ? DarwinCoreWriter.occurrenceTerms : DarwinCoreWriter.mediaTerms
    let fields = terms.enumerated().map { index, term in
      "    <field index=\"\(isCore ? index : index + 1)\" term=\"\(term)\"/>\n"
    }
    return """
        <\(element) encoding="UTF-8" fieldsTerminatedBy="\\t" linesTerminatedBy="\\n" \
      fieldsEnclosedBy="" ignoreHeaderLines="1" rowType="\(type)">
          <files><location>\(file)</location></files>
          <\(id) index="0"/>
      \(fields.joined())  </\(element)>

      """
  }
}
