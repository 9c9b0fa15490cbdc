import CairnProcess
import LibC
import SystemPackage

/// A program that shows something to a person, outside of the terminal.
struct DesktopProgram {
  let name: String

  /// The program that opens files and links on this system.
  #if os(macOS)
    static let opener = DesktopProgram(name: "open")
  #else
    static let opener = DesktopProgram(name: "xdg-open")
  #endif

  enum Failure: Error { case notFound, failed }

  /// How long to wait for the program to report an error.
  private static let limitMilliseconds: Int64 = 1000

  /// Opens a file or link, detached from the terminal's input and output, without waiting for the
  /// program to end.
  func open(_ text: String) throws(Failure) {
    let null = ProcessStream.file("/dev/null", O_RDWR)
    let started: CInt
    do throws(Errno) {
      started = try startProcess(
        name, [text], environment: [:], streams: [null, null, null]
      ).process
    } catch {
      throw .notFound
    }
    let end = monotonicMilliseconds() + DesktopProgram.limitMilliseconds
    while monotonicMilliseconds() < end {
      var status: CInt = 0
      if waitpid(started, &status, WNOHANG) == started {
        if status == 0 { return }
        throw .failed
      }
      usleep(10_000)
    }
  }
}
