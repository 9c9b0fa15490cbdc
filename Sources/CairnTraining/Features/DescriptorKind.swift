internal import CTraining

/// One of the kinds of local descriptors, with the inner loops that compute it.
struct DescriptorKind: Sendable {
  /// The sizes of a descriptor's cells in pixels; a descriptor has 4 × 4 cells.
  let cells: [Int]
  /// Writes the maps of an image.
  let maps: @Sendable (_ rgb: UnsafePointer<UInt8>, _ maps: UnsafeMutablePointer<Float>) -> Void
  /// Sums maps over cells of a size.
  let sums:
    @Sendable (
      _ maps: UnsafePointer<Float>, _ cell: Int, _ scratch: UnsafeMutablePointer<Float>,
      _ result: UnsafeMutablePointer<Float>
    ) -> Void
  /// Returns the number of descriptors in a line.
  let lineCount: @Sendable (_ cell: Int) -> Int
  /// Writes the descriptors of a line.
  let descriptors:
    @Sendable (
      _ cells: UnsafePointer<Float>, _ cell: Int, _ line: Int,
      _ descriptors: UnsafeMutablePointer<Float>
    ) -> Void

  static let gradients = DescriptorKind(
    cells: [3, 4, 6], maps: { ctraining_gradients($0, $1) },
    sums: { ctraining_gradient_cells($0, $1, $2, $3) },
    lineCount: { ctraining_gradient_line($0) },
    descriptors: { ctraining_gradient_descriptors($0, $1, $2, $3) })

  static let colors = DescriptorKind(
    cells: [6], maps: { ctraining_colors($0, $1) },
    sums: { ctraining_color_cells($0, $1, $2, $3) }, lineCount: { ctraining_color_line($0) },
    descriptors: { ctraining_color_descriptors($0, $1, $2, $3) })

  /// The number of descriptors of an image.
  var descriptorCount: Int { cells.reduce(0) { $0 + lineCount($1) * lineCount($1) } }
}
