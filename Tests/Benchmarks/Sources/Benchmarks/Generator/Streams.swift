import Foundation

/// A buffered writer of a text file.
struct TextStream {
  private let handle: FileHandle
  private var buffer = Data()

  init(_ file: URL) throws {
    _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    handle = try FileHandle(forWritingTo: file)
  }

  mutating func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if buffer.count > 1 << 20 { try flush() }
  }

  mutating func close() throws {
    try flush()
    try handle.close()
  }

  private mutating func flush() throws {
    try handle.write(contentsOf: buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}

/// A writer of a commit on `main` in the format of `git fast-import`.
struct FastImportStream {
  private var stream: TextStream

  init(_ file: URL, message: String) throws {
    stream = try TextStream(file)
    try stream.write(
      """
      feature done
      commit refs/heads/main
      committer Bench <bench@example.org> 1769904000 +0000
      data \(message.utf8.count)
      \(message)
      from refs/heads/main^0

      """)
  }

  mutating func add(_ document: CanonicalDocument) throws {
    try stream.write(
      "M 100644 inline \(document.path)\ndata \(document.text.utf8.count)\n\(document.text)\n")
  }

  mutating func close() throws {
    try stream.write("done\n")
    try stream.close()
  }
}

extension Generator {
  /// Writes the same documents as lines and as a fast-import stream of one commit.
  func write(lines: URL, stream: URL) throws {
    var text = try TextStream(lines)
    var commit = try FastImportStream(stream, message: "Import \(documentCount) documents")
    try forEachDocument { document in
      try text.write(document.line + "\n")
      try commit.add(document)
    }
    try text.close()
    try commit.close()
  }

  /// Writes a commit with the changes of one side.
  func writeChanges(_ count: Int, side: Int, to file: URL) throws {
    var commit = try FastImportStream(file, message: "Change \(count) labels")
    try forEachChange(count, side: side) { try commit.add($0) }
    try commit.close()
  }
}
