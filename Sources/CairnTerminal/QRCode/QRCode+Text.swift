extension QRCode {
  /// The width of the light border that a reader needs, in modules.
  private static let border = 4

  /// Returns the code as lines of text: two rows of modules a line, light on dark, with a border.
  ///
  /// The lines expect a terminal with light text on a dark background; set both colors explicitly
  /// where escape sequences are understood.
  package var lines: [String] {
    let all = -QRCode.border..<side + QRCode.border
    return stride(from: all.lowerBound, to: all.upperBound, by: 2).map { row in
      String(
        all.map { column -> Character in
          // Below the last row of the border there is nothing.
          switch (self[row, column], row + 1 < all.upperBound ? self[row + 1, column] : true) {
          case (false, false): "█"
          case (false, true): "▀"
          case (true, false): "▄"
          case (true, true): " "
          }
        })
    }
  }
}
