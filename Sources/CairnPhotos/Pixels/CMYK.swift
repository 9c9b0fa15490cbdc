/// Returns the red, green and blue of pixels of four inks, as Pillow converts them: without a color
/// profile, each ink is taken from white, and black from all.
///
/// - Parameter inverted: 255 minus each ink, as JPEG has them: Adobe's programs, which write all such
///   files, store them so.
func rgb(fromInvertedCMYK inverted: [UInt8]) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: inverted.count / 4 * 3) { rgb, count in
    inverted.withUnsafeBufferPointer { stored in
      for pixel in 0..<stored.count / 4 {
        let light = Int(stored[4 * pixel + 3])
        for ink in 0..<3 {
          // Rounded as Pillow rounds a product of two fractions of 255.
          let product = (255 - Int(stored[4 * pixel + ink])) * light + 128
          rgb[3 * pixel + ink] = UInt8(max(0, light - (product >> 8 + product) >> 8))
        }
      }
    }
    count = inverted.count / 4 * 3
  }
}
