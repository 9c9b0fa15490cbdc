import CairnFiles
import Foundation
import SystemPackage
import Testing

@Suite("Line reader")
struct LineReaderTests {
  /// Returns the blocks that are read from a text, with “…” for a line that is too long.
  private func blocks(of text: String, size: Int) throws -> [String] {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path
    try Data(text.utf8).write(to: URL(filePath: path))
    defer { unlink(path) }
    let file = try FileDescriptor.open(FilePath(path), .readOnly)
    defer { try? file.close() }
    var blocks = LineReader(file, size: size)
    var found: [String] = []
    while let block = try blocks.next() {
      switch block {
      case .lines(let bytes): found.append(String(decoding: bytes, as: UTF8.self))
      case .longLine: found.append("…")
      }
    }
    #expect(blocks.done == text.utf8.count)
    return found
  }

  @Test("returns blocks of whole lines and skips lines that are too long")
  func whole() throws {
    #expect(try blocks(of: "", size: 8) == [])
    #expect(try blocks(of: "a\nb", size: 8) == ["a\nb"])
    #expect(try blocks(of: "aaa\nbbb\nccc\n", size: 8) == ["aaa\nbbb\n", "ccc\n"])
    #expect(try blocks(of: "aaa\nbbbbb\nc", size: 8) == ["aaa\n", "bbbbb\nc"])
    #expect(try blocks(of: "123456789\nb\n", size: 8) == ["…", "b\n"])
    #expect(try blocks(of: "a\n" + String(repeating: "x", count: 50), size: 8) == ["a\n", "…"])
    #expect(try blocks(of: "12345678", size: 8) == ["…"])
  }
}
