import Foundation
import Testing

/// The paths of the programs that the tests run.
enum Programs {
  /// The `cairn` that `CAIRN_BINARY` names, or else the one built next to this test bundle.
  static let cairn: URL? = {
    let inherited = ProcessInfo.processInfo.environment
    if let path = inherited["CAIRN_BINARY"] { return URL(filePath: path) }
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

  /// The top of the package.
  static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static let searchPath = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"

  /// The first `python3` that has jsonschema.
  static let python: String? = {
    let found = searchPath.split(separator: ":").map { "\($0)/python3" } + ["/usr/bin/python3"]
    return found.first { path in
      guard isProgram(path) else { return false }
      let command = Command(path, ["-c", "import jsonschema"], in: package.path)
      return (try? command.run())?.status == 0
    }
  }()

  /// Whether file systems can be mounted here, which takes root.
  static let canMount: Bool = {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let mount = Command("/bin/mount", ["-t", "tmpfs", "none", directory.path], in: "/")
    guard (try? mount.run())?.status == 0 else { return false }
    _ = try? Command("/bin/umount", [directory.path], in: "/").run()
    return true
  }()

  /// Whether git-lfs is installed.
  static let hasLFS = searchPath.split(separator: ":").contains { isProgram("\($0)/git-lfs") }

  static func isProgram(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && !isDirectory.boolValue && FileManager.default.isExecutableFile(atPath: path)
  }

  /// Makes links in `directory` to every program of the machine except git-lfs and cairn.
  static func linkAllButLFS(in directory: URL) throws {
    for path in ["/usr/local/bin", "/usr/bin", "/bin"] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      for name in names where name != "git-lfs" && name != "cairn" {
        let link = directory.appending(path: name).path
        if FileManager.default.fileExists(atPath: link) { continue }
        try? FileManager.default.createSymbolicLink(
          atPath: link, withDestinationPath: "\(path)/\(name)")
      }
    }
  }
}

/// Makes a new directory with a unique name.
func temporaryDirectory() -> URL {
  let name = "cairn-e2e-" + UUID().uuidString.prefix(8)
  let url = FileManager.default.temporaryDirectory.appending(path: name)
  try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  return url.resolvingSymlinksInPath()
}
