import CairnDocument
import Foundation
import TestSupport
import Testing

@testable import CairnPhotos

/// libheif's programs create the images and are the reference for decoding them.
@Suite("HEIC")
struct HEICTests {
  @Test("decodes the encoded pixels at any size")
  func pixels() throws {
    let picture = blobs(seed: 3, width: 96, height: 64)
    let image = try heic(picture)
    let facts = try inspect(image)
    #expect(facts.format == .heic)
    #expect((facts.width, facts.height) == (96, 64))
    #expect(meanDifference(try decode(image), picture) < 4)
    #expect(try decode(image, fitting: 32).width == 32)
  }

  /// Replaces the property `pixi` (bits per pixel) by one for rotation or mirroring, which has the
  /// same length.
  @Test(
    "rotates and mirrors as libheif does",
    arguments: [("irot", 0), ("irot", 1), ("irot", 2), ("irot", 3), ("imir", 0), ("imir", 1)])
  func turned(property: String, value: UInt8) throws {
    var image = try heic(blobs(seed: 4, width: 80, height: 48))
    let range = try #require(image.firstRange(of: Array("pixi".utf8)))
    image.replaceSubrange(range, with: Array(property.utf8))
    image[range.upperBound] = value
    #expect(try inspect(image).width == 80)
    let own = try decode(image)
    let png = try converted(image, to: "png")
    let expected = try decode(png)
    #expect((own.width, own.height) == (expected.width, expected.height))
    #expect(meanDifference(own, expected) < 2)
  }

  @Test("rejects a file truncated at any length")
  func cut() throws {
    let image = try heic(blobs(seed: 5, width: 64, height: 64))
    for part in 1..<20 {
      let length = image.count * part / 20
      #expect(throws: ImageError.self, "\(length)") { try inspect(image.prefix(length)) }
    }
    #expect(refusal(of: image.dropLast()) == .truncated(.heic))
  }

