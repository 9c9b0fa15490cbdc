/// Returns the apparent format of a file that is not a supported image, such as “PDF” or “a web
/// page (HTML)”; nil when unknown. The name fits in “looks like …”.
func unsupportedFormatName(of bytes: ImageBytes) -> String? {
  if bytes.hasASCII("ftyp", at: 4) { return isoMediaName(of: bytes) }
  if bytes.hasASCII("RIFF") { return riffName(of: bytes) }
  if let maker = TIFFStructure(bytes)?.rawMaker {
    return maker.isEmpty ? "a raw photo" : "a raw photo of \(maker)"
  }
  if let known = signatures.first(where: { bytes.hasPrefix($0.bytes) }) { return known.name }
  return textName(of: bytes)
}

/// Longer signatures precede their own prefixes.
private let signatures: [(bytes: [UInt8], name: String)] = [
  (Array("\0\0\0\u{C}JXL \r\n".utf8), "JPEG XL"),
  ([0xFF, 0x0A], "JPEG XL"),
  (Array("\0\0\0\u{C}jP  \r\n".utf8), "JPEG 2000"),
  ([0xFF, 0x4F, 0xFF, 0x51], "JPEG 2000"),
  (Array("8BPS".utf8), "a Photoshop file (PSD)"),
  (Array("%PDF-".utf8), "PDF"),
  ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive"),
  ([0x1F, 0x8B, 0x08], "a gzip file"),
  (Array("version https://git-lfs.github.com/spec/".utf8), "a Git LFS pointer"),
  (Array("version https://hawser.github.com/spec/".utf8), "a Git LFS pointer"),
  ([0x00, 0x00, 0x01, 0x00], "an icon (ICO)"),
  // macOS leaves these beside photos, as “._name.jpg”.
  ([0x00, 0x05, 0x16, 0x07], "macOS metadata of another file (AppleDouble)"),
]

/// Source: ISO/IEC 14496-12, “File Type Box”: the major brand follows the box type.
private func isoMediaName(of bytes: ImageBytes) -> String {
  guard let brand = bytes.slice(from: 8, count: 4) else { return "a video (MP4)" }
  switch String(decoding: brand.buffer, as: UTF8.self) {
  case "hevc", "hevx", "mif1", "msf1": return "a HEIF other than HEIC"
  case "qt  ": return "a video (QuickTime)"
  default: return "a video (MP4)"
  }
}

private func riffName(of bytes: ImageBytes) -> String? {
  if bytes.hasASCII("AVI ", at: 8) { return "a video (AVI)" }
  if bytes.hasASCII("WAVE", at: 8) { return "audio (WAV)" }
  return nil
}

/// Returns the name of a text in a markup language, which is what a failed download often is.
private func textName(of bytes: ImageBytes) -> String? {
  let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  let head = bytes.buffer.prefix(ImageLimit.textSearched)
    .dropFirst(bytes.hasPrefix(byteOrderMark) ? byteOrderMark.count : 0)
    .drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
  guard head.first == UInt8(ascii: "<") else { return nil }
  let text = String(decoding: head, as: UTF8.self).lowercased()
  if text.hasPrefix("<svg") { return "SVG" }
  if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") { return "a web page (HTML)" }
  guard text.hasPrefix("<?xml") || text.hasPrefix("<!--") else { return nil }
  // All of these may start with a declaration or a comment; what follows decides.
  if text.contains("<svg") { return "SVG" }
  if text.contains("<html") { return "a web page (HTML)" }
  return text.hasPrefix("<?xml") ? "XML" : nil
}
