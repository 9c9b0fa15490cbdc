import Cairn
import LibC
import SystemPackage

/// The program in which people of this machine look at images.
enum ImageViewer {
  #if os(macOS)
    private static let program = "open"
  #else
    private static let program = "xdg-open"
  #endif

  /// How long it may take to say that it cannot.
  private static let limitMilliseconds: Int64 = 1000

  /// Opens a file, and leaves the program running.
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
        .notFound, "There is no program `\(program)` to open images with.",
        hint: "The image is \(file).")
    }
    let end = monotonicMilliseconds() + limitMilliseconds
    while monotonicMilliseconds() < end {
      var status: CInt = 0
      if waitpid(started, &status, WNOHANG) == started {
        if status == 0 { return }
        throw CairnError(
          .notFound, "`\(program)` has nothing to open images with.",
          hint: "The image is \(file).")
      }
      usleep(10_000)
    }
  }
}
