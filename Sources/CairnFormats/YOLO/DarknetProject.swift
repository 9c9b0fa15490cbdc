internal import CairnDocument

/// The files of a Darknet project beside its labels: `obj.data`, `obj.names`, and lists of images
/// such as `train.txt`.
///
/// Source: Darknet, “How to train”; CVAT “YOLO” and other exports of the same layout.
struct DarknetProject {
  let names: [Int: String]
  /// The paths of the listed images, by the path without extension of their label files.
  private(set) var images: [String: String] = [:]
  /// The paths of the lists.
  private(set) var lists: Set<String> = []

  /// Reads the project of a directory; nil when there is neither a `.data` nor a `.names` file.
  init?(_ source: ImportReader) throws {
    let files = try source.names(in: "", areDirectories: false)
    var settings: [String: String] = [:]
    if let path = files.first(where: { $0.hasSuffix(".data") }) {
      try source.forEachTextLine(of: path) { line, _ in
        let pair = line.split(separator: "=", maxSplits: 1)
        guard pair.count == 2 else { return }
        settings[String(pair[0]).trimmingSpaces()] = String(pair[1]).trimmingSpaces()
      }
    }
    let named = try settings["names"].flatMap { try DarknetProject.found($0, source) }
    guard let path = named ?? files.first(where: { $0.hasSuffix(".names") }),
      let lines = try source.lines(of: path)
    else { return nil }
    // An empty line counts as a number.
    names = Dictionary(
      uniqueKeysWithValues: lines.map { $0.trimmingSpaces() }.enumerated()
        .filter { !$0.element.isEmpty }.map { ($0.offset, $0.element) })
    let usual = ["train.txt", "valid.txt", "val.txt", "test.txt"]
    for list in ["train", "valid", "test"].compactMap({ settings[$0] }) + usual {
      guard let path = try DarknetProject.found(list, source), path.hasSuffix(".txt"),
        lists.insert(path).inserted
      else { continue }
      try readList(path, source)
    }
  }

  /// Returns a path in the directory of a path that was relative to Darknet's own; nil when there is
  /// none.
  private static func found(_ path: String, _ source: ImportReader) throws -> String? {
    var parts = path.split(separator: "/").filter { $0 != "." && $0 != ".." }
    for _ in 0..<min(parts.count, 16) {
      let candidate = parts.joined(separator: "/")
      if try source.exists(candidate) { return candidate }
      parts.removeFirst()
    }
    return nil
  }

  private mutating func readList(_ path: String, _ source: ImportReader) throws {
    try source.forEachTextLine(of: path) { line, _ in
      let image = line.trimmingSpaces()
      let stem = ImageStems.stem(of: image)
      guard stem != image, let label = try DarknetProject.found(stem + ".txt", source) else {
        return
      }
      let suffix = image.dropFirst(stem.count)
      let labelStem = ImageStems.stem(of: label)
      images[labelStem] = labelStem + suffix
    }
  }
}
