internal import CTraining

/// Computes the features of photos: Fisher vectors of gradients and of colors. One thread uses it at
/// a time.
package final class FeatureExtractor: @unchecked Sendable {
  /// The width and height of the image that it takes.
  package static let side = Int(ctraining_side)

  /// The sizes of a descriptor's cells in pixels; a descriptor has 4 × 4 cells.
  static let gradientCells = [3, 4, 6]
  static let colorCells = [6]

  private let maps: Matrix
  private let scratch: Matrix
  private let cells: Matrix
  private let descriptors: Matrix
  private let gradients: FisherVocabulary
  private let colors: FisherVocabulary
  private let vector: Matrix

  package init(_ codebook: Codebook = .embedded) {
    let pixels = FeatureExtractor.side * FeatureExtractor.side
    (maps, scratch) = (Matrix(rows: pixels, columns: 8), Matrix(rows: pixels, columns: 8))
    cells = Matrix(rows: pixels, columns: 8)
    descriptors = Matrix(rows: 64, columns: Codebook.descriptorSize)
    gradients = FisherVocabulary(codebook.gradients)
    colors = FisherVocabulary(codebook.colors)
    vector = Matrix(rows: 1, columns: Codebook.fisherCount)
  }

  /// Returns the Fisher vector of an image.
  ///
  /// - Parameter rgb: 192 × 192 pixels, three bytes each.
  package func fisherVector(of rgb: [UInt8]) -> [Float] {
    encode(rgb)
    return vector.array
  }

  private func encode(_ rgb: [UInt8]) {
    precondition(rgb.count == 3 * FeatureExtractor.side * FeatureExtractor.side)
    gradients.reset()
    ctraining_gradients(rgb, maps.values)
    for cell in FeatureExtractor.gradientCells {
      ctraining_gradient_cells(maps.values, cell, scratch.values, cells.values)
      let count = ctraining_gradient_line(cell)
      for line in 0..<count {
        ctraining_gradient_descriptors(cells.values, cell, line, descriptors.values)
        gradients.add(descriptors, rows: count)
      }
    }
    gradients.write(to: vector.values)
    colors.reset()
    ctraining_colors(rgb, maps.values)
    for cell in FeatureExtractor.colorCells {
      ctraining_color_cells(maps.values, cell, scratch.values, cells.values)
      let count = ctraining_color_line(cell)
      for line in 0..<count {
        ctraining_color_descriptors(cells.values, cell, line, descriptors.values)
        colors.add(descriptors, rows: count)
      }
    }
    colors.write(to: vector.values + Codebook.fisherCount / 2)
  }
}
