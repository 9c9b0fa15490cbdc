internal import CairnDocument

/// Returns a copy of an image file with the pixel data removed and all metadata kept; nil when its
/// format is not supported or has no metadata. A HEIC is small and has its metadata after the pixels,
/// so it is copied whole, and so are raw photos and all other formats, up to 32 MiB; nil beyond.
///
/// The file may change meanwhile, and its lengths are untrusted: the copy is limited to 32 MiB,
/// beyond which segments are omitted.
/// - Parameter read: Returns the bytes from an offset, fewer at the end of the file.
package func imageWithoutPixels(
  _ read: (_ offset: Int, _ count: Int) throws -> [UInt8]
) rethrows -> [UInt8]? {
  let head = try read(0, 256)
  let signature = Array(head.prefix(12))
  return switch head.withUnsafeBytes({ ImageFormat(signatureOf: ImageBytes($0)) }) {
  case .jpeg: try jpegWithoutPixels(read)
  case .png: try pngWithoutPixels(signature, read)
  case .webp: try webpWithoutPixels(signature, read)
  case .heic, .gif, .tiff, .avif, .dng, .cr2, .cr3, .nef, .arw, .orf, .rw2, .raf, .pef:
    try whole(read)
  case .bmp, nil: nil
  }
}

private typealias Reader = (_ offset: Int, _ count: Int) throws -> [UInt8]

private func whole(_ read: Reader) rethrows -> [UInt8]? {
  let bytes = try read(0, CopyLimit.bytes + 1)
  return bytes.count <= CopyLimit.bytes ? bytes : nil
}

private enum CopyLimit {
  static let bytes = 32 << 20
  /// The maximum number of segments read: PNG has one for every few thousand bytes of pixels.
  static let segments = 1 << 20
}

/// Source: ITU-T T.81 annex B. Metadata precede the first scan.
private func jpegWithoutPixels(_ read: Reader) rethrows -> [UInt8] {
  var out: [UInt8] = [0xFF, 0xD8]
  var position = 2
  for _ in 0..<CopyLimit.segments {
    let head = try read(position, 4)
    guard head.count == 4 else { break }
    if head[0] != 0xFF || head[1] == 0x00 || head[1] == 0xFF {  // stray bytes and fill
      position += 1
      continue
    }
    if head[1] == 0xDA || head[1] == 0xD9 { break }
    if head[1] == 0x01 || 0xD0...0xD7 ~= head[1] {
      position += 2
      continue
    }
    let length = 2 + (Int(head[2]) << 8 | Int(head[3]))
    guard length >= 4, out.count + length <= CopyLimit.bytes else { break }
    let segment = try read(position, length)
    guard segment.count == length else { break }
    out += segment
    position += length
  }
  return out + [0xFF, 0xD9]
}

/// Source: W3C PNG, third edition, 5.3.
private func pngWithoutPixels(_ signature: [UInt8], _ read: Reader) rethrows -> [UInt8] {
  var out = Array(signature.prefix(8))
  var position = 8
  for _ in 0..<CopyLimit.segments {
    let head = try read(position, 8)
    guard head.count == 8 else { break }
    let size = 12 + head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let name = String(decoding: head.suffix(4), as: UTF8.self)
    if name != "IDAT", name != "fdAT", out.count + size <= CopyLimit.bytes {
      let segment = try read(position, size)
      guard segment.count == size else { break }
      out += segment
    }
    if name == "IEND" { break }
    position += size
  }
  return out
}

/// Source: RFC 9649, “RIFF File Format”.
private func webpWithoutPixels(_ signature: [UInt8], _ read: Reader) rethrows -> [UInt8] {
  func number(_ bytes: some Sequence<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
  guard signature.count == 12 else { return signature }
  var out = signature
  let end = 8 + number(signature[4..<8])
  var position = 12
  for _ in 0..<CopyLimit.segments where position + 8 <= end {
    let head = try read(position, 8)
    guard head.count == 8 else { break }
    let length = number(head.suffix(4))
    let size = 8 + length + length % 2
    let name = String(decoding: head.prefix(4), as: UTF8.self)
    if !["VP8 ", "VP8L", "ALPH", "ANMF"].contains(name), out.count + size <= CopyLimit.bytes {
      let segment = try read(position, size)
      guard segment.count == size else { break }
      out += segment
    }
    position += size
  }
  let size = out.count - 8
  for index in 0..<4 { out[4 + index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
  return out
}
