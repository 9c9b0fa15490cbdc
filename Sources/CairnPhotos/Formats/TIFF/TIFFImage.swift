internal import CairnDocument

/// How the pixels of the first image of a TIFF are stored. Source: TIFF 6.0, sections 3 to 23.
struct TIFFImage {
  let size: PixelSize
  let bits: Int
  let samples: Int
  let photometric: Int
  let compression: Int
  /// Whether each sample is in strips or tiles of its own.
  let isPlanar: Bool
  /// 1 if the colors are multiplied by alpha, 2 if not; 0 for no alpha.
  let alpha: Int
  let isInteger: Bool
  let isTiled: Bool
  /// The size of a tile or a strip.
  let block: PixelSize
  let orientation: Int?
  let colorMap: [Int]?

  /// The maximum number of samples per pixel: an image of satellites has some dozens.
  private static let sampleLimit = 64
  private static let blockLimit = 1 << 24

  init(_ image: ImageBytes) throws(ImageError) {
    guard image.count >= 8 else { throw .truncated(.tiff) }
    guard let structure = TIFFStructure(image) else { throw .truncated(.tiff) }
    let main = structure.main
    guard let width = main.number(.width), let height = main.number(.height) else {
      throw .damaged(.tiff, "it does not contain the size of its image")
    }
    size = PixelSize(width: width, height: height)
    try size.check(for: .tiff)
    samples = main.number(.samplesPerPixel) ?? 1
    let depths = main.numbers(.bitsPerSample, atMost: 1 << 10) ?? [1]
    guard 1...TIFFImage.sampleLimit ~= samples, let depth = depths.first, 1...64 ~= depth else {
      throw .damaged(.tiff, "its samples have an invalid number or size")
    }
    // 0 is read by libtiff's own conversion, which refuses what it does not know.
    bits = depths.allSatisfy { $0 == depth } ? depth : 0
    photometric = main.number(.photometric) ?? 0
    compression = main.number(.compression) ?? 1
    isPlanar = main.number(.planarConfiguration) == 2
    let extra = main.number(.extraSamples) ?? 0
    alpha = 1...2 ~= extra ? extra : 0
    isInteger = (main.number(.sampleFormat) ?? 1) == 1
    orientation = structure.orientation
    colorMap = main.numbers(.colorMap, atMost: 3 << 16)
    isTiled = main.has(.tileOffsets)
    let rows = min(main.number(.rowsPerStrip) ?? height, height)
    block =
      isTiled
      ? PixelSize(width: main.number(.tileWidth) ?? 0, height: main.number(.tileHeight) ?? 0)
      : PixelSize(width: width, height: rows)
    try block.check(for: .tiff)
    guard !isTiled || max(block.width, block.height) <= 1 << 16 else {
      throw .damaged(.tiff, "its tiles are too large")
    }
    try TIFFImage.checkBlocks(of: main, isTiled, in: image)
  }

  /// Checks that all image data is in the file.
  private static func checkBlocks(
    of main: TIFFDirectory, _ isTiled: Bool, in image: ImageBytes
  ) throws(ImageError) {
    let offsets = main.numbers(isTiled ? .tileOffsets : .stripOffsets, atMost: blockLimit)
    guard let offsets, !offsets.isEmpty else {
      throw main.has(.tileOffsets) || main.has(.stripOffsets)
        ? .truncated(.tiff) : .damaged(.tiff, "it contains no image data")
    }
    // Old files with one strip may lack its length.
    let lengths = main.numbers(isTiled ? .tileLengths : .stripLengths, atMost: blockLimit) ?? []
    for (offset, length) in zip(offsets, lengths) {
      guard image.slice(from: offset, count: length) != nil else { throw .truncated(.tiff) }
    }
    guard offsets.allSatisfy({ $0 < image.count }) else { throw .truncated(.tiff) }
  }
}
