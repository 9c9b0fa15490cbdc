import CairnDocument
import Foundation
import TestSupport
import Testing

@testable import CairnPhotos

@Suite("Pixels")
struct PixelTests {
  @Test("decodes every kind of image upright as Pillow does")
  func pillow() throws {
    let corpus = try PillowCorpus()
    #expect(corpus.names.count == 101)
    for name in corpus.names {
      let (image, expected) = try corpus.read(name)
      let pixels = try decode(image)
      #expect((pixels.width, pixels.height) == (expected.width, expected.height), "\(name)")
      // Blending may round differently.
      let isExact = !isLossy(name) && !name.contains("transparent")
      check(pixels, expected, name, exactly: isExact)
    }
  }

  @Test("gives models the pixels of Pillow's convert(\"RGB\"): alpha, 16 bits and CMYK too")
  func models() throws {
    let corpus = try PillowCorpus()
    for name in corpus.names {
      let (image, expected) = try corpus.read(name, ".model")
      let pixels = try decode(image, alpha: .dropped)
      try #require((pixels.width, pixels.height) == (expected.width, expected.height), "\(name)")
      check(pixels, expected, name, exactly: !isLossy(name))
    }
  }

  /// Whether its decoder computes pixels from frequencies, and may round differently.
  private func isLossy(_ name: String) -> Bool {
    name.hasSuffix(".jpg") || name.hasSuffix(".avif") || name == "lossy.webp" || name == "jpeg.tiff"
  }

  private func check(
    _ pixels: PixelBuffer, _ expected: PixelBuffer, _ name: String, exactly: Bool
  ) {
    // libheif repeats colors that are stored at half the size, where Pillow interpolates them.
    if name == "usual.avif" { #expect(meanDifference(pixels, expected) < 6) }
    let limit = exactly ? 0 : name == "usual.avif" ? 40 : 3
    #expect(difference(pixels, expected) <= limit, "\(name)")
  }

  @Test("converts inks to colors as Pillow does")
  func inks() {
    // Pillow 13: Image.frombytes("CMYK", …).convert("RGB").
    let inks: [UInt8] = [
      10, 20, 30, 40, 200, 100, 50, 0, 255, 0, 0, 0, 0, 0, 0, 255, 200, 9, 77, 99,
    ]
    let expected: [UInt8] = [
      207, 198, 190, 55, 155, 205, 0, 255, 255, 0, 0, 0, 34, 150, 109,
    ]
    #expect(rgb(fromInvertedCMYK: inks.map { 255 - $0 }) == expected)
  }

  @Test(
    "decodes a small image as the mean of the full image's pixels", arguments: [120, 61, 16, 5, 1])
  func small(side: Int) throws {
    let corpus = try PillowCorpus()
    let names = [
      "plain.jpg", "turned-6.jpg", "color.png", "transparent.webp", "lossless.webp", "sticker.webp",
    ]
    for name in names {
      let image = try corpus.read(name).image
      let (whole, small) = (try decode(image), try decode(image, fitting: side))
      #expect(max(small.width, small.height) == side, "\(name)")
      let expected = whole.resized(width: small.width, height: small.height)
      // A JPEG is scaled down before it is converted to pixels.
      #expect(difference(small, expected) <= 24, "\(name)")
      #expect(meanDifference(small, expected) <= 5, "\(name)")
    }
  }

  /// The sides of the upright image at which the first row and the first column of the stored image
  /// are. Source: Exif 2.32, section 4.6.4.
  @Test(
    "applies orientations as Exif defines them",
    arguments: [
      (1, "top", "left"), (2, "top", "right"), (3, "bottom", "right"), (4, "bottom", "left"),
      (5, "left", "top"), (6, "right", "top"), (7, "right", "bottom"), (8, "left", "bottom"),
    ])
  func orientations(value: Int, row: String, column: String) {
    let (width, height) = (3, 2)
    // Red is the row of a pixel, green its column.
    let stored = PixelBuffer(
      width: width, height: height,
      bytes: (0..<height).flatMap { y in (0..<width).flatMap { x in [UInt8(y), UInt8(x), 9] } })
    let upright = stored.upright(from: value)
    let places: [String: [(x: Int, y: Int)]] = [
      "top": (0..<upright.width).map { ($0, 0) },
      "bottom": (0..<upright.width).map { ($0, upright.height - 1) },
      "left": (0..<upright.height).map { (0, $0) },
      "right": (0..<upright.height).map { (upright.width - 1, $0) },
    ]
    func channel(_ number: Int, along side: String) -> Set<UInt8> {
      Set(places[side]!.map { upright.bytes[3 * ($0.y * upright.width + $0.x) + number] })
    }
    #expect(channel(0, along: row) == [0])
    #expect(channel(1, along: column) == [0])
    #expect(Set(upright.bytes).count == 4)
  }

  @Test(
    "fits an image into a size with its aspect ratio and never enlarges it",
    arguments: UInt64(0)..<64)
  func fitting(seed: UInt64) {
    var random = SeededGenerator(seed)
    let (width, height) = (
      Int.random(in: 1...90, using: &random), Int.random(in: 1...90, using: &random)
    )
    let side = Int.random(in: 1...100, using: &random)
    let pixels = PixelBuffer(
      width: width, height: height, bytes: Array(repeating: 77, count: 3 * width * height))
    let fitted = pixels.fitting(side)
    #expect(max(fitted.width, fitted.height) == min(side, max(width, height)))
    let shape = Double(width) / Double(height) - Double(fitted.width) / Double(fitted.height)
    #expect(abs(shape) * Double(min(fitted.height, fitted.width)) <= Double(max(width, height)))
    #expect(Set(fitted.bytes) == [77])
  }

  @Test("encodes pixels as a JPEG that decodes to nearly the same pixels")
  func encoding() throws {
    let pixels = blobs(seed: 3, width: 90, height: 70)
    let bytes = try #require(pixels.jpegBytes(quality: 95))
    #expect(difference(try decode(bytes), pixels) <= 24)
  }

  // MARK: Bad input

  @Test("rejects a PNG of 60000 × 60000 pixels before decoding it")
  func giant() {
    let bytes = pngSignature + pngHeader(60_000, 60_000) + pngData(8, 8) + pngEnd
    #expect(throws: ImageError.tooLarge(width: 60_000, height: 60_000)) { try decode(bytes) }
    #expect(
      ImageError.tooLarge(width: 60_000, height: 60_000).description
        == "has 60000 × 60000 pixels, more than the limit of 1073741824")
    let large = pngSignature + pngHeader(30_000, 20_000) + pngData(8, 8) + pngEnd
    #expect(throws: ImageError.tooLargeToDecode(width: 30_000, height: 20_000)) {
      try decode(large)
    }
  }

  @Test("reports image data that cannot be decoded")
  func broken() throws {
    let noise = pngSignature + pngHeader(40, 40) + pngChunk("IDAT", [1, 2, 3, 4, 5]) + pngEnd
    let error = #expect(throws: ImageError.self) { try decode(noise) }
    #expect("\(try #require(error))".hasPrefix("is a PNG that cannot be decoded: "))
    #expect(throws: ImageError.truncated(.png)) { try decode(png(21, 10).dropLast(12)) }
    #expect(throws: ImageError.empty) { try decode([]) }
  }

  @Test("decodes or rejects damaged images", arguments: UInt64(0)..<8)
  func damage(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let corpus = try PillowCorpus()
    for name in corpus.names where !name.hasPrefix("turned") || name.hasPrefix("turned-6") {
      var bytes = try corpus.read(name).image
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      guard let pixels = try? decode(bytes, fitting: 50) else { continue }
      #expect(pixels.bytes.count == 3 * pixels.width * pixels.height)
      #expect(max(pixels.width, pixels.height) <= 50)
    }
  }
}

