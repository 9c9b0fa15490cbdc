import Cairn
import SystemPackage
import LibC

/// The program that shows images to people.
enum Viewer {
  /// `CAIRN_VIEWER`, or what opens files on this system.
  static var program: String? {
    if let named = variable("CAIRN_VIEWER"), !named.isEmpty { return named }
    #if canImport(Darwin)
      let names = ["open"]
    #else
      let names = ["xdg-open"]
    #endif
    let places = (variable("PATH") ?? "").split(separator: ":")
    return names.first { name in places.contains { access("\($0)/\(name)", X_OK) == 0 } }
  }

  /// Starts a viewer and does not wait for it; it has nothing of our terminal.
  static func open(_ file: String, with program: String) -> Bool {
    let nothing = ProcessStream.file("/dev/null", O_RDWR)
    let streams = [nothing, nothing, nothing]
    return (try? startProcess(program, [file], environment: [:], streams: streams)) != nil
  }
}

/// Returns the size of a file in bytes; nil where there is none.
func fileSize(_ path: String) -> Int? {
  var status = stat()
  return stat(path, &status) == 0 ? Int(status.st_size) : nil
}
