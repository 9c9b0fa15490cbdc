import Cairn

/// What an argument names, which decides how it is completed.
enum ValueKind: Equatable {
  case none, file, directory
  case photosAndClasses, query
  case `class`, classSet, pin, remote, run, model, person, labeler, split, operation
  /// A key of the configuration; a service that cairn has a description of.
  case setting, preset
  /// One of these words; or several of them, separated by commas.
  case oneOf([String])
  case listOf([String])
  /// The names of classes, separated by commas.
  case classList

  /// - Parameters:
  ///   - valueName: The name of the value in the help, such as `pin`.
  ///   - option: The long name of the option; nil for other arguments.
  ///   - values: All values, if there are only a few.
  ///   - path: The names of the command, such as `pin` and `move`.
  init(valueName: String, option: String?, values: [String], path: [String]) {
    if !values.isEmpty {
      self = .oneOf(values)
      return
    }
    self =
      switch valueName {
      case "file", "path", "paths", "photo", "photos", "map.csv", "file.onnx", "url", "argument…":
        option == "--url" ? .none : .file
      case "dir", "directory": .directory
      case "photo… class": .photosAndClasses
      case "class", "class-name", "classes", "into": .class
      case "class,class…": .classList
      case "set": .classSet
      case "pin": .pin
      case "query": .query
      case "remote": .remote
      case "run": .run
      case "model", "model@version": .model
      case "address": .person
      case "labeler": .labeler
      case "order":
        .oneOf(PhotoOrder.allCases.map { $0 == .confidence ? "conf" : $0.rawValue })
      case "change,change…": .listOf(Augmentation.allCases.map(\.rawValue))
      case "reasons": .listOf(ReviewReason.allCases.map(\.rawValue))
      case "states": .listOf(["confirmed", "predicted", "rejected", "disputed"])
      case "people": .oneOf(PeoplePolicy.allCases.map(\.rawValue))
      case "kind": .oneOf(DocumentKind.allCases.map(\.rawValue))
      case "mode" where option == "--images": .oneOf(ImagePolicy.allCases.map(\.rawValue))
      case "mode" where option == "--several": .oneOf(SeveralClasses.allCases.map(\.rawValue))
      case "what" where option == "--folders": .oneOf(FolderLayout.allCases.map(\.rawValue))
      case "what" where option == "--send": .oneOf(["bytes", "address"])
      case "licenses": .listOf(LicenseKind.allCases.map(\.rawValue) + ["any"])
      case "shares" where option != nil: .split
      case "operation": .operation
      case "key": .setting
      case "service": .preset
      case "name" where option == nil: Self.name(path)
      default: .none
      }
  }

  /// Returns what the argument `name` of a command names.
  private static func name(_ path: [String]) -> ValueKind {
    switch (path.first, path.last) {
    case ("remote", "rename"): .remote
    case (_, "add"), (_, "alias"), (_, "rename"), (_, "set"): .none
    case ("labeler", "presets"): .preset
    case ("labeler", _), ("train", _): .labeler
    case ("remote", _): .remote
    case ("split", _): .split
    default: .none
    }
  }
}
