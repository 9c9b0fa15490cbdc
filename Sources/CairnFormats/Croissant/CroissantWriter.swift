internal import CairnDocument
internal import CairnFiles
internal import Crypto
internal import SystemPackage

/// A writer of the table of ``CSVWriter`` and its description in `croissant.json`.
///
/// Source: MLCommons “Croissant Format Specification”, version 1.0.
final class CroissantWriter: FormatWriter {
  private let output: FormatOutput
  private let table: CSVWriter
  private static let tableName = "labels.csv"

  init(_ output: FormatOutput) throws {
    self.output = output
    table = try CSVWriter(output, name: CroissantWriter.tableName)
  }

  func write(_ photo: AnnotatedPhoto) throws { try table.write(photo) }

  func finish() throws {
    try table.finish()
    var hash = SHA256()
    try output.files.forEachPiece(of: output.root.appending(CroissantWriter.tableName)) {
      hash.update(bufferPointer: $0)
    }
    let digest = PhotoID(digest: hash.finalize()).description
    try output.write(description(tableDigest: digest).canonicalBytes, to: "croissant.json")
  }

  private func description(tableDigest: String) -> JSON {
    var distribution: [JSON] = [
      [
        "@type": "cr:FileObject", "@id": "table", "name": "table",
        "contentUrl": .string(CroissantWriter.tableName), "encodingFormat": "text/csv",
        "sha256": .string(tableDigest),
      ]
    ]
    if output.images.policy != .none {
      distribution.append([
        "@type": "cr:FileSet", "@id": "images", "name": "images",
        "encodingFormat": "image/*", "includes": "images/*",
      ])
    }
    return [
      "@context": CroissantWriter.context, "@type": "sc:Dataset",
      "conformsTo": "http://mlcommons.org/croissant/1.0", "name": .string(name),
      "description": .string("Labeled photos of the dataset “\(output.title)”."),
      "distribution": .array(distribution),
      "recordSet": [
        [
          "@type": "cr:RecordSet", "@id": "labels", "name": "labels",
          "field": .array(CSVWriter.columns.map(field)),
        ]
      ],
    ]
  }

  private func field(_ column: String) -> JSON {
    [
      "@type": "cr:Field", "@id": .string("labels/\(column)"), "name": .string(column),
      "dataType": .string(CroissantWriter.type(of: column)),
      "source": ["fileObject": ["@id": "table"], "extract": ["column": .string(column)]],
    ]
  }

  private static func type(of column: String) -> String {
    switch column {
    case "confidence", "x", "y", "width", "height": "sc:Float"
    case _ where PhotoColumn(rawValue: column)?.isNumber == true: "sc:Float"
    case "image_width", "image_height": "sc:Integer"
    default: "sc:Text"
    }
  }

  /// The title reduced to the characters that the specification allows: letters, digits, hyphens
  /// and underscores.
  private var name: String {
    let name = output.title.unicodeScalars.map { scalar -> Character in
      scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
        ? Character(scalar) : "-"
    }
    return name.isEmpty ? "dataset" : String(name)
  }

  /// The context of the specification, appendix 1.
  private static let context: JSON = [
    "@language": "en", "@vocab": "https://schema.org/", "citeAs": "cr:citeAs",
    "column": "cr:column", "conformsTo": "dct:conformsTo", "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/", "data": ["@id": "cr:data", "@type": "@json"],
    "dataType": ["@id": "cr:dataType", "@type": "@vocab"], "dct": "http://purl.org/dc/terms/",
    "examples": ["@id": "cr:examples", "@type": "@json"], "extract": "cr:extract",
    "field": "cr:field", "fileProperty": "cr:fileProperty", "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet", "format": "cr:format", "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset", "jsonPath": "cr:jsonPath", "key": "cr:key",
    "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path",
    "recordSet": "cr:recordSet", "references": "cr:references", "regex": "cr:regex",
    "repeated": "cr:repeated", "replace": "cr:replace", "sc": "https://schema.org/",
    "separator": "cr:separator", "source": "cr:source", "subField": "cr:subField",
    "transform": "cr:transform",
  ]
}
