import Cairn
import CairnBase
import Foundation

/// Converts images to escape sequences that show them in a terminal.
struct TerminalImage {
  let imageProtocol: TerminalImageProtocol
  let size: TerminalSize

  /// The maximum size of an image in a terminal.
  private static let columnLimit = 80
  private static let rowLimit = 24

  private var columns: Int { max(1, min(size.columns, TerminalImage.columnLimit)) }
  /// One row is left for the prompt.
  private var rows: Int { max(1, min(size.rows - 1, TerminalImage.rowLimit)) }

  /// The maximum size in pixels.
  private var box: (width: Int, height: Int) {
    imageProtocol == .blocks
      ? (columns, 2 * rows) : (columns * size.cell.width, rows * size.cell.height)
  }

  /// The maximum length of the longer side, in pixels.
  var side: Int { max(box.width, box.height) }

  /// Returns the text to write, with a newline at its end. A larger image is scaled down.
  ///
  /// - Parameter boxes: The boxes to outline on the image.
  func sequence(of image: PixelBuffer, boxes: [NormalizedRect] = []) -> String {
    let image = fitted(image).outlining(boxes)
    switch imageProtocol {
    case .kitty: return kitty(image)
    case .iterm: return iterm(image) ?? blocks(image)
    case .sixel: return Sixel()?.sequence(of: image).map { $0 + "\n" } ?? blocks(image)
    case .blocks: return blocks(image)
    }
  }

  private func fitted(_ image: PixelBuffer) -> PixelBuffer {
    let scale = min(
      1, Double(box.width) / Double(image.width), Double(box.height) / Double(image.height))
    return image.resized(
      width: max(1, Int(Double(image.width) * scale)),
      height: max(1, Int(Double(image.height) * scale)))
  }

  // MARK: Protocols

  /// RGB pixels in base64, in chunks of at most 4096 characters; the terminal sends no response.
  private func kitty(_ image: PixelBuffer) -> String {
    var text = Data(image.bytes).base64EncodedString()[...]
    var keys = "a=T,q=2,f=24,s=\(image.width),v=\(image.height),"
    var sequence = ""
    repeat {
      let chunk = text.prefix(4096)
      text = text.dropFirst(4096)
      sequence += "\u{1B}_G\(keys)m=\(text.isEmpty ? 0 : 1);\(chunk)\u{1B}\\"
      keys = ""
    } while !text.isEmpty
    return sequence + "\n"
  }

  /// A JPEG in base64.
  private func iterm(_ image: PixelBuffer) -> String? {
    guard let file = image.jpegBytes(quality: 90) else { return nil }
    let dimensions = "width=\(image.width)px;height=\(image.height)px"
    let keys = "inline=1;size=\(file.count);\(dimensions);preserveAspectRatio=1"
    return "\u{1B}]1337;File=\(keys):\(Data(file).base64EncodedString())\u{7}\n"
  }

  /// Two pixels in each cell: the foreground color of an upper half block, and the background
  /// color.
  private func blocks(_ image: PixelBuffer) -> String {
    var lines = ""
    for row in stride(from: 0, to: image.height, by: 2) {
      for column in 0..<image.width {
        lines += "\u{1B}[38;\(color(image, column, row))"
        if row + 1 < image.height { lines += ";48;\(color(image, column, row + 1))" }
        lines += "m\u{2580}"
      }
      lines += "\u{1B}[0m\n"
    }
    return lines
  }

  private var hasAllColors: Bool {
    ["truecolor", "24bit"].contains(variable("COLORTERM") ?? "")
  }

  /// Returns the color of a pixel: in 24 bits, or from the cube of 6 × 6 × 6 colors.
  ///
  /// Source: xterm's ctlseqs, “Character Attributes (SGR)”.
  private func color(_ image: PixelBuffer, _ column: Int, _ row: Int) -> String {
    let start = 3 * (row * image.width + column)
    let parts = image.bytes[start..<start + 3].map(Int.init)
    if hasAllColors { return "2;" + parts.map(String.init).joined(separator: ";") }
    // The levels are 0, 95, 135, 175, 215 and 255.
    let steps = parts.map { $0 < 48 ? 0 : $0 < 115 ? 1 : ($0 - 35) / 40 }
    return "5;\(16 + 36 * steps[0] + 6 * steps[1] + steps[2])"
  }
}
