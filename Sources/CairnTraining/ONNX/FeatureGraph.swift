extension ONNXGraph {
  /// Adds the computation of the Fisher vectors of ``FeatureExtractor``.
  ///
  /// - Parameter image: 1 × 3 × 192 × 192 bytes, red, green and blue.
  /// - Returns: 1 × 6144 numbers.
  mutating func addFisherVectors(of image: Tensor, _ codebook: Codebook) -> Tensor {
    let pixels = add("Cast", [image], [("to", .int(1))])
    let gradients = fisherVector(gradientDescriptors(pixels, codebook), codebook.gradients)
    let colors = fisherVector(colorDescriptors(pixels, codebook), codebook.colors)
    return add("Concat", [gradients, colors], [("axis", .int(1))])
  }

  private mutating func convolution(
    _ input: Tensor, _ weights: [Float], _ shape: [Int], bias: Tensor? = nil, groups: Int = 1,
    dilation: Int = 1, stride: Int = 1
  ) -> Tensor {
    let kernel = constant(weights, shape)
    return add(
      "Conv", [input, kernel] + (bias.map { [$0] } ?? []),
      [
        ("dilations", .ints([dilation, dilation])), ("group", .int(groups)),
        ("kernel_shape", .ints([shape[2], shape[3]])), ("strides", .ints([stride, stride])),
      ])
  }

  private mutating func gradientDescriptors(_ pixels: Tensor, _ codebook: Codebook) -> [Tensor] {
    let gray = convolution(pixels, [0.299 / 255, 0.587 / 255, 0.114 / 255], [1, 3, 1, 1])
    let pads = constant(ints: [0, 0, 1, 1, 0, 0, 1, 1])
    let padded = add("Pad", [gray, pads], [("mode", .text("edge"))])
    let slopes = convolution(
      padded, [0, 0, 0, -1, 0, 1, 0, 0, 0] + [0, -1, 0, 0, 0, 0, 0, 1, 0], [2, 1, 3, 3])
    let squares = add("Mul", [slopes, slopes])
    let length = add("Sqrt", [convolution(squares, [1, 1], [1, 2, 1, 1])])
    let d: Float = 0.70710678
    let directions: [Float] = [1, 0, d, d, 0, 1, -d, d, -1, 0, -d, -d, 0, -1, d, -d]
    let along = convolution(slopes, directions, [8, 2, 1, 1])
    let divisor = add("Add", [length, constant(1e-6)])
    let cosine = add("Relu", [add("Div", [along, divisor])])
    let second = add("Mul", [cosine, cosine])
    let fourth = add("Mul", [second, second])
    let eighth = add("Mul", [fourth, fourth])
    let oriented = add("Mul", [add("Mul", [eighth, cosine]), length])
    return DescriptorKind.gradients.cells.map { cell in
      let window = (0..<2 * cell - 1).map { Float(min($0 + 1, 2 * cell - 1 - $0)) / Float(cell) }
      let all = (0..<8).flatMap { _ in window }
      let down = convolution(oriented, all, [8, 1, window.count, 1], groups: 8)
      let cells = convolution(down, all, [8, 1, 1, window.count], groups: 8)
      let gathered = gather(cells, channels: 8, cell: cell)
      let sum = add("ReduceSum", [gathered, constant(ints: [1])])
      let total = add("Add", [sum, constant(0.02 * Float(cell * cell))])
      let roots = add("Sqrt", [add("Div", [gathered, total])])
      return project(roots, codebook.gradients, channels: 8)
    }
  }

  private mutating func colorDescriptors(_ pixels: Tensor, _ codebook: Codebook) -> [Tensor] {
    let values = add("Mul", [pixels, constant(1 / 255)])
    let squares = add("Mul", [values, values])
    return DescriptorKind.colors.cells.map { cell in
      let shape: [(String, Attribute)] = [("kernel_shape", .ints([cell, cell]))]
      let mean = add("AveragePool", [values], shape)
      let square = add("AveragePool", [squares], shape)
      let difference = add("Sub", [square, add("Mul", [mean, mean])])
      let variance = add("Add", [add("Relu", [difference]), constant(1e-4)])
      let deviation = add("Sqrt", [variance])
      let both = add("Concat", [mean, deviation], [("axis", .int(1))])
      return project(gather(both, channels: 6, cell: cell), codebook.colors, channels: 6)
    }
  }

  /// Gathers the 4 × 4 cells of each descriptor: channels × 16 numbers, by channel.
  private mutating func gather(_ cells: Tensor, channels: Int, cell: Int) -> Tensor {
    var kernel = [Float](repeating: 0, count: 16 * 16)
    for index in 0..<16 { kernel[index * 16 + index] = 1 }
    return convolution(
      cells, (0..<channels).flatMap { _ in kernel }, [16 * channels, 1, 4, 4], groups: channels,
      dilation: cell, stride: 4)
  }

  /// Projects descriptors to components: 48 × their number.
  private mutating func project(
    _ descriptors: Tensor, _ vocabulary: Codebook.Vocabulary, channels: Int
  ) -> Tensor {
    let count = Codebook.componentCount
    var weights: [Float] = []
    for component in 0..<count {
      for channel in 0..<channels {
        for cell in 0..<16 {
          weights.append(vocabulary.projection[(cell * 8 + channel) * count + component])
        }
      }
    }
    let bias = constant(vocabulary.center.map { -$0 }, [count])
    let projected = convolution(descriptors, weights, [count, 16 * channels, 1, 1], bias: bias)
    return add("Reshape", [projected, constant(ints: [count, -1])])
  }

  private mutating func fisherVector(
    _ components: [Tensor], _ vocabulary: Codebook.Vocabulary
  ) -> Tensor {
    let (size, k) = (Codebook.componentCount, Codebook.gaussianCount)
    let all =
      components.count == 1
      ? components[0] : add("Concat", components, [("axis", .int(1))])
    let squares = add("Mul", [all, all])
    let both = add("Concat", [all, squares], [("axis", .int(0))])
    let densities = vocabulary.densities
    var weights: [Float] = []
    for gaussian in 0..<k {
      for index in 0..<2 * size { weights.append(densities.weights[index * k + gaussian]) }
    }
    let products = add("MatMul", [constant(weights, [k, 2 * size]), both])
    let scores = add("Add", [products, constant(densities.constants, [k, 1])])
    let shares = add("Softmax", [scores], [("axis", .int(0))])
    let share = add("ReduceSum", [shares, constant(ints: [1])])
    let flipped = add("Transpose", [both], [("perm", .ints([1, 0]))])
    let sums = split(
      [add("MatMul", [shares, flipped]), constant(ints: [size, size])], axis: 1, count: 2)
    let count = vocabulary.descriptorCount
    let table = vocabulary.gradients(count: count)
    let shape = [k, size]
    let weighted = add("Mul", [constant(vocabulary.means, shape), share])
    let byMean = add(
      "Mul", [add("Sub", [sums[0], weighted]), constant(table.mean, shape)])
    let first = add("Mul", [constant(table.first, shape), sums[0]])
    let zeroth = add("Mul", [constant(table.zeroth, shape), share])
    let byVariance = add(
      "Mul",
      [add("Add", [add("Add", [sums[1], first]), zeroth]), constant(table.variance, shape)])
    let vector = add(
      "Reshape",
      [
        add("Concat", [byMean, byVariance], [("axis", .int(1))]),
        constant(ints: [1, 2 * size * k]),
      ])
    let roots = add("Mul", [add("Sign", [vector]), add("Sqrt", [add("Abs", [vector])])])
    let length = add("ReduceL2", [roots], [("axes", .ints([1]))])
    return add("Div", [roots, add("Add", [length, constant(1e-6)])])
  }
}
