internal import CairnDocument
internal import CairnFiles
internal import SystemPackage

/// Finds the images that foreign files name, and nothing outside of the directories it is given.
struct ForeignImages {
  enum Outcome {
    case path(FilePath)
    case problem(String)
  }

  private let roots: [FilePath]
  private let isGiven: Bool
  private let files: FileSystem

  /// - Parameters:
  ///   - path: What is imported, without links.
  ///   - images: Where the images are; nil to look beside what is imported.
  init(_ path: FilePath, images: FilePath?, files: FileSystem) {
    self.files = files
    isGiven = images != nil
    if let images {
      roots = [images]
      return
    }
    let top = files.directoryExists(path) ? path : path.removingLastComponent()
    var tops = [top]
    // Annotations lie in a directory of their own beside that of the images.
    if ["annotations", "Annotations", "labels"].contains(top.lastComponent?.string ?? "") {
      tops.append(top.removingLastComponent())
    }
    roots = tops.flatMap { top in
      [top] + ["images", "JPEGImages", "data", "train", "val", "test"].map { top.appending($0) }
    }
  }

  /// The id of a photo whose file is named by it.
  func id(named file: String) -> PhotoID? {
    let name = file.split(separator: "/").last ?? ""
    return PhotoID(String(name.prefix { $0 != "." }))
  }

  func path(of file: String) throws -> Outcome {
    let parts = file.split(separator: "/", omittingEmptySubsequences: false)
    let isPlain = !file.isEmpty && file.utf8.count <= 4096 && !file.utf8.contains(0)
    guard isPlain, let name = parts.last, !name.isEmpty, name != "..", name != "." else {
      return .problem("“\(file.prefix(100))” cannot be the name of an image")
    }
    let leadsOut = file.hasPrefix("/") || parts.contains("..")
    if leadsOut, !isGiven {
      return .problem(
        "“\(file.prefix(100))” leads out of the directory; --images says where the images are")
    }
    let candidates = leadsOut ? [String(name)] : isGiven ? [file, String(name)] : [file]
    for root in roots {
      for candidate in candidates {
        let path = root.pushing(FilePath(candidate))
        guard try files.status(path) != nil, let target = files.resolve(path) else { continue }
        guard let top = files.resolve(root), target.starts(with: top) else {
          return .problem("“\(file.prefix(100))” is a link that leads out of the directory")
        }
        guard try files.status(target)?.kind == .regular else { continue }
        return .path(target)
      }
    }
    return .problem("there is no image “\(file.prefix(100))”, and no photo of that name")
  }
}
