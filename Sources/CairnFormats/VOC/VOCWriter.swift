internal import CairnBase
internal import CairnDocument

/// A writer of an XML file of objects per image, and of lists of images.
///
/// Boxes are continuous pixels from the top left corner, as labelme and CVAT write them. Labels of
/// whole photos are in `ImageSets/Main/<class>_<subset>.txt`: 1 present, -1 absent; photos with
/// neither are not listed. Source: The PASCAL VOC Challenge 2012 Development Kit.
final class VOCWriter: FormatWriter {
  private let output: FormatOutput
  /// Lines not yet written to their files.
  private var lists: [String: [UInt8]] = [:]

  private static let limit = 1 << 15

  init(_ output: FormatOutput) { self.output = output }

  func write(_ photo: AnnotatedPhoto) throws {
    let split = photo.split ?? "trainval"
    let path = try output.placeImage(photo, in: "JPEGImages")
    try add("\(photo.id)\n", to: split)
    var objects = ""
    for label in photo.labels {
      if label.labelsWholePhoto {
        let mark = label.state == .rejected ? "-1" : " 1"
        try add("\(photo.id) \(mark)\n", to: "\(label.labelClass.key)_\(split)")
      }
      for box in label.boxes {
        objects += VOCWriter.object(label.labelClass.key.text, box.region, photo.image)
      }
    }
    let parts = path.split(separator: "/")
    let text = """
      <annotation>
        <folder>\(parts.dropLast().joined(separator: "/"))</folder>
        <filename>\(parts[parts.count - 1])</filename>
        <size>
          <width>\(photo.image.width)</width>
          <height>\(photo.image.height)</height>
          <depth>3</depth>
        </size>
        <segmented>0</segmented>
      \(objects)</annotation>

      """
    try output.write(Array(text.utf8), to: "Annotations/\(photo.id).xml")
  }

  private static func object(_ name: String, _ region: Region, _ image: ImageFacts) -> String {
    let box = region.pixels(image)
    func text(_ number: Double) -> String { JSONNumber(number).text }
    return """
        <object>
          <name>\(name)</name>
          <pose>Unspecified</pose>
          <truncated>0</truncated>
          <difficult>0</difficult>
          <bndbox>
            <xmin>\(text(box.x))</xmin>
            <ymin>\(text(box.y))</ymin>
            <xmax>\(text(box.x + box.width))</xmax>
            <ymax>\(text(box.y + box.height))</ymax>
          </bndbox>
        </object>

      """
  }

  private func add(_ line: String, to list: String) throws {
    lists[list, default: []] += line.utf8
    if lists[list]!.count > VOCWriter.limit { try flush(list) }
  }

  private func flush(_ list: String) throws {
    try output.append(lists[list] ?? [], to: "ImageSets/Main/\(list).txt")
    lists[list] = []
  }

  func finish() throws { for list in lists.keys.sorted() { try flush(list) } }
}
