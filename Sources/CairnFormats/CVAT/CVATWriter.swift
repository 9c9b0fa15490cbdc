internal import CairnBase
internal import CairnDocument

/// A writer of “CVAT for images 1.1”: `annotations.xml` with tags, boxes, polygons and masks, and
/// `images/`, below a directory for each subset of a split dataset.
///
/// Labels of models have the source `auto`, others `manual`. Shapes are in pixels from the top left
/// corner. Source: CVAT “XML annotation format”, version 1.1.
final class CVATWriter: FormatWriter {
  private let output: FormatOutput
  private let file: OutputFile
  private var count = 0

  init(_ output: FormatOutput, _ classes: [AnnotationClass]) throws {
    self.output = output
    file = try output.open("annotations.xml")
    try file.write(
      """
      <?xml version="1.0" encoding="utf-8"?>
      <annotations>
        <version>1.1</version>
        <meta>
          <task>
            <name>\(output.title.xmlEscaped)</name>
            <labels>

      """)
    for labelClass in classes {
      let name = labelClass.key.text.xmlEscaped
      try file.write(
        "        <label><name>\(name)</name><type>any</type><attributes></attributes></label>\n")
    }
    try file.write("      </labels>\n    </task>\n  </meta>\n")
  }

  func write(_ photo: AnnotatedPhoto) throws {
    let directory = photo.split.map { "images/\($0)" } ?? "images"
    let path = try output.placeImage(photo, in: directory)
    // Names are relative to the directory of the images.
    let name = path == "\(directory)/\(photo.fileName)" ? photo.fileName : path
    let subset = photo.split.map { " subset=\"\($0.xmlEscaped)\"" } ?? ""
    try file.write(
      "  <image id=\"\(count)\" name=\"\(name.xmlEscaped)\"\(subset) width=\"\(photo.image.width)\" "
        + "height=\"\(photo.image.height)\">\n")
    count += 1
    for exported in photo.labels.flatMap(\.exportedLabels) {
      try file.write("    \(CVATWriter.element(exported, photo.image))\n")
    }
    try file.write("  </image>\n")
  }

  private static func element(_ exported: ExportedLabel, _ image: ImageFacts) -> String {
    let source = exported.label.state == .predicted ? "auto" : "manual"
    let name = exported.label.labelClass.key.text.xmlEscaped
    let common = "label=\"\(name)\" source=\"\(source)\""
    guard let region = exported.region else { return "<tag \(common)></tag>" }
    if !region.polygons.isEmpty { return outline(region.outlinePixels(image), common) }
    let box = region.pixels(image)
    return "<box \(common) occluded=\"0\" xtl=\"\(text(box.x))\" ytl=\"\(text(box.y))\" "
      + "xbr=\"\(text(box.x + box.width))\" ybr=\"\(text(box.y + box.height))\" z_order=\"0\"></box>"
  }

  /// Returns the element of an outline in pixels: a polygon, which has one ring, or else a mask.
  private static func outline(_ polygons: [Polygon], _ common: String) -> String {
    let needsMask = polygons.count > 1 || polygons.contains { !$0.holes.isEmpty }
    if needsMask, let mask = mask(polygons, common) { return mask }
    let points = polygons.singleRing.map { "\(text($0.x)),\(text($0.y))" }.joined(separator: ";")
    return "<polygon \(common) occluded=\"0\" points=\"\(points)\" z_order=\"0\"></polygon>"
  }

  /// Returns a mask: runs of background and foreground by turns, row by row in the frame around it;
  /// nil if the outline is so thin that it has no pixel.
  private static func mask(_ polygons: [Polygon], _ common: String) -> String? {
    guard let box = polygons.bounds else { return nil }
    let (left, top) = (box.x.rounded(.down), box.y.rounded(.down))
    let (width, height) = (
      Int((box.x + box.width - left).rounded(.up)), Int((box.y + box.height - top).rounded(.up))
    )
    // Rows are written as columns, so that x and y change places.
    let turned = polygons.map { polygon in
      polygon.mapped { Polygon.Point(x: $0.y - top, y: $0.x - left) }
    }
    guard let mask = RunLengthMask(filling: turned, width: height, height: width), mask.area > 0
    else { return nil }
    let runs = mask.counts.map(String.init).joined(separator: ", ")
    return "<mask \(common) occluded=\"0\" rle=\"\(runs)\" left=\"\(Int(left))\" "
      + "top=\"\(Int(top))\" width=\"\(width)\" height=\"\(height)\" z_order=\"0\"></mask>"
  }

  private static func text(_ number: Double) -> String { JSONNumber(number).text }

  func finish() throws {
    try file.write("</annotations>\n")
    try file.close()
  }
}
