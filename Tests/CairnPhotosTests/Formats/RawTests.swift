import CairnDocument
import TestSupport
import Testing

@testable import CairnPhotos

@Suite("Raw photos")
struct RawTests {
  private static let builder = Result {
    let preview = try #require(blobs(seed: 5, width: 90, height: 60).jpegBytes(quality: 90))
    let thumbnail = try #require(blobs(seed: 5, width: 30, height: 20).jpegBytes(quality: 90))
    return RawBuilder(preview: preview, thumbnail: thumbnail)
  }

  private static let formats: [ImageFormat] = [
    .dng, .cr2, .cr3, .nef, .arw, .orf, .rw2, .raf, .pef,
  ]

  private static func file(_ format: ImageFormat) throws -> [UInt8] {
    let builder = try Self.builder.get()
    switch format {
    case .dng: return builder.dng()
    case .cr2: return builder.cr2()
    case .cr3: return builder.cr3()
    case .nef: return builder.nef()
    case .arw: return builder.nef(maker: "SONY")
    case .pef: return builder.nef(maker: "PENTAX Corporation")
    case .orf: return builder.orf()
    case .rw2: return builder.rw2()
    default: return builder.raf()
    }
  }

  @Test("shows the largest embedded preview, upright", arguments: formats)
  func preview(format: ImageFormat) throws {
    let file = try Self.file(format)
    let facts = try inspect(file)
    #expect(facts.format == format)
    #expect((facts.width, facts.height) == (90, 60))
    // The preview of a RAF has its own EXIF: here none.
    let isTurned = format != .raf
    let stored = try decode(Self.builder.get().preview)
    #expect(try decode(file) == (isTurned ? stored.upright(from: 6) : stored))
    let metadata = file.withUnsafeBytes { PhotoMetadata(of: $0, facts) }
    #expect(metadata.orientation == (isTurned ? 6 : nil))
  }

  @Test("reads the parts of a CR3's metadata, and removes its location")
  func cr3() throws {
    let file = try Self.file(.cr3)
    let metadata = file.withUnsafeBytes { bytes in
      Result { try PhotoMetadata(of: bytes, ImageFacts(inspecting: bytes)) }
    }
    let found = try metadata.get()
    #expect(found.camera == "Canon EOS R6")
    #expect(found.taken?.description.hasPrefix("2024-05-01T12:30:00") == true)
    #expect(found.location?.coordinate == Coordinate(latitude: 47.5, longitude: 8.5))
    let cleaned = try #require(try file.withUnsafeBytes { try imageWithoutPosition($0, .cr3) })
    #expect(cleaned.count == file.count)
    #expect(cleaned.withUnsafeBytes { PhotoMetadata.location(in: $0) } == nil)
    #expect(try decode(cleaned) == decode(file))
  }

  @Test("removes IPTC from the JPEGs in a raw photo", arguments: [ImageFormat.nef, .cr3, .raf])
  func iptc(format: ImageFormat) throws {
    let place = Array("Bern, Switzerland".utf8)
    let builder = try Self.builder.get()
    let iptc = segment(0xED, Array("Photoshop 3.0\0".utf8) + place)
    let preview = builder.preview.prefix(2) + iptc + builder.preview.dropFirst(2)
    let marked = RawBuilder(preview: Array(preview), thumbnail: builder.thumbnail)
    let file = format == .nef ? marked.nef() : format == .cr3 ? marked.cr3() : marked.raf()
    let cleaned = try #require(try file.withUnsafeBytes { try imageWithoutPosition($0, format) })
    #expect(file.firstRange(of: place) != nil && cleaned.firstRange(of: place) == nil)
    #expect(try decode(cleaned) == decode(file))
  }

  @Test("rejects a raw photo whose preview is not whole", arguments: formats)
  func cut(format: ImageFormat) throws {
    let file = try Self.file(format)
    for length in stride(from: 40, to: file.count - 400, by: 97) {
      #expect(throws: ImageError.self, "\(length)") { try inspect(file.prefix(length)) }
    }
  }

  @Test("rejects a raw photo whose samples are not whole")
  func cutSamples() throws {
    var builder = try Self.builder.get()
    builder.sensorLength = builder.preview.count
    #expect(refusal(of: builder.nef()) == .truncated(.nef))
  }

  @Test(
    "rejects a preview whose range exceeds the largest number",
    arguments: [(Int.max, 5), (5, .max), (.max, .max), (1 << 62, 1 << 62), (1 << 40, 1 << 40)])
  func farPreview(start: Int, count: Int) throws {
    let file = try Self.builder.get().orf(claims: (start, count))
    #expect(throws: ImageError.self) { try inspect(file) }
    #expect(throws: ImageError.self) { try decode(file) }
  }

  @Test("names a raw photo of an unknown maker")
  func unknown() throws {
    let file = try Self.builder.get().nef(maker: "Leaf")
    #expect(refusal(of: file) == .unknownFormat("a raw photo of Leaf"))
  }

  @Test("never crashes on damage", arguments: UInt64(0)..<24)
  func damage(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    for format in Self.formats {
      var file = try Self.file(format)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        file[Int.random(in: 0..<min(400, file.count), using: &random)] =
          UInt8.random(in: 0...255, using: &random)
      }
      guard let facts = try? inspect(file) else { continue }
      _ = file.withUnsafeBytes { PhotoMetadata(of: $0, facts) }
      _ = try? file.withUnsafeBytes { try imageWithoutPosition($0, facts.format) }
      _ = try? decode(file, fitting: 50)
    }
  }
}
