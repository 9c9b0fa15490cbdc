import ArgumentParser
import SystemPackage

/// The options that choose the features of photos.
struct FeatureOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use the output of this model as features; its description (.json) is next to it.",
      valueName: "file.onnx"))
  var features: String?
  @Option(
    help: ArgumentHelp("The ONNX Runtime library or its folder.", valueName: "path"))
  var library: String?

  func validate() throws {
    if library != nil, features == nil { throw ValidationError("--library requires --features.") }
  }

  /// The path of the model; nil for cairn's own features.
  var file: FilePath? { features.map { currentDirectory().pushing(FilePath($0)) } }

  var libraryPath: FilePath? { library.map { currentDirectory().pushing(FilePath($0)) } }
}
