import Cairn
import CairnBase

extension PixelBuffer {
  /// Returns the image with the outlines of boxes: yellow, with a black edge inside where there is
  /// room, so that they show on any background.
  func outlining(_ boxes: [NormalizedRect]) -> PixelBuffer {
    if boxes.isEmpty { return self }
    var bytes = self.bytes
    let thickness = max(1, min(width, height) / 150)
    for box in boxes {
      let (left, right) = edges(box.x, box.width, width)
      let (top, bottom) = edges(box.y, box.height, height)
      func draw(_ inset: Int, _ color: [UInt8]) {
        let (first, last) = (left + inset, right - inset)
        let (upper, lower) = (top + inset, bottom - inset)
        guard first <= last, upper <= lower else { return }
        for row in upper...lower {
          let isEdge = row == upper || row == lower
          for column in stride(from: first, through: last, by: isEdge ? 1 : max(1, last - first)) {
            let start = 3 * (row * width + column)
            for channel in 0..<3 { bytes[start + channel] = color[channel] }
          }
        }
      }
      for inset in 0..<thickness { draw(inset, [255, 221, 0]) }
      if thickness > 1 { draw(thickness, [0, 0, 0]) }
    }
    return PixelBuffer(width: width, height: height, bytes: bytes)
  }

  /// Returns the first and last pixel of a box in one direction, within the image.
  private func edges(_ start: Double, _ length: Double, _ count: Int) -> (Int, Int) {
    let last = Double(count - 1)
    let first = max(0, min(last, (start * Double(count)).rounded(.down)))
    let end = max(first, min(last, ((start + length) * Double(count)).rounded(.up) - 1))
    return (Int(first), Int(end))
  }
}
