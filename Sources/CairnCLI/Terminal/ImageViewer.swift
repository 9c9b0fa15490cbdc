import Cairn
import CairnProcess
import LibC
import SystemPackage

/// The program that opens images for a person.
enum ImageViewer {
  /// `CAIRN_VIEWER`, or the program that opens files on this system; searched for in `PATH`.
  private static var program: String {
    if let named = variable("CAIRN_VIEWER"), !named.isEmpty { return named }
    #if os(macOS)
      return "open"
    #else
      return "xdg-open"
    #endif
  }

  /// How long to wait for the program to report an error.
  private static let limitMilliseconds: Int64 = 1000

  /// Opens a file, detached from the terminal's input and output, without waiting for the program
  /// to end.
  static func show(_ file: FilePath) throws(CairnError) {
    let program = ImageViewer.program
    let null = ProcessStream.file("/dev/null", O_RDWR)
    let started: CInt
    do throws(Errno) {
      started = try startProcess(
        program, [file.string], environment: [:], streams: [null, null, null]
      ).process
    } catch {
      throw CairnError(
        .notFound, "The image viewer `\(program)` could not be started.",
        hint: "The image is \(file). Set CAIRN_VIEWER to a program that opens images.")
    }
    let end = monotonicMilliseconds() + limitMilliseconds
    while monotonicMilliseconds() < end {
      var status: CInt = 0
      if waitpid(started, &status, WNOHANG) == started {
        if status == 0 { return }
        throw CairnError(
          .notFound, "The image viewer `\(program)` could not open the image.",
          hint: "The image is \(file). Set CAIRN_VIEWER to a program that opens images.")
      }
      usleep(10_000)
    }
  }
}
