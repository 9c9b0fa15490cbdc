import Cairn
import CairnBase

/// Prints a photo with its metadata, resolutions and labels.
///
/// - Parameters:
///   - erasure: How its image was erased; nil if it was not.
///   - redaction: How facts about it were erased; nil if none were.
func printPhoto(
  _ record: PhotoRecord, _ erasure: Erasure?, _ redaction: Redaction? = nil,
  _ globals: GlobalOptions
) {
  var object = record.rendered.object ?? [:]
  object["erased"] = erasure?.rendered ?? .null
  object["redacted"] = redaction?.rendered
  Console.print(globals, .object(object)) {
    let photo = record.photo
    Console.print("\(Style.bold(Console.printable(record.name)))  \(photo.id)")
    let image = photo.image
    Console.print(
      "\(image.format.rawValue) \(image.width)×\(image.height), \(image.bytes) bytes")
    for line in (erasure?.lines ?? []) + (redaction?.lines ?? []) { Console.print(line) }
    for line in image.lines { Console.print(line) }
    if !photo.caption.value.isEmpty { Console.print(Console.printable(photo.caption.value)) }
    if let pin = photo.pin.value { Console.print("at pin \(pin)") }
    for line in photo.credit?.value?.lines ?? [] { Console.print(line) }
    switch record.visibility {
    case .visible: break
    case .removed: Console.print(Style.yellow("removed") + "; `cairn photo restore` restores it")
    case .restored(let annotator):
      Console.print("removed, but restored by a later label from \(annotator.identity)")
    }
    if !record.resolution.isEmpty { Console.print() }
    for resolution in record.resolution { Console.print(resolution.line) }
    if !record.labels.isEmpty { Console.print() }
    let rows = record.labels.map { label in
      [
        label.annotator.identity, label.classKey.text, label.verdict.rawValue + label.origin,
        label.annotator.isHuman && label.confidence == 1 ? "" : label.exactConfidence.text,
        localTime(label.stamp),
      ]
    }
    Console.table(rows).forEach { Console.print("  " + $0) }
  }
}

extension Label {
  /// Whether the label has a region, and the metadata field that it was read from: “ in a box, from
  /// xmp:dc:subject”.
  fileprivate var origin: String {
    (region.map { " " + $0.phrase } ?? "") + (source.map { ", from \($0)" } ?? "")
  }
}

extension Region {
  /// The kind of region: “in a box”, “in an outline of 12 points”.
  var phrase: String {
    if polygons.isEmpty { return isCrowd ? "in the box of a crowd" : "in a box" }
    return "in \(isCrowd ? "the outline of a crowd," : "an outline of") "
      + count(polygons.pointCount, "point")
  }
}

extension ImageFacts {
  /// When, where and how the photo was taken according to its file, one fact per line.
  fileprivate var lines: [String] {
    var lines: [String] = []
    if let taken {
      let text = taken.description.map { $0 == "T" ? " " : $0 }
      lines.append("taken \(String(text))" + (camera.map { ", \($0)" } ?? ""))
    } else if let camera {
      lines.append("taken with \(camera)")
    }
    if let location {
      let (latitude, longitude) = (location.coordinate.latitude, location.coordinate.longitude)
      lines.append(
        "at \(latitude), \(longitude)"
          + (location.altitude.map { ", \($0) m above sea level" } ?? ""))
    }
    if !keywords.isEmpty { lines.append("keywords: " + keywords.joined(separator: ", ")) }
    let names = regions.compactMap(\.name)
    if !names.isEmpty { lines.append("names: " + names.joined(separator: ", ")) }
    let unnamed = regions.count - names.count
    if unnamed > 0 { lines.append(count(unnamed, "unnamed region") + " in its metadata") }
    if let orientation, orientation != 1 { lines.append("stored in orientation \(orientation)") }
    return lines.map(Console.printable)
  }
}
