import Cairn

/// A picture as the escape sequences that show it.
struct TerminalImage {
  let way: TerminalImageProtocol
  let size: TerminalSize

  /// The most that it takes of a terminal.
  private static let columnLimit = 80
  private static let rowLimit = 24

  private var columns: Int { max(1, min(size.columns, TerminalImage.columnLimit)) }
  /// A line stays for the prompt.
  private var rows: Int { max(1, min(size.rows - 1, TerminalImage.rowLimit)) }

  /// The pixels that fit.
  private var box: (width: Int, height: Int) {
    way == .blocks
      ? (columns, 2 * rows) : (columns * size.cell.width, rows * size.cell.height)
  }

  /// The longest side that is of use.
  var side: Int { max(box.width, box.height) }

  /// Returns what to write, a new line at its end included.
  ///
  /// - Parameter picture: It is made smaller where it does not fit.
  func sequence(of picture: PixelBuffer) -> String {
    let picture = fitted(picture)
    switch way {
    case .kitty: return kitty(picture)
    case .iterm: return iterm(picture) ?? blocks(picture)
    case .sixel: return Sixel()?.sequence(of: picture).map { $0 + "\n" } ?? blocks(picture)
    case .blocks: return blocks(picture)
    }
  }

  private func fitted(_ picture: PixelBuffer) -> PixelBuffer {
    let scale = min(
      1, Double(box.width) / Double(picture.width), Double(box.height) / Double(picture.height))
    return picture.resized(
      width: max(1, Int(Double(picture.width) * scale)),
      height: max(1, Int(Double(picture.height) * scale)))
  }

  // MARK: Protocols

  /// Red, green and blue in base64, in pieces of at most 4096 characters; nothing is answered.
  private func kitty(_ picture: PixelBuffer) -> String {
    var text = base64(picture.bytes)[...]
    var keys = "a=T,q=2,f=24,s=\(picture.width),v=\(picture.height),"
    var sequence = ""
    repeat {
      let piece = text.prefix(4096)
      text = text.dropFirst(4096)
      sequence += "\u{1B}_G\(keys)m=\(text.isEmpty ? 0 : 1);\(piece)\u{1B}\\"
      keys = ""
    } while !text.isEmpty
    return sequence + "\n"
  }

  /// A JPEG in base64.
  private func iterm(_ picture: PixelBuffer) -> String? {
    guard let file = picture.jpegBytes(quality: 90) else { return nil }
    let keys =
      "inline=1;size=\(file.count);width=\(picture.width)px;height=\(picture.height)px;preserveAspectRatio=1"
    return "\u{1B}]1337;File=\(keys):\(base64(file))\u{7}\n"
  }

  /// The upper half of a cell is written, the lower one shows through.
  private func blocks(_ picture: PixelBuffer) -> String {
    var lines = ""
    for row in stride(from: 0, to: picture.height, by: 2) {
      for column in 0..<picture.width {
        lines += "\u{1B}[38;\(color(picture, column, row))"
        if row + 1 < picture.height { lines += ";48;\(color(picture, column, row + 1))" }
        lines += "m\u{2580}"
      }
      lines += "\u{1B}[0m\n"
    }
    return lines
  }

  private var hasAllColors: Bool {
    ["truecolor", "24bit"].contains(variable("COLORTERM") ?? "")
  }

  /// Source: xterm's ctlseqs, “Character Attributes (SGR)”: all colors, or the cube of 6 × 6 × 6.
  private func color(_ picture: PixelBuffer, _ column: Int, _ row: Int) -> String {
    let start = 3 * (row * picture.width + column)
    let parts = picture.bytes[start..<start + 3].map(Int.init)
    if hasAllColors { return "2;" + parts.map(String.init).joined(separator: ";") }
    // The steps are at 0, 95, 135, 175, 215 and 255.
    let steps = parts.map { $0 < 48 ? 0 : $0 < 115 ? 1 : ($0 - 35) / 40 }
    return "5;\(16 + 36 * steps[0] + 6 * steps[1] + steps[2])"
  }
}

/// Source: RFC 4648, section 4.
private func base64(_ bytes: [UInt8]) -> String {
  let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var text: [UInt8] = []
  text.reserveCapacity((bytes.count + 2) / 3 * 4)
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    for place in 0..<4 {
      text.append(
        place <= group.count ? digits[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
    }
  }
  return String(decoding: text, as: UTF8.self)
}
