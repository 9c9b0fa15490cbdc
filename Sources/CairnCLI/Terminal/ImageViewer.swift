import Cairn
import SystemPackage

/// The program that opens images for a person.
enum ImageViewer {
  /// `CAIRN_VIEWER`, or the program that opens files on this system; searched for in `PATH`.
  private static var program: DesktopProgram {
    if let named = variable("CAIRN_VIEWER"), !named.isEmpty { return DesktopProgram(name: named) }
    return .opener
  }

  /// Opens a file, without waiting for the program to end.
  static func show(_ file: FilePath) throws(CairnError) {
    let program = ImageViewer.program
    do throws(DesktopProgram.Failure) {
      try program.open(file.string)
    } catch {
      let problem =
        switch error {
        case .notFound: "could not be started"
        case .failed: "could not open the image"
        }
      throw CairnError(
        .notFound, "The image viewer `\(program.name)` \(problem).",
        hint: "The image is \(file). Set CAIRN_VIEWER to a program that opens images.")
    }
  }
}
