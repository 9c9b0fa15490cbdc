import Cairn
import CairnProcess
import SystemPackage
import LibC

/// The program that opens images during a review.
enum Viewer {
  /// `CAIRN_VIEWER`, or the program that opens files on this system; nil if there is none.
  static var program: String? {
    if let named = variable("CAIRN_VIEWER"), !named.isEmpty { return named }
    #if canImport(Darwin)
      let names = ["open"]
    #else
      let names = ["xdg-open"]
    #endif
    let directories = (variable("PATH") ?? "").split(separator: ":")
    return names.first { name in directories.contains { access("\($0)/\(name)", X_OK) == 0 } }
  }

  /// Starts a viewer without waiting for it, detached from the terminal's input and output.
  ///
  /// - Parameter file: A path, or a web address.
  static func open(_ file: String, with program: String) -> Bool {
    let null = ProcessStream.file("/dev/null", O_RDWR)
    let streams = [null, null, null]
    return (try? startProcess(program, [file], environment: [:], streams: streams)) != nil
  }
}

/// Returns the size of a file in bytes; nil if it does not exist.
func fileSize(_ path: String) -> Int? {
  var status = stat()
  return stat(path, &status) == 0 ? Int(status.st_size) : nil
}
