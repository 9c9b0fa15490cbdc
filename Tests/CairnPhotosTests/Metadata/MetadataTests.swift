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
    #expect(compared.output.hasPrefix("111 files, "), "\(compared.output)")
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

  /// Photos.md says how to run it.
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

  /// Returns a JPEG with an ASCII tag of its first Exif directory.
  private func image(_ tag: UInt8, _ text: String) throws -> [UInt8] {
    let jpeg = try #require(blobs(seed: 1, width: 30, height: 20).jpegBytes(quality: 80))
    let text = Array(text.utf8) + [0]
    // Source: TIFF 6.0, section 2. The text is after the header and the directory of one entry.
    let directory: [UInt8] = [
      1, 0, tag, 1, 2, 0, UInt8(text.count), 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0,
    ]
    let exif = Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0] + directory + text
    return jpeg[..<2] + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + jpeg[2...]
  }

  @Test(
    "leaves out a description that cameras write, but no sentence that mentions one",
    arguments: [
      ("OLYMPUS DIGITAL CAMERA", nil), ("KONICA MINOLTA DIGITAL CAMERA", nil), ("SONY DSC", nil),
      ("Grandma with her first digital camera", "Grandma with her first digital camera"),
    ] as [(String, String?)])
  func cameraDescription(text: String, description: String?) throws {
    let image = try image(0x0E, text)
    let facts = try inspect(image)
    #expect(image.withUnsafeBytes { PhotoMetadata(of: $0, facts) }.description == description)
  }

  @Test("prefers a value of the sidecar to one in the file")
  func sidecar() throws {
    let image = try image(0x10, "Embedded 1")
    let facts = try inspect(image)
    let xmp = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
      xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Model="Sidecar 2"
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
    #expect(metadata.camera == "Sidecar 2")
    #expect(metadata.sidecarFailure == nil)
    let broken = image.withUnsafeBytes {
      PhotoMetadata(of: $0, facts, sidecar: Array("<x:xmpmeta".utf8))
    }
    #expect(broken.sidecarFailure != nil)
    #expect(broken.camera == "Embedded 1")
    #expect(broken.keywords.isEmpty)
  }

  @Test("reads the faces that an iPhone detected as regions without a name")
  func detections() throws {
    // As iOS writes them: a confidence and angles, but no name.
    func face(_ x: Double, _ y: Double, _ id: Int, name: String = "") -> String {
      """
      <rdf:li rdf:parseType="Resource"><mwg-rs:Area rdf:parseType="Resource">
      <stArea:y>\(y)</stArea:y><stArea:w>0.125</stArea:w><stArea:x>\(x)</stArea:x>
      <stArea:h>0.25</stArea:h><stArea:unit>normalized</stArea:unit></mwg-rs:Area>
      <mwg-rs:Type>Face</mwg-rs:Type>\(name)<mwg-rs:Extensions rdf:parseType="Resource">
      <apple-fi:AngleInfoYaw>315</apple-fi:AngleInfoYaw>
      <apple-fi:ConfidenceLevel>366</apple-fi:ConfidenceLevel>
      <apple-fi:FaceID>\(id)</apple-fi:FaceID></mwg-rs:Extensions></rdf:li>
      """
    }
    let name = "<mwg-rs:Name>Ann</mwg-rs:Name>"
    let xmp = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 5.4.0"><rdf:RDF
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
      xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/"
      xmlns:stArea="http://ns.adobe.com/xmp/sType/Area#"
      xmlns:apple-fi="http://ns.apple.com/faceinfo/1.0/"
      xmlns:stDim="http://ns.adobe.com/xap/1.0/sType/Dimensions#">
      <mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:RegionList><rdf:Seq>
      \(face(0.25, 0.25, 1))\(face(0.75, 0.5, 2, name: name))
      </rdf:Seq></mwg-rs:RegionList><mwg-rs:AppliedToDimensions rdf:parseType="Resource">
      <stDim:h>20</stDim:h><stDim:w>30</stDim:w><stDim:unit>pixel</stDim:unit>
      </mwg-rs:AppliedToDimensions></mwg-rs:Regions></rdf:Description></rdf:RDF></x:xmpmeta>
      """
    let image = try #require(blobs(seed: 1, width: 30, height: 20).jpegBytes(quality: 80))
    var facts = try inspect(image)
    let metadata = image.withUnsafeBytes { PhotoMetadata(of: $0, facts, sidecar: Array(xmp.utf8)) }
    #expect(metadata.regions.map(\.name) == [nil, "Ann"])
    #expect(metadata.regions.map(\.type) == ["Face", "Face"])
    #expect(
      metadata.regions.first?.box == NormalizedRect(x: 0.1875, y: 0.125, width: 0.125, height: 0.25)
    )
    facts.take(metadata)
    #expect(facts.regions.map(\.name) == [nil, "Ann"])
  }

  @Test("leaves keywords and regions out of a document that would not hold them")
  func limits() throws {
    let items = (0..<1000).map { "<rdf:li>\($0)-\(String(repeating: "x", count: 60))</rdf:li>" }
    let long = "<rdf:li>\(String(repeating: "y", count: 2000))</rdf:li>"
    let xmp = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
      xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:subject><rdf:Bag>
      \(long)\(items.joined())</rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>
      """
    let image = try #require(blobs(seed: 1, width: 30, height: 20).jpegBytes(quality: 80))
    var facts = try inspect(image)
    let metadata = image.withUnsafeBytes { PhotoMetadata(of: $0, facts, sidecar: Array(xmp.utf8)) }
    #expect(metadata.keywords.count == 1000)
    facts.take(metadata)
    #expect(facts.keywords.first?.hasPrefix("0-x") == true)
    #expect(400...600 ~= facts.keywords.count)
    #expect(facts.keywords.reduce(0) { $0 + $1.utf8.count } <= 32 << 10)
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
      let name = region.name ?? region.type?.lowercased() ?? ""
      return [name, box.x, box.y, box.x + box.width, box.y + box.height]
    }
    return members
  }
}
