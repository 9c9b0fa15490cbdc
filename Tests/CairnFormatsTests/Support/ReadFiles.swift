import CairnBase
import CairnFiles
import CairnFormats
import Foundation
import SystemPackage

/// What a reader makes of files, as lines.
struct ReadFiles: Equatable {
  /// A line for each photo that the reader passes on: its file, then its labels.
  ///
  /// Example: `a.jpg: -elm, oak [0.1 0.2 0.5 0.4] 0.9 by ann, dog px[1 2 3 4] by model net@1`; an
  /// outline is the corner, the size and the area of its polygons: `px{1 2 3 4: 6 + 6}`.
  var photos: [String] = []
  var notes: [String] = []
  var problems: [String] = []
  var error: String?
  /// The photos themselves.
  var items: [ImportedPhoto] = []

  static func == (a: ReadFiles, b: ReadFiles) -> Bool {
    (a.photos, a.notes, a.problems) == (b.photos, b.notes, b.problems) && a.error == b.error
  }

  /// Writes the files to a temporary directory and reads it.
  ///
  /// - Parameter path: The file to read; nil to read the directory.
  init(_ format: ImportFormat, _ files: [String: String], path: String? = nil) throws {
    try self.init(format, files.mapValues { Data($0.utf8) }, path: path)
  }

  init(_ format: ImportFormat, _ files: [String: Data], path: String? = nil) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "cairn-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    for (name, bytes) in files {
      let file = root.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try bytes.write(to: file)
    }
    var result = (photos: [ImportedPhoto](), notes: [String](), problems: [String]())
    do {
      try forEachImportedItem(
        format, at: FilePath(root.appending(path: path ?? "").path), files: FileSystem(),
        scratch: FilePath(root.appending(path: ".scratch").path)
      ) { item in
        switch item {
        case .photo(let photo): result.photos.append(photo)
        case .note(let note): result.notes.append(note)
        case .problem(let location, let message): result.problems.append("\(location): \(message)")
        case .pin: break
        }
      }
    } catch let error as FormatError {
      self.error = "\(error)"
    }
    (items, notes, problems) = result
    photos = items.map { photo in
      let labels = photo.labels.map(ReadFiles.text).joined(separator: ", ")
      return labels.isEmpty ? photo.file : "\(photo.file): \(labels)"
    }
  }

  static func text(_ label: ImportedLabel) -> String {
    var text = (label.isAbsent ? "-" : "") + label.className
    func list(_ numbers: [Double]) -> String {
      numbers.map { String(format: "%g", ($0 * 1e6).rounded() / 1e6) }.joined(separator: " ")
    }
    switch label.box {
    case .fractions(let box)?: text += " [\(list([box.x, box.y, box.width, box.height]))]"
    case .pixels(let x, let y, let width, let height)?:
      text += " px[\(list([x, y, width, height]))]"
    case nil: break
    }
    if let outline = label.outline, let bounds = outline.polygons.bounds {
      let areas = outline.polygons.map { list([[$0].area]) }.joined(separator: " + ")
      let box = list([bounds.x, bounds.y, bounds.width, bounds.height])
      text += outline.unit == .pixels ? " px{\(box): \(areas)}" : " {\(box): \(areas)}"
    }
    if let confidence = label.confidence { text += " \(list([confidence]))" }
    if let model = label.model { text += " by model \(model)" }
    if label.isByPerson { text += " by \(label.annotator?.description ?? "a person")" }
    if let time = label.time { text += " at \(time)" }
    if let words = label.text { text += " “\(words)”" }
    return text
  }
}
