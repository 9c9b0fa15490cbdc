internal import CairnFiles
package import Foundation
package import SystemPackage

/// A temporary directory, removed with the object.
package final class TemporaryDirectory: Sendable {
  /// Its path, without symbolic links.
  package let root: FilePath

  package init() {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "cairn-test-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
    // If this fails, so does the first test that writes to it.
    try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    root = FilePath(directory.resolvingSymlinksInPath().path(percentEncoded: false))
  }

  /// Whether the file system of temporary directories keeps extended attributes.
  package static let keepsAttributes: Bool = {
    let directory = TemporaryDirectory()
    return withExtendedLifetime(directory) {
      guard let path = try? directory.write("", to: "file"),
        let file = try? FileDescriptor.open(path, .readWrite)
      else { return false }
      defer { try? file.close() }
      file.setAttribute("user.test", to: [1])
      return file.attribute("user.test", count: 1) == [1]
    }
  }()

  deinit { try? FileManager.default.removeItem(atPath: root.string) }

  /// Returns the path of a file, such as `a/b`.
  package func path(_ name: String) -> FilePath { FilePath("\(root.string)/\(name)") }

  package func url(_ name: String) -> URL { URL(filePath: path(name).string) }

  /// Writes a file, with the directories above it, and returns its path.
  @discardableResult
  package func write(_ bytes: some Collection<UInt8>, to name: String) throws -> FilePath {
    let path = path(name)
    let url = URL(filePath: path.string)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return path
  }

  @discardableResult
  package func write(_ text: String, to name: String) throws -> FilePath {
    try write(text.utf8, to: name)
  }
}
