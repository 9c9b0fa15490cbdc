internal import CairnDocument
internal import CairnFiles
internal import CairnPhotos
internal import SystemPackage

/// The description of an ONNX model, from `MODEL.json` beside `MODEL.onnx`.
struct ModelConfig: Sendable {
  enum Fit: String {
    /// The shorter side becomes `resize`, and the center is cropped.
    case crop
    /// Both sides are stretched to the input size.
    case stretch
  }

  enum Layout: String { case nchw, nhwc }
  enum Channels: String { case rgb, bgr }

  /// The model's name; nil if missing.
  let name: String?
  let version: String?
  /// The member “input” as it was given.
  let input: JSONObject
  /// The input size in pixels; nil uses the size declared in the model file.
  let width: Int?
  let height: Int?
  let fit: Fit
  /// The length of the shorter side before cropping; nil uses the input size.
  let resize: Int?
  let filter: ResamplingFilter
  let layout: Layout
  let channels: Channels
  /// The factor for a byte of a pixel; then the mean is subtracted, and the result is divided by
  /// the standard deviation.
  let scale: Double
  let mean: [Double]
  let deviation: [Double]
  /// The name of the output; nil for the first.
  let output: String?
  let activation: ResponseMapping.Activation
  /// Empty for a model whose output is used as features.
  let classes: [String]

  /// The maximum side that an image is resized to, in pixels.
  static let sideLimit = 8192

  /// Reads the description of the model at `path`.
  ///
  /// - Parameter isEmbedding: Whether the output is used as features, so that it needs no classes.
  init(forModel path: FilePath, isEmbedding: Bool = false) throws(LabelerError) {
    var file = path
    file.extension = "json"
    let bytes: [UInt8]?
    do throws(FileError) {
      bytes = try FileSystem().read(file, limit: DocumentLimit.size)
    } catch {
      throw LabelerError("\(file) cannot be read: \(error)", scope: .labeler)
    }
    guard let bytes else {
      throw LabelerError("\(file), the description of the model, is missing", scope: .labeler)
    }
    do {
      try self.init(
        json: JSON(bytes: bytes), directory: path.removingLastComponent(),
        isEmbedding: isEmbedding)
    } catch let error as LabelerError {
      throw LabelerError("\(file): \(error.message)", scope: .labeler)
    } catch {
      throw LabelerError("\(file) is not JSON (\(error))", scope: .labeler)
    }
  }

  init(json: JSON, directory: FilePath, isEmbedding: Bool = false) throws(LabelerError) {
    guard let object = json.object else { throw .description("it is not an object") }
    let known = ["name", "version", "input", "output", "classes"]
    if let other = object.members.first(where: { !known.contains($0.key) }) {
      throw .description("“\(other.key)” is not a known key")
    }
    (name, version) = (json["name"]?.string, json["version"]?.string)
    input = json["input"]?.object ?? [:]
    let inputs = [
      "width", "height", "fit", "resize", "filter", "layout", "channels", "scale", "mean", "std",
    ]
    if let other = input.members.first(where: { !inputs.contains($0.key) }) {
      throw .description("“\(other.key)” is not a known key of “input”")
    }
    width = try ModelConfig.side(input, "width")
    height = try ModelConfig.side(input, "height")
    resize = try ModelConfig.side(input, "resize")
    fit = try ModelConfig.choice(input["fit"], .crop)
    filter = try ModelConfig.choice(input["filter"], .bilinear)
    layout = try ModelConfig.choice(input["layout"], .nchw)
    channels = try ModelConfig.choice(input["channels"], .rgb)
    scale = input["scale"]?.double ?? 1.0 / 255
    mean = try ModelConfig.three(input["mean"], 0)
    deviation = try ModelConfig.three(input["std"], 1)
    guard scale.isFinite, scale != 0, !deviation.contains(0) else {
      throw .description("“scale” and “std” must not be zero")
    }
    output = json["output"]?["name"]?.string
    activation = try ModelConfig.choice(json["output"]?["activation"], .none)
    classes = isEmbedding ? [] : try ModelConfig.classes(json["classes"], directory)
  }

  private static func side(_ object: JSONObject, _ key: String) throws(LabelerError) -> Int? {
    guard let value = object[key] else { return nil }
    guard let side = value.int, 1...sideLimit ~= side else {
      throw .description("“\(key)” must be a number of pixels from 1 to \(sideLimit)")
    }
    return side
  }

