internal import CTraining

/// The statistics of local descriptors of photos in general, which are part of the program.
///
/// Sources/CTraining/codebook.md describes the format and the photos it was learned from.
package struct Codebook: Sendable {
  /// The vocabulary of one kind of descriptors: their principal components, and a mixture of
  /// Gaussian distributions of these.
  struct Vocabulary: Sendable {
    /// By descriptor value, then by component.
    let projection: [Float]
    /// Subtracted after the projection, by component.
    let center: [Float]
    let weights: [Float]
    /// By Gaussian, then by component.
    let means: [Float]
    let variances: [Float]
    /// The number of descriptors of a photo.
    let descriptorCount: Int
  }

  /// The version of the features. Features of another version are not comparable.
  package static let version = 1
  static let descriptorSize = 128
  static let componentCount = 48
  static let gaussianCount = 32
  /// The length of the Fisher vectors of both vocabularies.
  package static let fisherCount = 4 * componentCount * gaussianCount

  let gradients: Vocabulary
  let colors: Vocabulary

  /// The codebook of this program.
  package static let embedded = Codebook(
    UnsafeRawBufferPointer(start: ctraining_codebook(), count: ctraining_codebook_count()))

  /// - Precondition: The bytes are a codebook; it is part of the program.
  private init(_ bytes: UnsafeRawBufferPointer) {
    var offset = 4
    func floats(_ count: Int) -> [Float] {
      defer { offset += 4 * count }
      return (0..<count).map {
        let bits = bytes.loadUnaligned(fromByteOffset: offset + 4 * $0, as: UInt32.self)
        return Float(bitPattern: UInt32(littleEndian: bits))
      }
    }
    func vocabulary(_ descriptorCount: Int) -> Vocabulary {
      let (size, count) = (Codebook.gaussianCount, Codebook.componentCount)
      return Vocabulary(
        projection: floats(Codebook.descriptorSize * count), center: floats(count),
        weights: floats(size), means: floats(size * count), variances: floats(size * count),
        descriptorCount: descriptorCount)
    }
    gradients = vocabulary(DescriptorKind.gradients.descriptorCount)
    colors = vocabulary(DescriptorKind.colors.descriptorCount)
  }
}