  @Test("never crashes on damage or decodes to another size", arguments: UInt64(0)..<40)
  func damage(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    var image = try Self.sample.get()
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      image[Int.random(in: 0..<min(600, image.count), using: &random)] =
        UInt8.random(in: 0...255, using: &random)
    }
    guard let facts = try? inspect(image) else { return }
    _ = image.withUnsafeBytes { PhotoMetadata(of: $0, facts) }
    _ = try? image.withUnsafeBytes { try imageWithoutPosition($0, facts.format) }
    guard facts.width * facts.height < 1 << 22, let pixels = try? decode(image) else { return }
    #expect([pixels.width, pixels.height].sorted() == [facts.width, facts.height].sorted())
  }

  @Test("reads tables with absurd counts in linear time")
  func hostile() throws {
    let long: [UInt8] = [0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    let locations = [UInt8](repeating: 0xFF, count: 1 << 16)
    let meta = Self.box(
      "meta", [0, 0, 0, 0] + Self.box("iloc", long + locations) + Self.box("ipma", long))
    let image = Self.box("ftyp", Array("heic\0\0\0\0heic".utf8)) + meta
    #expect(refusal(of: image) != nil)
  }

  /// The tiles of phones have 512 pixels a side, and the image's sides are rarely multiples of that.
  @Test(
    "decodes tiled images, cropped and rotated, as libheif's own program does",
    arguments: [
      (1100, 300, 512, nil), (600, 1030, 512, 3), (192, 128, 64, nil), (150, 100, 64, 1),
      (128, 128, 64, 2), (65, 200, 64, 0),
    ] as [(Int, Int, Int, UInt8?)])
  func tiled(width: Int, height: Int, side: Int, rotation: UInt8?) throws {
    let picture = blobs(seed: 8, width: width, height: height)
    let image = try TiledHEIC(of: picture, side: side, encode: heic).file(rotation: rotation)
    let facts = try inspect(image)
    #expect((facts.width, facts.height) == (width, height))
    let own = try decode(image)
    let orientation = [1, 8, 3, 6][Int(rotation ?? 0)]
    let upright = picture.upright(from: orientation)
    try #require((own.width, own.height) == (upright.width, upright.height))
    #expect(meanDifference(own, upright) < 4)
    let converted = try decode(try converted(image, to: "png"))
    try #require((own.width, own.height) == (converted.width, converted.height))
    #expect(meanDifference(own, converted) < 2)
    #expect(try decode(image, fitting: 40).fitting(40).height <= 40)
  }

  @Test(
    "shows the clean aperture of an image, before it is rotated",
    arguments: [nil, 1] as [UInt8?])
  func aperture(rotation: UInt8?) throws {
    let picture = blobs(seed: 6, width: 200, height: 120)
    let tiled = try TiledHEIC(of: picture, side: 64, encode: heic)
    // From the center: 5.5 to the left, 8 down.
    let image = tiled.file(rotation: rotation, aperture: [181, 1, 100, 1, -11, 2, 8, 1])
    let facts = try inspect(image)
    #expect((facts.width, facts.height) == (181, 100))
    let (own, expected) = (try decode(image), try decode(try converted(image, to: "png")))
    let size: [Int] = rotation == nil ? [181, 100] : [100, 181]
    #expect([own.width, own.height] == size)
    #expect([expected.width, expected.height] == size)
    #expect(meanDifference(own, expected) < 2)
    // One that is not inside of the image is ignored.
    let outside = try inspect(tiled.file(aperture: [181, 1, 100, 1, 11, 1, 8, 1]))
    #expect((outside.width, outside.height) == (200, 120))
  }

  @Test("rejects tiles that make a larger image than the header says")
  func grid() throws {
    let tile = try heic(blobs(seed: 7, width: 64, height: 64))
    #expect(try decode(try HEICGrid(of: tile).file(columns: 2, claim: 128)).width == 128)
    let bomb = try HEICGrid(of: tile).file(columns: 200, claim: 64)
    #expect(refusal(of: bomb) == .damaged(.heic, "its image and its header differ in size"))
  }

  @Test("removes the position and keeps the picture")
  func withoutPosition() throws {
    var image = try heic(blobs(seed: 6, width: 64, height: 48))
    image = try changed(image, by: "exiftool") {
      [
        "-q", "-overwrite_original", "-GPSLatitude=47.5", "-GPSLatitudeRef=N", "-GPSLongitude=8.5",
        "-GPSLongitudeRef=E", "-Make=Maker", "-XMP-exif:GPSLatitude=47.5",
        "-XMP-exif:GPSLongitude=8.5", $0,
      ]
    }
    let found = image.withUnsafeBytes { PhotoMetadata.location(in: $0) }
    #expect(found?.coordinate == Coordinate(latitude: 47.5, longitude: 8.5))
    let cleaned = try #require(try image.withUnsafeBytes { try imageWithoutPosition($0, .heic) })
    #expect(cleaned.withUnsafeBytes { PhotoMetadata.location(in: $0) } == nil)
    #expect(try decode(cleaned) == decode(image))
    let tags = try output(of: "exiftool", on: cleaned) { ["-a", "-G1", $0] }
    #expect(!tags.contains("GPS"), "\(tags)")
    #expect(tags.contains("Maker"), "\(tags)")
  }

  @Test("removes appended videos and images, and the metadata of image sequences")
  func appended() throws {
    let place = Array("+48.8584+002.2945/".utf8)
    let image = try heic(blobs(seed: 6, width: 64, height: 48))
    let metadata = Self.box("udta", Self.box("\u{A9}xyz", [0, 18, 0x15, 0xC7] + place))
    let header = Self.box("mvhd", Array("kept".utf8))
    let track = Self.box("trak", Self.box("tkhd", Array("kept".utf8)) + metadata)
    let movie = Self.box("moov", header + track + metadata)
    let video = Self.box("ftyp", Array("mp42\0\0\0\0".utf8)) + movie
    let other = Self.box("mdat", place)
    for more in [
      Self.box("mpvd", video), movie, video + other, Self.box("uuid", place),
      Self.box("meta", place), [0, 0, 0, 0] + Array("junk".utf8) + place, [0, 0, 0, 2] + place,
    ] {
      let file = image + more
      let cleaned = try #require(try file.withUnsafeBytes { try imageWithoutPosition($0, .heic) })
      #expect(cleaned.firstRange(of: place) == nil && cleaned.count == file.count)
      #expect(cleaned.starts(with: image))
      #expect(try decode(cleaned) == decode(image))
      #expect(try inspect(cleaned).width == 64)
    }
    let sequence = try (image + movie).withUnsafeBytes { try imageWithoutPosition($0, .heic) }
    #expect(sequence?.firstRange(of: header) != nil && sequence?.firstRange(of: track) == nil)
  }

  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let name = type.unicodeScalars.map { UInt8($0.value) }
    return withUnsafeBytes(of: UInt32(8 + content.count).bigEndian, Array.init) + name + content
  }

  @Test("does not pass off a file as free of positions whose metadata it cannot read")
  func unremovablePosition() throws {
    let image = try heic(blobs(seed: 6, width: 64, height: 48))
    func reason(_ bytes: [UInt8]) -> String? {
      do {
        _ = try bytes.withUnsafeBytes { try imageWithoutPosition($0, .heic) }
        return nil
      } catch { return "\(error)" }
    }
    #expect(reason(image) == nil)
    #expect(reason(Array(image.prefix(image.count / 2))) == "is a truncated HEIC")
    #expect(reason(Array(image.prefix(40)))?.contains("HEIC") == true)
    // Items in the form of an early draft, whose types are elsewhere.
    var draft = image
    draft[try #require(image.firstRange(of: Array("infe".utf8))).upperBound] = 0
    #expect(reason(draft) == "has metadata in a structure that cairn does not read")
    // A track of locations in an image sequence.
    let handler = Self.box("hdlr", [UInt8](repeating: 0, count: 8) + Array("meta".utf8))
    let track = Self.box("trak", Self.box("mdia", handler))
    #expect(
      reason(image + Self.box("moov", track))
        == "has metadata in a structure that cairn does not read")
  }

  // MARK: Images

  private static let sample = Result {
    try heic(blobs(seed: 1, width: 48, height: 32))
  }

  private func heic(_ picture: PixelBuffer) throws -> [UInt8] { try Self.heic(picture) }

  private static func heic(_ picture: PixelBuffer) throws -> [UInt8] {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, made) = (folder.appending(path: "a.jpg"), folder.appending(path: "a.heic"))
    try Data(#require(picture.jpegBytes(quality: 95))).write(to: source)
    _ = try run("heif-enc", ["-q", "90", source.path, "-o", made.path])
    return [UInt8](try Data(contentsOf: made))
  }

  private func converted(_ image: [UInt8], to kind: String) throws -> [UInt8] {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, made) = (folder.appending(path: "a.heic"), folder.appending(path: "b.\(kind)"))
    try Data(image).write(to: source)
    _ = try Self.run("heif-convert", [source.path, made.path])
    return [UInt8](try Data(contentsOf: made))
  }

  private func changed(
    _ image: [UInt8], by program: String, _ arguments: (String) -> [String]
  ) throws -> [UInt8] {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.heic")
    try Data(image).write(to: file)
    _ = try Self.run(program, arguments(file.path))
    return [UInt8](try Data(contentsOf: file))
  }

  private func output(
    of program: String, on image: [UInt8], _ arguments: (String) -> [String]
  ) throws -> String {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.heic")
    try Data(image).write(to: file)
    return try Self.run(program, arguments(file.path))
  }

  private static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "cairn-heic-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  private static func run(_ program: String, _ arguments: [String]) throws -> String {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(
      process.terminationStatus == 0, "\(program) (is it installed? run `make setup`): \(output)")
    return output
  }
}
