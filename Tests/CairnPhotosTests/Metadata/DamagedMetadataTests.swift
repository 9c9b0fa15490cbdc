import CairnDocument
import Testing

@testable import CairnPhotos

/// Returns EXIF in big-endian order with an orientation and a maker; both fit into their entries.
///
/// Source: TIFF 6.0 section 2.
func sampleEXIF(orientation: UInt8 = 6) -> [UInt8] {
  [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 2]
    + [0x01, 0x0F, 0, 2, 0, 0, 0, 4] + Array("Acm\0".utf8)
    + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
    + [0, 0, 0, 0]
}

private let xmp = """
  <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
  <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <dc:subject><rdf:Bag><rdf:li>oak</rdf:li></rdf:Bag></dc:subject>
  </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
  """

@Suite("Damaged metadata")
struct DamagedMetadataTests {
  private func metadata(_ bytes: [UInt8]) throws -> PhotoMetadata {
    let facts = try inspect(bytes)
    return bytes.withUnsafeBytes { PhotoMetadata(of: $0, facts) }
  }

  /// Returns images of each format with this XMP before and after EXIF.
  private func images(xmp: [UInt8]) -> [[UInt8]] {
    let exif = sampleEXIF()
    let exifSegment = segment(0xE1, Array("Exif\0\0".utf8) + exif)
    let xmpSegment = segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp)
    let base = jpeg(21, 10)
    let exifChunk = pngChunk("eXIf", exif)
    let xmpChunk = pngChunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + xmp)
    func png(_ chunks: [UInt8]) -> [UInt8] {
      pngSignature + pngHeader(21, 10) + chunks + pngData(21, 10) + pngEnd
    }
    // VP8X with the flags for EXIF and XMP.
    let webpImage = webp([
      extended(21, 10, flags: 0x0C), lossless(21, 10), riffChunk("EXIF", exif),
      riffChunk("XMP ", xmp),
    ])
    return [
      Array(base[..<2]) + exifSegment + xmpSegment + Array(base[2...]),
      Array(base[..<2]) + xmpSegment + exifSegment + Array(base[2...]),
      png(exifChunk + xmpChunk), png(xmpChunk + exifChunk), webpImage,
    ]
  }

  @Test(
    "keeps Exif beside XMP that cannot be read, and reports the XMP",
    arguments: [
      "not XML", "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF", String(xmp.prefix(300)),
      xmp.replacing("</rdf:Bag>", with: "</rdf:Seq>"),
      xmp.replacing(" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"", with: ""),
    ])
  func brokenXMP(packet: String) throws {
    for image in images(xmp: Array(packet.utf8)) {
      let metadata = try metadata(image)
      #expect(metadata.camera == "Acm")
      #expect(metadata.orientation == 6)
      #expect(metadata.keywords.isEmpty)
      #expect(metadata.failure == "XMP")
    }
  }

  @Test("reads XMP with invalid characters, a bare & or a broken wrapper, and reports it")
  func repairedXMP() throws {
    let cases: [(String, String)] = [
      ("o\u{1}ak", "oak"), ("oak\0", "oak"), ("oak & elm", "oak & elm"), ("&foo;oak", "&foo;oak"),
    ]
    for (text, keyword) in cases {
      for image in images(xmp: Array(xmp.replacing("oak", with: text).utf8)) {
        let metadata = try metadata(image)
        #expect(metadata.keywords.map(\.text) == [keyword], "\(text)")
        #expect(metadata.camera == "Acm" && metadata.failure == "XMP")
      }
    }
    // Windows-1252, as other text that is not UTF-8.
    let parts = xmp.replacing("oak", with: "|").split(separator: "|").map { Array($0.utf8) }
    let latin = parts[0] + [0x67, 0x72, 0xFC, 0x6E] + parts[1]
    for image in images(xmp: latin) {
      #expect(try metadata(image).keywords.map(\.text) == ["grün"])
    }
    for image in images(xmp: Array((xmp + "<rest").utf8)) {
      #expect(try metadata(image).keywords.map(\.text) == ["oak"])
    }
  }

  @Test("reports nothing about metadata that are whole or empty")
  func whole() throws {
    for packet in [xmp, " ", ""] {
      for image in images(xmp: Array(packet.utf8)) {
        let metadata = try metadata(image)
        #expect(metadata.failure == nil)
        #expect(metadata.camera == "Acm")
        #expect(metadata.keywords.map(\.text) == (packet == xmp ? ["oak"] : []))
      }
    }
    for sample in Sample.all where sample.name != "WebP extended" {
      if sample.name != "JPEG with a thumbnail" {
        #expect(try metadata(sample.bytes).failure == nil, "\(sample.name)")
      }
    }
  }

  @Test("keeps XMP beside Exif that cannot be read, and reports the Exif")
  func brokenEXIF() throws {
    let exif = segment(0xE1, Array("Exif\0\0".utf8) + Array("no TIFF header".utf8))
    let packet = segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(xmp.utf8))
    let base = jpeg(21, 10)
    let metadata = try metadata(Array(base[..<2]) + exif + packet + Array(base[2...]))
    #expect(metadata.keywords.map(\.text) == ["oak"])
    #expect(metadata.failure?.hasSuffix("Exif") == true)
  }

  @Test("keeps the Exif of a PNG in which another chunk is broken")
  func brokenChunk() throws {
    let text = pngChunk("zTXt", Array("Raw profile type xmp\0\0".utf8) + [1, 2, 3])
    for chunks in [text + pngChunk("eXIf", sampleEXIF()), pngChunk("eXIf", sampleEXIF()) + text] {
      let metadata = try metadata(
        pngSignature + pngHeader(21, 10) + chunks + pngData(21, 10) + pngEnd)
      #expect(metadata.camera == "Acm" && metadata.orientation == 6)
      #expect(metadata.failure != nil)
    }
  }
}
