import Testing

@testable import Cairn

@Suite("Cached features")
struct QuantizedFeaturesTests {
  @Test(
    "are within 16 bits, however small the features are",
    arguments: [1, 16_384, 40_000, 49_150, 1e6, 1e30] as [Float])
  func small(factor: Float) {
    let largest = .leastNonzeroMagnitude * factor
    let quantized = QuantizedFeatures([largest, -largest, 0])
    #expect(quantized.values[0] == -quantized.values[1] && quantized.values[2] == 0)
    #expect(quantized.floats[0] <= largest)
  }
}
