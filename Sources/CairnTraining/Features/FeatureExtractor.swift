internal import CTraining

/// Computes the features of photos: Fisher vectors of gradients and of colors. One thread uses it at
/// a time.
package final class FeatureExtractor: @unchecked Sendable {
  /// The width and height of the image that it takes.
  package static let side = Int(ctraining_side)

  private let maps: Matrix
  private let scratch: Matrix
  private let cells: Matrix
  private let descriptors: Matrix
  private let parts: [(kind: DescriptorKind, vocabulary: FisherVocabulary)]
  private let vector: Matrix

  package init(_ codebook: Codebook = .embedded) {
    let pixels = FeatureExtractor.side * FeatureExtractor.side
    (maps, scratch) = (Matrix(rows: pixels, columns: 8), Matrix(rows: pixels, columns: 8))
    cells = Matrix(rows: pixels, columns: 8)
    descriptors = Matrix(rows: 64, columns: Codebook.descriptorSize)
    parts = [
      (.gradients, FisherVocabulary(codebook.gradients)),
      (.colors, FisherVocabulary(codebook.colors)),
    ]
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
    for (number, (kind, vocabulary)) in parts.enumerated() {
      vocabulary.reset()
      kind.maps(rgb, maps.values)
      for cell in kind.cells {
        kind.sums(maps.values, cell, scratch.values, cells.values)
        let count = kind.lineCount(cell)
        for line in 0..<count {
          kind.descriptors(cells.values, cell, line, descriptors.values)
          vocabulary.add(descriptors, rows: count)
        }
      }
      vocabulary.write(to: vector.values + number * Codebook.fisherCount / parts.count)
    }
  }
}
