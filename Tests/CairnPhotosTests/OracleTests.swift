import CairnDocument
import CairnPhotos
import Foundation
import TestSupport
import Testing

/// The reference encoders show what real files look like.
@Suite("Files from cjpeg and cwebp")
struct OracleTests {
  private static let width = 97
  private static let height = 61

  @Test(
    "reads files of cjpeg and rejects truncated ones",
    arguments: [
      ["-baseline"], ["-progressive"], ["-restart", "1"], ["-progressive", "-restart", "2"],
      ["-grayscale", "-optimize"], ["-arithmetic"], ["-quality", "100", "-sample", "1x1"],
    ])
  func cjpeg(options: [String]) throws {
    guard let bytes = try encode("cjpeg", { options + ["-outfile", $1, $0] }) else { return }
    try check(bytes, .jpeg)
  }

  @Test(
    "reads files of cwebp and rejects truncated ones",
    arguments: [
      ["-q", "80"], ["-lossless"], ["-q", "5", "-size", "500"], ["-near_lossless", "40"],
    ])
  func cwebp(options: [String]) throws {
    guard let bytes = try encode("cwebp", { options + ["-quiet", $0, "-o", $1] }) else { return }
    try check(bytes, .webp)
  }

  /// Checks the size, and that the file is reported as truncated wherever it is cut.
  private func check(_ bytes: [UInt8], _ format: ImageFormat) throws {
    let expected = ImageFacts(
      format: format, width: Self.width, height: Self.height, bytes: bytes.count)
    #expect(try inspect(bytes) == expected)
    // Every length near the start and the end, and every sixteenth in between.
    for length in 4..<bytes.count
    where length < 1000 || length % 16 == 0 || length > bytes.count - 64 {
      #expect(refusal(of: bytes.prefix(length)) == .truncated(format), "at \(length)")
    }
  }

  /// Returns the output of `program` for a noisy gradient. Records an issue and returns nil if it
  /// is not installed.
  /// - Parameter arguments: Returns the arguments for the paths of the input and the output.
  private func encode(
    _ program: String, _ arguments: (String, String) -> [String]
  ) throws -> [UInt8]? {
    guard let executable = executable(program) else {
      Issue.record("\(program) is not installed: run `make setup`")
      return nil
    }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "cairn-photos-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (input, output) = (folder.appending(path: "in.ppm"), folder.appending(path: "out"))
    try Data(portablePixmap()).write(to: input)
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments(input.path, output.path)
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(program) failed")
    return try [UInt8](Data(contentsOf: output))
  }

  private func executable(_ program: String) -> URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":")
      .map { URL(filePath: String($0)).appending(path: program) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  private func portablePixmap() -> [UInt8] {
    var random = SeededGenerator(1)
    var bytes = Array("P6\n\(Self.width) \(Self.height)\n255\n".utf8)
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        bytes += [UInt8(2 * x), UInt8(3 * y), UInt8.random(in: 0...255, using: &random)]
      }
    }
    return bytes
  }
}
