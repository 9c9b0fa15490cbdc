import Cairn
import CairnBase
import CairnFiles
import SystemPackage

/// The photo of a question: shown in the terminal, and opened in a viewer.
struct ReviewPicture {
  let dataset: Dataset
  /// The protocol that shows photos above their questions; nil to show none.
  let imageProtocol: TerminalImageProtocol?

  /// Shows the photo in the terminal, with the boxes of the question's class, or of all classes if
  /// it is about none.
  func show(_ question: ReviewQuestion) {
    guard let imageProtocol else { return }
    var size = TerminalSize(of: 1)
    // Leave room for the question.
    size.rows = max(size.rows - ReviewScreen.defaultRows, size.rows / 2)
    let terminal = TerminalImage(imageProtocol: imageProtocol, size: size)
    do throws(CairnError) {
      let picture = try dataset.picture(of: question.photo.id, fitting: terminal.side)
      Console.write("\n" + terminal.sequence(of: picture, boxes: question.boxes))
    } catch {
      // The question itself reports that the image is missing.
      if error.kind != .missingImage { Console.note(error.message) }
    }
  }

  /// Returns the path of the photo's image; nil if it is not on this disk.
  func file(of photo: Photo) -> String? {
    let path = DocumentPath.image(photo.id, photo.image.format).description
    let file = dataset.root.pushing(FilePath(path))
    // A missing image has a pointer in its place, which is smaller.
    return (try? FileSystem().status(file))?.size == Int64(photo.image.bytes) ? file.string : nil
  }

  /// Opens the image in a viewer.
  ///
  /// - Returns: The message for the person.
  func open(_ photo: Photo) -> String {
    guard let file = file(of: photo) else {
      return "The image is not on this disk; `cairn images fetch` fetches it."
    }
    do throws(CairnError) {
      try ImageViewer.show(FilePath(file))
      return "Opened."
    } catch {
      return [error.message, error.hint].compactMap(\.self).joined(separator: " ")
    }
  }
}
