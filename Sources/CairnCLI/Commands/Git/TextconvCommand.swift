import ArgumentParser
import Cairn
import SystemPackage

/// Run by git to show a document as text (`diff.cairn.textconv`).
///
/// Source: gitattributes(5), “Performing text diffs of binary files”.
struct Textconv: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "textconv", abstract: "Print a document as text, one fact per line.",
    shouldDisplay: false)

  @Argument(help: "The file that git wrote for the document.") var file: String

  /// Needs no dataset: git runs it on temporary files, in any directory.
  func run() throws {
    guard let input = try? FileDescriptor.open(FilePath(file), .readOnly) else {
      throw CairnError(.notFound, "The file “\(file)” cannot be read.")
    }
    defer { try? input.close() }
    var start: [UInt8] = []
    while start.count <= DocumentLimit.size {
      let piece = try input.piece()
      if piece.isEmpty { break }
      start += piece
    }
    // A file that does not parse is shown unchanged.
    guard start.count <= DocumentLimit.size, let lines = GitCommands.text(ofDocument: start)
    else {
      return try copy(start, then: input)
    }
    let text = lines.map { Console.printable($0) + "\n" }.joined()
    try FileDescriptor.standardOutput.writeAll(text.utf8)
  }

  private func copy(_ start: [UInt8], then input: FileDescriptor) throws {
    var piece = start
    while !piece.isEmpty {
      try FileDescriptor.standardOutput.writeAll(piece)
      piece = try input.piece()
    }
  }
}

extension FileDescriptor {
  /// Reads at most 64 KiB; empty at the end of the file.
  fileprivate func piece() throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      count = try read(into: UnsafeMutableRawBufferPointer(buffer))
    }
  }
}
