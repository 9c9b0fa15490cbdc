import CairnDocument
import Testing

@testable import CairnPhotos

/// ImageMagick writes EXIF into PNG as text in hexadecimal digits.
@Suite("Raw profiles in PNG")
struct RawProfileTests {
  /// Returns a profile as ImageMagick writes it: 36 bytes a line.
  private func profile(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    var text = "\n\(name)\n"
    let length = String(bytes.count)
    text += String(repeating: " ", count: max(0, 8 - length.count)) + length
    for start in stride(from: 0, to: digits.count, by: 36) {
      text += "\n" + digits[start..<min(start + 36, digits.count)].joined()
    }
    return Array((text + "\n").utf8)
  }

  private func png(_ chunks: [UInt8], late: [UInt8] = []) -> [UInt8] {
    pngSignature + pngHeader(21, 10) + chunks + pngData(21, 10) + late + pngEnd
  }

  private func metadata(_ bytes: [UInt8]) throws -> PhotoMetadata {
    let facts = try inspect(bytes)
    return bytes.withUnsafeBytes { PhotoMetadata(of: $0, facts) }
  }

  @Test("reads Exif and its orientation from a raw profile", arguments: ["exif", "APP1"])
  func exif(name: String) throws {
    let keyword = Array("Raw profile type \(name)\0".utf8)
    for header in [Array("Exif\0\0".utf8), []] {
      let text = profile(name, header + sampleEXIF())
      let chunks = [
        pngChunk("tEXt", keyword + text), pngChunk("zTXt", keyword + [0] + storedZlib(text)),
        pngChunk("iTXt", keyword + [0, 0, 0, 0] + text),
        pngChunk("iTXt", keyword + [1, 0, 0, 0] + storedZlib(text)),
      ]
      for image in chunks.map({ png($0) }) + chunks.map({ png([], late: $0) }) {
        let metadata = try metadata(image)
        #expect(metadata.camera == "Acm")
        #expect(metadata.orientation == 6)
        #expect(metadata.failure == nil)
        let pixels = try image.withUnsafeBytes { try PixelBuffer(decoding: $0) }
        #expect(pixels.width == 10 && pixels.height == 21, "upright")
      }
    }
  }

  @Test("prefers an eXIf chunk to a raw profile")
  func both() throws {
    let text = profile("exif", Array("Exif\0\0".utf8) + sampleEXIF(orientation: 3))
    let raw = pngChunk("tEXt", Array("Raw profile type exif\0".utf8) + text)
    let exif = pngChunk("eXIf", sampleEXIF(orientation: 8))
    #expect(try metadata(png(raw + exif)).orientation == 8)
    #expect(try metadata(png(exif + raw)).orientation == 8)
    #expect(try metadata(png(raw)).orientation == 3)
  }

  @Test("decompresses only the first profiles of a file")
  func many() throws {
    let keyword = Array("Raw profile type exif\0\0".utf8)
    let other = pngChunk("zTXt", keyword + storedZlib(profile("exif", [1, 2, 3])))
    let exif = pngChunk("zTXt", keyword + storedZlib(profile("exif", sampleEXIF())))
    for (count, orientation) in [(15, 6), (16, nil)] {
      let others = Array(repeating: other, count: count).flatMap { $0 }
      let image = png(others + exif)
      #expect(storedOrientation(of: image) == orientation)
    }
  }

  private func storedOrientation(of image: [UInt8]) -> Int? {
    image.withUnsafeBytes { CairnPhotos.storedOrientation(of: $0, .png) }
  }

  @Test("reads XMP from a raw profile")
  func xmp() throws {
    let packet = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
      xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:subject><rdf:Bag><rdf:li>oak</rdf:li></rdf:Bag>
      </dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>
      """
    let header = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    for (name, bytes) in [("xmp", Array(packet.utf8)), ("APP1", header + Array(packet.utf8))] {
      let keyword = Array("Raw profile type \(name)\0\0".utf8)
      let image = png(pngChunk("zTXt", keyword + storedZlib(profile(name, bytes))))
      #expect(try metadata(image).keywords.map(\.text) == ["oak"], "\(name)")
    }
  }

  @Test("ignores raw profiles that are cut off, not hexadecimal, or not Exif")
  func damaged() throws {
    let whole = profile("exif", Array("Exif\0\0".utf8) + sampleEXIF())
    let texts: [[UInt8]] = [
      Array(whole.dropLast(10)), [], Array("\nexif\n".utf8), Array("\nexif\n 4\nzzzzzzzz".utf8),
      Array("\nexif\n -1\n00".utf8), Array("\nexif\n 99999999999999999999\n00".utf8),
      profile("exif", Array("something else".utf8)),
    ]
    for text in texts {
      for type in ["tEXt", "zTXt"] {
        let keyword = Array("Raw profile type exif\0".utf8)
        let data = type == "zTXt" ? [0] + storedZlib(text) : text
        let metadata = try metadata(png(pngChunk(type, keyword + data)))
        #expect(metadata.orientation == nil && metadata.camera == nil)
      }
    }
  }
}