  private static func choice<Choice: RawRepresentable<String>>(
    _ value: JSON?, _ standard: Choice
  ) throws(LabelerError) -> Choice {
    guard let value else { return standard }
    guard let choice = value.string.flatMap({ Choice(rawValue: $0.lowercased()) }) else {
      throw .description("“\(value.string ?? "…")” is not a known value")
    }
    return choice
  }

  private static func three(_ value: JSON?, _ standard: Double) throws(LabelerError) -> [Double] {
    guard let value else { return [standard, standard, standard] }
    let numbers = value.array?.compactMap(\.double) ?? []
    guard numbers.count == 3 else {
      throw .description("“mean” and “std” must have three numbers each")
    }
    return numbers
  }

  /// Returns the class names, from the description or from a file beside it with one name per line.
  private static func classes(
    _ value: JSON?, _ directory: FilePath
  ) throws(LabelerError) -> [String] {
    var names = value?.array?.compactMap(\.string) ?? []
    if let name = value?.string {
      guard let component = FilePath.Component(name), component.kind == .regular else {
        throw .description("“\(name)” is not the name of a file in its directory")
      }
      let bytes = try? FileSystem().read(directory.appending(component), limit: 16 << 20)
      guard let bytes else { throw .description("there is no “\(name)” in its directory") }
      let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
      guard let text = String(validating: bytes.dropFirst(hasMark ? 3 : 0), as: UTF8.self) else {
        throw .description("“\(name)” is not valid UTF-8")
      }
      names = text.split(whereSeparator: \.isNewline).map { String($0) }
    }
    if names.isEmpty {
      throw .description("“classes” must list the class names in the model's order")
    }
    return names
  }

  // MARK: Preprocessing

  /// Returns an image as numbers in the model's layout.
  func values(of image: PixelBuffer, width: Int, height: Int) throws(LabelerError) -> [Float] {
    let pixels = try fitted(image, width: width, height: height).bytes
    let order = channels == .rgb ? [0, 1, 2] : [2, 1, 0]
    var values = [Float](repeating: 0, count: pixels.count)
    let count = width * height
    for (target, source) in order.enumerated() {
      // Each of the 256 byte values maps to a fixed number.
      let table = (0..<256).map { byte in
        (Float(byte) * Float(scale) - Float(mean[target])) / Float(deviation[target])
      }
      for index in 0..<count {
        let value = table[Int(pixels[index * 3 + source])]
        values[layout == .nchw ? target * count + index : index * 3 + target] = value
      }
    }
    return values
  }

  /// Returns an image as bytes in the layout of a model that takes bytes.
  func fittedBytes(of image: PixelBuffer, width: Int, height: Int) throws(LabelerError) -> [UInt8] {
    let pixels = try fitted(image, width: width, height: height).bytes
    let (order, count) = (channels == .rgb ? [0, 1, 2] : [2, 1, 0], width * height)
    var bytes = [UInt8](repeating: 0, count: pixels.count)
    for (target, source) in order.enumerated() {
      for index in 0..<count {
        bytes[layout == .nchw ? target * count + index : index * 3 + target] =
          pixels[index * 3 + source]
      }
    }
    return bytes
  }

  /// Source: torchvision, `Resize` of the shorter side and `CenterCrop`.
  func fitted(_ image: PixelBuffer, width: Int, height: Int) throws(LabelerError) -> PixelBuffer {
    if fit == .stretch { return image.resized(width: width, height: height, filter) }
    let short = resize ?? max(width, height)
    let isTall = image.height > image.width
    let long = max(image.width, image.height)
    let longer = Int(Double(short * long) / Double(min(image.width, image.height)))
    guard longer <= ModelConfig.sideLimit * 4 else {
      throw LabelerError("the image is too long and narrow for the model")
    }
    let (newWidth, newHeight) = isTall ? (short, longer) : (longer, short)
    guard newWidth >= width, newHeight >= height else {
      throw LabelerError(
        "“resize” is less than the model's input of \(width)×\(height) pixels", scope: .labeler)
    }
    let resized = image.resized(width: newWidth, height: newHeight, filter)
    func start(_ old: Int, _ new: Int) -> Int {
      Int((Double(old - new) / 2).rounded(.toNearestOrEven))
    }
    return resized.cropped(
      x: start(newWidth, width), y: start(newHeight, height), width: width, height: height)
  }
}
