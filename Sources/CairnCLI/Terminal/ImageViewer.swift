import Cairn
import CairnProcess
import LibC
import SystemPackage

/// The default program of this system for opening images.
enum ImageViewer {
  #if os(macOS)
    private static let program = "open"
  #else
    private static let program = "xdg-open"
  #endif

  /// How long to wait for the program to report an error.
  private static let limitMilliseconds: Int64 = 1000

  /// Opens a file, without waiting for the program to end.
  static func show(_ file: FilePath) throws {
    let started: CInt
    do throws(Errno) {
      started = try startProcess(
        program, [file.string], environment: [:],
        streams: [
          .file("/dev/null", O_RDONLY), .file("/dev/null", O_WRONLY), .file("/dev/null", O_WRONLY),
        ]
      ).process
    } catch {
      throw CairnError(
        .notFound, "Images cannot be opened: `\(program)` is not installed.",
        hint: "The image is \(file).")
    }
    let end = monotonicMilliseconds() + limitMilliseconds
    while monotonicMilliseconds() < end {
      var status: CInt = 0
      if waitpid(started, &status, WNOHANG) == started {
        if status == 0 { return }
        throw CairnError(
          .notFound, "`\(program)` found no program that opens images.",
          hint: "The image is \(file).")
      }
      usleep(10_000)
    }
  }
}
