import CairnBase
import CairnDocument
import Foundation
import TestSupport
import Testing

@testable import CairnPhotos

private let photoFolder = ProcessInfo.processInfo.environment["CAIRN_PHOTOS"]

/// exiftool is the reference for what a file contains.
@Suite("Metadata")
struct MetadataTests {
  @Test("reads tags that exiftool wrote in many forms as exiftool does")
  func corpus() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let made = try oracle("corpus", folder)
    try #require(made.status == 0, "\(made.output)")
    let compared = try compare(folder)
    #expect(compared.status == 0, "\(compared.output)")
    #expect(compared.output.hasPrefix("110 files, "), "\(compared.output)")
    for file in try images(below: folder) { try checkExcerpt([UInt8](Data(contentsOf: file))) }
  }

  /// Checks that the copy without pixels has all metadata of the file.
  private func checkExcerpt(
    _ bytes: [UInt8], location: SourceLocation = #_sourceLocation
  ) throws {
    let facts = try inspect(bytes)
    let excerpt = try #require(
      imageWithoutPixels { Array(bytes.dropFirst($0).prefix($1)) }, sourceLocation: location)
    let whole = bytes.withUnsafeBytes { PhotoMetadata(of: $0, facts) }
    let part = excerpt.withUnsafeBytes { PhotoMetadata(of: $0, facts) }
    #expect(part == whole, sourceLocation: location)
    #expect(
      excerpt.count < bytes.count || facts.format == .heic, sourceLocation: location)
  }

  /// `CAIRN_PHOTOS=~/Pictures swift test --filter MetadataTests`
  @Test(
    "reads the photos of a folder as exiftool does",
    .enabled(if: photoFolder != nil, "CAIRN_PHOTOS names no folder"))
  func photos() throws {
    let compared = try compare(URL(filePath: try #require(photoFolder)))
    #expect(compared.status == 0, "\(compared.output)")
  }

  @Test("reads only valid metadata from damaged files", arguments: UInt64(0)..<6)
  func damage(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try #require(try oracle("corpus", folder).status == 0)
    for file in try images(below: folder) {
      var bytes = [UInt8](try Data(contentsOf: file))
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        // The metadata are in the first bytes.
        bytes[Int.random(in: 2..<min(700, bytes.count), using: &random)] ^=
          1 << UInt8.random(in: 0..<8, using: &random)
      }
      guard let facts = try? inspect(bytes) else { continue }
      let metadata = bytes.withUnsafeBytes { PhotoMetadata(of: $0, facts) }
      #expect(metadata.orientation.map { (1...8).contains($0) } ?? true)
      #expect(metadata.location.map { $0.altitude?.isFinite ?? true } ?? true)
      #expect(metadata.keywords.count <= 1000)
      for region in metadata.regions {
        #expect(region.box.isWithinPhoto)
      }
    }
  }

  @Test("prefers a value of the sidecar to one in the file")
  func sidecar() throws {
    let image = try #require(blobs(seed: 1, width: 30, height: 20).jpegBytes(quality: 80))
    let facts = try inspect(image)
    let xmp = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
      exif:GPSLatitude="39,6.9N" exif:GPSLongitude="108,24,3.6W"
      exif:DateTimeOriginal="2024-05-01T12:30">
      <dc:subject><rdf:Bag><rdf:li>owl</rdf:li></rdf:Bag></dc:subject>
      </rdf:Description></rdf:RDF></x:xmpmeta>
      """
    let metadata = image.withUnsafeBytes { PhotoMetadata(of: $0, facts, sidecar: Array(xmp.utf8)) }
    #expect(metadata.keywords.map(\.text) == ["owl"])
    #expect(metadata.keywords.map(\.source) == ["xmp:dc:subject"])
    #expect(metadata.taken?.description == "2024-05-01T12:30:00")
    #expect(metadata.location?.coordinate.latitude == 39.115)
    #expect(metadata.location?.coordinate.longitude == -108.401)
    #expect(metadata.sidecarFailure == nil)
    let broken = image.withUnsafeBytes {
      PhotoMetadata(of: $0, facts, sidecar: Array("<x:xmpmeta".utf8))
    }
    #expect(broken.sidecarFailure != nil)
    #expect(broken.keywords.isEmpty)
  }

  // MARK: The oracle

  private func compare(_ folder: URL) throws -> (status: Int32, output: String) {
    let folder = folder.resolvingSymlinksInPath()
    var facts: [String: [String: Any]] = [:]
    for file in try images(below: folder) {
      let bytes = [UInt8](try Data(contentsOf: file))
      let image = try inspect(bytes)
      let metadata = bytes.withUnsafeBytes { PhotoMetadata(of: $0, image) }
      facts[String(file.path.dropFirst(folder.path.count + 1))] = metadata.rendered
    }
    let list = try temporaryFolder().appending(path: "facts.json")
    try JSONSerialization.data(withJSONObject: facts).write(to: list)
    defer { try? FileManager.default.removeItem(at: list.deletingLastPathComponent()) }
    return try oracle("compare", folder, list.path)
  }

  private func oracle(
    _ command: String, _ folder: URL, _ more: String...
  ) throws -> (status: Int32, output: String) {
    let python = try #require(
      Python.program(having: "PIL"), "Python has no Pillow: run `make setup`")
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: python)
    process.arguments =
      [
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "metadata.py").path,
        command, folder.path,
      ] + more
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  private func images(below folder: URL) throws -> [URL] {
    let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (all?.compactMap { $0 as? URL } ?? [])
      .filter { ImageFormat.knownExtensions.contains($0.pathExtension.lowercased()) }
      .map { $0.resolvingSymlinksInPath() }.sorted { $0.path < $1.path }
  }

  private func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "cairn-metadata-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}

extension PhotoMetadata {
  fileprivate var rendered: [String: Any] {
    var members: [String: Any] = ["keywords": keywords.map(\.text)]
    members["taken"] = taken?.description
    members["orientation"] = orientation
    members["title"] = title
    members["description"] = description
    members["place"] = location.map { location -> [Any] in
      [
        location.coordinate.latitude, location.coordinate.longitude,
        location.altitude.map { $0 as Any } ?? NSNull(),
      ]
    }
    members["regions"] = regions.map { region -> [Any] in
      let box = region.box
      return [region.name, box.x, box.y, box.x + box.width, box.y + box.height]
    }
    return members
  }
}
