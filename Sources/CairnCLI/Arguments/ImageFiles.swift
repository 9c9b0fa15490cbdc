import Cairn
import CairnFiles
import SystemPackage

/// Returns the file at `path`, or the files below it that have an image's extension, for a dry run.
///
/// - Throws: ``CairnError/Kind/notFound`` if there is no file or directory.
func imageFiles(at path: FilePath) throws(CairnError) -> [FilePath] {
  let files = FileSystem()
  var found: [FilePath] = []
  do {
    guard let kind = try files.status(files.resolve(path) ?? path)?.kind else {
      throw CairnError(.notFound, "There is no file \(path).")
    }
    guard kind == .directory else { return [path] }
    for name in try files.list(path)?.sorted() ?? [] where !name.hasPrefix(".") {
      let file = path.appending(name)
      switch try files.status(file)?.kind {
      case .directory?: found += try imageFiles(at: file)
      case .regular?:
        if ImageFormat.knownExtensions.contains(file.extension?.lowercased() ?? "") {
          found.append(file)
        }
      default: break
      }
    }
  } catch {
    throw CairnError(error)
  }
  return found
}
