internal import COnnxRuntime
internal import SystemPackage

/// A loaded model. Several threads may run it at once.
final class ONNXSession: @unchecked Sendable {
  // It is immutable, and sessions are thread-safe.
  private let runtime: ONNXRuntime
  private let session: UnsafeMutableRawPointer
  private let memory: UnsafeMutableRawPointer
  let input: Tensor
  let outputs: [Tensor]

  /// A tensor declared by the model.
  struct Tensor {
    let name: String
    /// The element type, as numbered by ONNX.
    let type: Int
    /// Negative for a dimension of any size.
    let dimensions: [Int]

    /// `1×3×224×224`, with “any” for a size that is not fixed.
    var shape: String { dimensions.map { $0 > 0 ? "\($0)" : "any" }.joined(separator: "×") }
  }

  init(_ file: FilePath, _ runtime: ONNXRuntime) throws(LabelerError) {
    let (api, name) = (runtime.api, file.lastComponent?.string ?? file.string)
    var options: UnsafeMutableRawPointer?
    try runtime.check(cairn_ort_create_options(api, &options), "ONNX Runtime is out of memory")
    defer { cairn_ort_release_options(api, options) }
    var session: UnsafeMutableRawPointer?
    try runtime.check(
      cairn_ort_create_session(api, runtime.ortEnvironment, file.string, options, &session),
      "\(name) cannot be loaded")
    var memory: UnsafeMutableRawPointer?
    let status = cairn_ort_cpu_memory(api, &memory)
    guard status == nil, let session, let memory else {
      cairn_ort_release_status(api, status)
      if let session { cairn_ort_release_session(api, session) }
      throw LabelerError("\(name) cannot be loaded", scope: .labeler)
    }
    let model = Declared(runtime: runtime, session: session, name: name)
    do throws(LabelerError) {
      (input, outputs) = (try model.input(), try model.outputs())
    } catch {
      cairn_ort_release_memory(api, memory)
      cairn_ort_release_session(api, session)
      throw error
    }
    (self.runtime, self.session, self.memory) = (runtime, session, memory)
  }

  deinit {
    cairn_ort_release_memory(runtime.api, memory)
    cairn_ort_release_session(runtime.api, session)
  }

  /// Runs the model.
  ///
  /// - Parameters:
  ///   - bytes: The input's elements, in its type.
  ///   - shape: The size of each dimension.
  /// - Returns: The elements of one output.
  func run(
    _ bytes: UnsafeMutableRawBufferPointer, shape: [Int], output: String
  ) throws(LabelerError) -> [Float] {
    let api = runtime.api
    var tensor: UnsafeMutableRawPointer?
    let shape = shape.map { Int64($0) }
    try runtime.check(
      cairn_ort_create_tensor(
        api, memory, bytes.baseAddress, bytes.count, shape, shape.count, CInt(input.type), &tensor),
      "the image cannot be converted to a tensor")
    defer { cairn_ort_release_value(api, tensor) }
    var result: UnsafeMutableRawPointer?
    try runtime.check(
      cairn_ort_run(api, session, input.name, tensor, output, &result), "the model cannot be run")
    defer { cairn_ort_release_value(api, result) }
    return try numbers(of: result, output)
  }

  private func numbers(
    of value: UnsafeMutableRawPointer?, _ name: String
  ) throws(LabelerError) -> [Float] {
    let (api, unreadable) = (runtime.api, "the model's output cannot be read")
    var isTensor: CInt = 0
    try runtime.check(cairn_ort_is_tensor(api, value, &isTensor), unreadable)
    guard isTensor != 0 else { throw .noFloats(name) }
    var info: UnsafeMutableRawPointer?
    try runtime.check(cairn_ort_value_info(api, value, &info), unreadable)
    defer { cairn_ort_release_info(api, info) }
    var (type, rank) = (CInt(0), 0)
    try runtime.check(cairn_ort_element_type(api, info, &type), unreadable)
    guard type == CInt(cairn_ort_float) else { throw .noFloats(name) }
    try runtime.check(cairn_ort_dimension_count(api, info, &rank), unreadable)
    var dimensions = [Int64](repeating: 0, count: rank)
    try runtime.check(
      cairn_ort_dimensions(api, info, &dimensions, rank), unreadable)
    let count = dimensions.reduce(1) { $0 * Int($1) }
    var data: UnsafeMutableRawPointer?
    try runtime.check(cairn_ort_data(api, value, &data), unreadable)
    guard let data, count > 0 else { throw .noFloats(name) }
    return Array(UnsafeRawBufferPointer(start: data, count: count * 4).bindMemory(to: Float.self))
  }
}

extension LabelerError {
  fileprivate static func noFloats(_ output: String) -> LabelerError {
    LabelerError("the output “\(output)” is not a list of scores (float32)", scope: .labeler)
  }
}

/// The declared inputs and outputs of a model.
private struct Declared {
  let runtime: ONNXRuntime
  let session: UnsafeMutableRawPointer
  let name: String

  func input() throws(LabelerError) -> ONNXSession.Tensor {
    var count = 0
    try runtime.check(cairn_ort_input_count(runtime.api, session, &count), "\(name) has no input")
    guard count == 1 else {
      throw LabelerError("\(name) takes \(count) inputs, but must take one image", scope: .labeler)
    }
    return try tensor(0, isInput: true)
  }

  func outputs() throws(LabelerError) -> [ONNXSession.Tensor] {
    var count = 0
    try runtime.check(cairn_ort_output_count(runtime.api, session, &count), "\(name) has no output")
    var outputs: [ONNXSession.Tensor] = []
    for index in 0..<count { outputs.append(try tensor(index, isInput: false)) }
    return outputs
  }

  private func tensor(_ index: Int, isInput: Bool) throws(LabelerError) -> ONNXSession.Tensor {
    let (api, problem) = (runtime.api, "the inputs and outputs of \(name) cannot be read")
    var type: UnsafeMutableRawPointer?
    try runtime.check(
      isInput
        ? cairn_ort_input_type(api, session, index, &type)
        : cairn_ort_output_type(api, session, index, &type), problem)
    defer { cairn_ort_release_type(api, type) }
    var info: UnsafeRawPointer?
    try runtime.check(cairn_ort_tensor_info(api, type, &info), problem)
    let label = try self.label(index, isInput: isInput, problem)
    guard let info else { return ONNXSession.Tensor(name: label, type: 0, dimensions: []) }
    var (element, rank) = (CInt(0), 0)
    try runtime.check(cairn_ort_element_type(api, info, &element), problem)
    try runtime.check(cairn_ort_dimension_count(api, info, &rank), problem)
    var dimensions = [Int64](repeating: 0, count: rank)
    try runtime.check(cairn_ort_dimensions(api, info, &dimensions, rank), problem)
    return ONNXSession.Tensor(
      name: label, type: Int(element), dimensions: dimensions.map { Int($0) })
  }

  private func label(
    _ index: Int, isInput: Bool, _ problem: String
  ) throws(LabelerError) -> String {
    let api = runtime.api
    var allocator: UnsafeMutableRawPointer?
    try runtime.check(cairn_ort_default_allocator(api, &allocator), problem)
    var text: UnsafeMutablePointer<CChar>?
    try runtime.check(
      isInput
        ? cairn_ort_input_name(api, session, index, allocator, &text)
        : cairn_ort_output_name(api, session, index, allocator, &text), problem)
    guard let text else { return "" }
    let label = String(cString: text)
    try runtime.check(cairn_ort_free(api, allocator, text), problem)
    return label
  }
}
