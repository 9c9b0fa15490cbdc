import Foundation
import SystemPackage
import TestSupport
import Testing

extension Programs {
  /// The first `python3` that has jsonschema.
  static let python: String? = {
    let found = searchPath.split(separator: ":").map { "\($0)/python3" } + ["/usr/bin/python3"]
    return found.first { path in
      guard isProgram(path) else { return false }
      let command = Command(path, ["-c", "import jsonschema"], in: packageDirectory.path)
      return (try? command.run())?.status == 0
    }
  }()

  /// The `python3` with the other programs' packages; nil before `make setup`.
  static let clients: String? = {
    var directory = packageDirectory
    while directory.path.count > 1 {
      let program = directory.appending(path: ".build/python/bin/python3").path
      if isProgram(program) { return program }
      directory.deleteLastPathComponent()
    }
    return nil
  }()

  static let missingClients: Comment = "there is no .build/python: run `make setup`"

  /// Whether file systems can be mounted here, which takes root.
  static let canMount: Bool = {
    let directory = TemporaryDirectory()
    let path = directory.root.string
    let mount = Command("/bin/mount", ["-t", "tmpfs", "none", path], in: "/")
    guard (try? mount.run())?.status == 0 else { return false }
    _ = try? Command("/bin/umount", [path], in: "/").run()
    withExtendedLifetime(directory) {}
    return true
  }()

  /// The command that runs a program without root's right to read every file; empty if this is not
  /// root, nil if the command does not work.
  static let unprivileged: [String]? = {
    if getuid() != 0 { return [] }
    let command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    let test = Command("env", command + ["true"], in: "/")
    return (try? test.run())?.status == 0 ? command : nil
  }()

  /// Whether git-lfs is installed.
  static let hasLFS = isInstalled("git-lfs")

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
