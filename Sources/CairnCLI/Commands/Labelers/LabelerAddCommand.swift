import ArgumentParser
import Cairn
import CairnFiles
import SystemPackage

struct LabelerAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a labeler to this device.",
    discussion: HelpText.paragraphs(
      """
      A labeler is a preset service (--preset), a service described by a file (--describe), an ONNX
      model (--onnx), a program (--program, which must be the last option), or a labeler exported on
      another device by `cairn labeler show` (--from).

      An ONNX model is run once, on a black image, before it is added. It needs ONNX Runtime 1.x,
      which cairn looks for in this order: --library or the variable CAIRN_ONNXRUNTIME (a file or a
      folder), the active Python environment (VIRTUAL_ENV, then CONDA_PREFIX), the system's
      libraries, the Python packages below ~/.local and /usr, and the package that `python3` would
      import. `pip install onnxruntime` installs it.

      EXAMPLES
        cairn labeler add hf --preset hugging-face --setting model=google/vit-base-patch16-224
        cairn labeler add azure --preset azure-image-analysis --url https://ME.example.org --key-variable MY_KEY
        cairn labeler add net --preset plain --url http://localhost:5000/predict --model resnet50@2026-01
        cairn labeler add trees --onnx trees.onnx --library /opt/onnx/libonnxruntime.so
        cairn labeler add own --at-once 2 --program python3 labeler.py model.pt
      """))

  @Argument(help: "The labeler's name on this device.") var name: String
  @Option(help: ArgumentHelp("A service that `cairn labeler presets` lists.", valueName: "service"))
  var preset: String?
  @Option(help: ArgumentHelp("A file that describes a service.", valueName: "file"))
  var describe: String?
  @Option(
    help: ArgumentHelp("A file written by `cairn labeler show`; - for stdin.", valueName: "path"))
  var from: String?
  @Option(
    help: ArgumentHelp("An ONNX model, with its description (.json) next to it.", valueName: "file")
  )
  var onnx: String?
  @Option(
    help: ArgumentHelp("The ONNX Runtime library or its folder.", valueName: "path"))
  var library: String?
  @Option(help: ArgumentHelp("The service's URL.", valueName: "url")) var url: String?
  @Option(
    name: .customLong("setting"),
    help: ArgumentHelp("A setting of the service. Can be repeated.", valueName: "name=value"))
  var settings: [String] = []
  @Option(
    help: ArgumentHelp("The environment variable that holds the API key.", valueName: "variable"))
  var keyVariable: String?
  @Option(
    help: ArgumentHelp(
      "The environment variable that holds another secret.", valueName: "name=variable")
  )
  var secret: [String] = []
  @Option(
    help: ArgumentHelp("bytes to send the image, or address to send its URL.", valueName: "what"))
  var send: String?
  @Option(
    help: ArgumentHelp(
      "A template for the images' URLs: https://…/{id}.{extension}.", valueName: "template"))
  var imageAddress: String?
  @Option(help: ArgumentHelp("The model's classes in order, one per line.", valueName: "file"))
  var names: String?
  @Option(
    help: ArgumentHelp("The model and version for its labels: name@version.", valueName: "model"))
  var model: String?
  @Option(
    help: ArgumentHelp(
      "Number of photos to process at the same time, 1 to 64 (default: 8, or 2 for an ONNX model).",
      valueName: "count"))
  var atOnce: Int?
  @Option(help: ArgumentHelp("The time limit for a response.", valueName: "seconds"))
  var timeout: Int?
  @Flag(help: "Replace a labeler of the same name.") var replace = false
  @Option(
    parsing: .remaining, help: ArgumentHelp("A program and its arguments.", valueName: "argument…"))
  var program: [String] = []
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    let kinds = [preset != nil, describe != nil, from != nil, onnx != nil, !program.isEmpty]
    if kinds.count(where: \.self) != 1 {
      throw ValidationError("Give one of --preset, --describe, --from, --onnx and --program.")
    }
  }

  func run() throws {
    let dataset = try globals.dataset()
    let labeler = try dataset.addLabeler(.object(try description()), isReplacing: replace)
    Console.printChange(globals, labeler.json) {
      Console.print(
        "Added the labeler “\(labeler.name)”. Try it: `cairn labeler test \(labeler.name) PHOTO`.")
    }
  }

  private func description() throws -> JSONObject {
    if let from {
      guard var object = try json(from).object else {
        throw CairnError(.invalidInput, "\(from) does not describe a labeler.")
      }
      object["name"] = .string(name)
      return object
    }
    var object: JSONObject = ["name": .string(name)]
    if let onnx {
      object["kind"] = "onnx"
      object["file"] = .string(absolute(onnx))
      object["library"] = library.map { .string(absolute($0)) }
    } else if !program.isEmpty {
      object["kind"] = "program"
      object["command"] = .array(program.indices.map { .string(argument($0)) })
    } else {
      object["kind"] = "service"
      object["preset"] = preset.map { .string($0) }
      object["service"] = try describe.map(json)
      try addService(to: &object)
    }
    object["model"] = model.map { .string($0) }
    object["atOnce"] = atOnce.map { JSON($0) }
    object["timeout"] = timeout.map { JSON($0) }
    return object
  }

  private func addService(to object: inout JSONObject) throws {
    var values = try parts(settings, "a setting")
    values["endpoint"] = url.map { .string($0) } ?? values["endpoint"]
    if !values.isEmpty { object["settings"] = .object(values) }
    var secrets = try parts(secret, "a secret")
    secrets["key"] = keyVariable.map { .string($0) } ?? secrets["key"]
    if !secrets.isEmpty { object["secrets"] = .object(secrets) }
    object["send"] = send.map { .string($0) }
    object["address"] = imageAddress.map { .string($0) }
    object["names"] = try names.map { file in
      let lines = String(decoding: try bytes(file), as: UTF8.self).split(
        whereSeparator: \.isNewline)
      return .array(lines.map { .string(String($0)) })
    }
  }

  private func parts(_ texts: [String], _ what: String) throws -> JSONObject {
    var object = JSONObject()
    for text in texts {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw CairnError(
          .invalidInput, "“\(text)” is not \(what).",
          hint: "For example: `--setting model=resnet50`.")
      }
      object[String(parts[0])] = .string(String(parts[1]))
    }
    return object
  }

  private func absolute(_ path: String) -> String {
    currentDirectory().pushing(FilePath(path)).lexicallyNormalized().string
  }

  /// Returns an argument of the program's command. A path of an existing file becomes absolute,
  /// because the program may be run from another directory. An argument after `-m` is the name of a
  /// module.
  private func argument(_ index: Int) -> String {
    let (argument, files) = (program[index], FileSystem())
    let isModule = index > 0 && program[index - 1] == "-m"
    guard !isModule, let path = files.resolve(FilePath(argument)),
      let status = try? files.status(path), status.kind == .regular
    else { return argument }
    return absolute(argument)
  }

  private func json(_ file: String) throws -> JSON {
    do {
      return try JSON(bytes: try bytes(file))
    } catch let error as DocumentError {
      throw CairnError(.invalidInput, "\(file) is not JSON: \(error).")
    }
  }

  private func bytes(_ file: String) throws -> [UInt8] {
    do {
      let files = FileSystem()
      if file == "-" {
        var bytes: [UInt8] = []
        try files.forEachPiece(of: "/dev/stdin") { bytes += $0 }
        return bytes
      }
      if let bytes = try files.read(FilePath(file), limit: 16 << 20) { return bytes }
    } catch {
      throw CairnError(error)
    }
    throw CairnError(.notFound, "There is no file \(file).")
  }
}
