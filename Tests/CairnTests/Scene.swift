import Cairn
import Foundation
import Testing

/// A dataset of its own in a temporary directory, used as another package would use it: through
/// `import Cairn` alone, without git's configuration.
final class Scene {
  let directory: URL
  let path: String
  let alice = Author(name: "Alice", email: "alice@example.org")

  init() throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("cairn-api-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    path = directory.appendingPathComponent("walk").path
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// Creates the dataset with a number of photos.
  func dataset(photos: Int) throws -> Dataset {
    let dataset = try Dataset.create(at: FilePath(path), name: "Walk", author: alice)
    let files = try (0..<photos).map { FilePath(try photo($0)) }
    for photo in try dataset.addPhotos(files) {
      #expect(photo.status == .added, "\(photo)")
    }
    return dataset
  }

  /// Writes a PNG file of one pixel, different for each number, and returns its path.
  func photo(_ number: Int) throws -> String {
    var data = try #require(
      Data(
        base64Encoded:
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5"
          + "ErkJggg=="))
    // What follows the image's end is a part of the file, and of its hash.
    data.append(contentsOf: "\(number)".utf8)
    let file = directory.appendingPathComponent("photo-\(number).png")
    try data.write(to: file)
    return file.path
  }

  /// Writes a labeler that predicts “oak” for every photo, and returns its path.
  func labelerProgram() throws -> String {
    let program = """
      import json, sys
      hello = {"cairn": "labeler", "protocol": 1, "name": "always", "version": "1"}
      print(json.dumps(hello), flush=True)
      for line in sys.stdin:
          labels = [{"name": "oak", "score": 0.75}]
          print(json.dumps({"id": json.loads(line)["id"], "labels": labels}), flush=True)
      """
    let file = directory.appendingPathComponent("labeler.py")
    try program.write(to: file, atomically: true, encoding: .utf8)
    return file.path
  }
}
