/// Builds the graph of an ONNX model from operators of opset 13.
///
/// Numbers are constant nodes rather than initializers, so that nodes can be appended to any model.
/// Source: onnx.proto3 of ONNX 1.8.
struct ONNXGraph {
  enum Attribute {
    case int(Int)
    case ints([Int])
    case float(Float)
    case text(String)
  }

  /// The name of a tensor.
  typealias Tensor = String

  static let opset = 13

  private(set) var nodes: [[UInt8]] = []
  private let prefix: String

  /// - Parameter prefix: Begins the names of all tensors of this graph.
  init(prefix: String = "") { self.prefix = prefix }

  /// Adds an operator; returns its output.
  mutating func add(
    _ operation: String, _ inputs: [Tensor], _ attributes: [(String, Attribute)] = [],
    as name: String? = nil
  ) -> Tensor {
    add(operation, inputs, attributes, outputs: [name ?? freshName()])[0]
  }

  /// Adds an operator with several outputs.
  mutating func split(
    _ inputs: [Tensor], axis: Int, count: Int
  ) -> [Tensor] {
    let first = freshName()
    return add(
      "Split", inputs, [("axis", .int(axis))], outputs: (0..<count).map { "\(first)_\($0)" })
  }

  private func freshName() -> String { "\(prefix)t\(nodes.count)" }

  private mutating func add(
    _ operation: String, _ inputs: [Tensor], _ attributes: [(String, Attribute)],
    outputs: [Tensor]
  ) -> [Tensor] {
    var node = ProtobufWriter()
    for input in inputs { node.add(1, input) }
    for output in outputs { node.add(2, output) }
    node.add(4, operation)
    for (name, value) in attributes { node.add(5) { $0.addAttribute(name, value) } }
    nodes.append(node.bytes)
    return outputs
  }

  /// Adds numbers.
  mutating func constant(_ values: [Float], _ shape: [Int], as name: String? = nil) -> Tensor {
    precondition(values.count == shape.reduce(1, *))
    var data: [UInt8] = []
    data.reserveCapacity(4 * values.count)
    for value in values { withUnsafeBytes(of: value.bitPattern.littleEndian) { data += $0 } }
    return constant(type: 1, data, shape, as: name)
  }

  mutating func constant(_ value: Float) -> Tensor { constant([value], []) }

  mutating func constant(ints values: [Int]) -> Tensor {
    var data: [UInt8] = []
    for value in values { withUnsafeBytes(of: Int64(value).littleEndian) { data += $0 } }
    return constant(type: 7, data, [values.count])
  }

  private mutating func constant(
    type: Int, _ data: [UInt8], _ shape: [Int], as name: String? = nil
  ) -> Tensor {
    let name = name ?? freshName()
    var node = ProtobufWriter()
    node.add(2, name)
    node.add(4, "Constant")
    node.add(5) { attribute in
      attribute.add(1, "value")
      attribute.add(5) { tensor in
        for size in shape { tensor.add(1, size) }
        tensor.add(2, type)
        tensor.add(9, data)
      }
      attribute.add(20, 4)
    }
    nodes.append(node.bytes)
    return name
  }
}

extension ProtobufWriter {
  fileprivate mutating func addAttribute(_ name: String, _ value: ONNXGraph.Attribute) {
    add(1, name)
    switch value {
    case .int(let value):
      add(3, value)
      add(20, 2)
    case .ints(let values):
      for value in values { add(8, value) }
      add(20, 7)
    case .float(let value):
      add(2, value)
      add(20, 1)
    case .text(let text):
      add(4, text)
      add(20, 3)
    }
  }

  /// Adds an input or output of a graph. Type 1 is float, 2 is uint8.
  mutating func addTensor(_ field: Int, _ name: String, type: Int, _ shape: [Int]) {
    add(field) { info in
      info.add(1, name)
      info.add(2) { kind in
        kind.add(1) { tensor in
          tensor.add(1, type)
          tensor.add(2) { dimensions in
            for size in shape { dimensions.add(1) { $0.add(1, size) } }
          }
        }
      }
    }
  }
}
