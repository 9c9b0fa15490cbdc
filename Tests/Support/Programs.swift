package import Foundation

/// The programs that the tests run.
package enum Programs {
  /// The `cairn` that `CAIRN_BINARY` names, or else the one built next to this test bundle.
  package static let cairn: URL? = {
    if let path = ProcessInfo.processInfo.environment["CAIRN_BINARY"] {
      return URL(filePath: path)
    }
    var directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    while directory.path.count > 1 {
      for name in ["cairn", ".build/debug/cairn"] {
        let file = directory.appending(path: name)
        if isProgram(file.path) { return file }
      }
      directory.deleteLastPathComponent()
    }
    return nil
  }()

  package static let searchPath = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"

  /// Returns whether `PATH` has a program of this name.
  package static func isInstalled(_ name: String) -> Bool {
    searchPath.split(separator: ":").contains { isProgram("\($0)/\(name)") }
  }

  package static func isProgram(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && !isDirectory.boolValue && FileManager.default.isExecutableFile(atPath: path)
  }
}