/// Decodes a copy that has exactly the size of the bytes, so that a sanitizer sees a read past it.
func decode(
  _ bytes: some Collection<UInt8>, fitting side: Int? = nil, alpha: AlphaHandling = .onWhite
) throws -> PixelBuffer {
  try Array(bytes).withUnsafeBytes {
    try PixelBuffer(decoding: $0, fitting: side, alpha: alpha)
  }
}

/// Returns the largest difference between two bytes.
func difference(_ a: PixelBuffer, _ b: PixelBuffer) -> Int {
  guard a.bytes.count == b.bytes.count else { return 256 }
  return zip(a.bytes, b.bytes).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
}

func meanDifference(_ a: PixelBuffer, _ b: PixelBuffer) -> Double {
  let sum = zip(a.bytes, b.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
  return Double(sum) / Double(a.bytes.count)
}

/// Images written by Pillow, with the pixels that it reads from them.
private struct PillowCorpus {
  let names: [String]
  private let folder: URL

  init() throws {
    folder = try PillowCorpus.shared.get()
    names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { !["rgb", "model", "size"].contains(URL(filePath: $0).pathExtension) }.sorted()
  }

  /// - Parameter kind: `.rgb` on white, `.model` without alpha.
  func read(
    _ name: String, _ kind: String = ".rgb"
  ) throws -> (image: [UInt8], expected: PixelBuffer) {
    func bytes(_ name: String) throws -> [UInt8] {
      [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }
    let size = String(decoding: try bytes("\(name).size"), as: UTF8.self)
      .split(separator: " ").compactMap { Int($0) }
    let pixels = PixelBuffer(width: size[0], height: size[1], bytes: try bytes(name + kind))
    return (try bytes(name), pixels)
  }

  private static let shared = Result { () throws -> URL in
    guard let python = Python.program(having: "PIL") else {
      throw Missing(description: "Python has no Pillow: run `make setup`")
    }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "cairn-pixels-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let process = Process()
    process.executableURL = URL(filePath: python)
    process.arguments = [
      URL(filePath: #filePath).deletingLastPathComponent().appending(path: "pixels.py").path,
      folder.path,
    ]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Missing(description: "pixels.py failed") }
    return folder
  }

  private struct Missing: Error, CustomStringConvertible { let description: String }
}
