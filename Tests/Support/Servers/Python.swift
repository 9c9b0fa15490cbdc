internal import Foundation

/// The Python environment that `make setup` creates, with the packages that tests need.
package enum Python {
  /// Returns the path of a Python that has a module, or nil.
  package static func program(having module: String) -> String? {
    var directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    var candidates: [String] = []
    while directory.path.count > 1 {
      candidates.append(directory.appending(path: "python/bin/python3").path)
      candidates.append(directory.appending(path: ".build/python/bin/python3").path)
      directory.deleteLastPathComponent()
    }
    return candidates.first { program in
      guard FileManager.default.isExecutableFile(atPath: program) else { return false }
      let process = Process()
      process.executableURL = URL(filePath: program)
      process.arguments = ["-c", "import \(module)"]
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }
  }
}
