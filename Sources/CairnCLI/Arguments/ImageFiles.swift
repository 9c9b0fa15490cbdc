import Cairn
import CairnFiles
import SystemPackage

/// Returns the files that an import would read at `path`, for a dry run.
///
/// - Throws: ``CairnError/Kind/notFound`` if there is no file or directory.
func imageScan(of path: FilePath) throws(CairnError) -> ImageScan {
  let files = FileSystem()
  let isThere: Bool
  do {
    isThere = try files.status(files.resolve(path) ?? path) != nil
  } catch {
    throw CairnError(error)
  }
  guard isThere else { throw CairnError(.notFound, "There is no file \(path).") }
  return try ImageScan(of: [path])
}
