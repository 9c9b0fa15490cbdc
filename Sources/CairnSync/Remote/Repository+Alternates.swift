internal import CairnFiles
internal import CairnGit
internal import SystemPackage

extension Repository {
  /// Whether some objects are stored in another repository.
  var borrowsObjects: Bool {
    get throws { try files.exists(commonDirectory.pushing("objects/info/alternates")) }
  }

  /// Copies the packs and objects of this repository to a new one, shared when on the same disk.
  ///
  /// Unreachable objects that are copied along do no harm; objects borrowed from yet another
  /// repository (alternates) are left to ``copy(_:to:)``.
  ///
  /// Maintenance of the source may move objects meanwhile: from loose files to packs, so packs are
  /// listed last, and from pack to pack, so everything is listed again when a file is gone.
  ///
  /// - Returns: False if some files were left out, since they are symbolic links.
  func shareObjects(with other: Repository) throws -> Bool {
    let (source, target) = (
      commonDirectory.appending("objects"), other.commonDirectory.appending("objects")
    )
    let directories = (try files.list(source) ?? []).filter { $0.count == 2 }
    var (isComplete, isWhole) = (false, true)
    while !isComplete {
      isComplete = true
      for directory in directories + ["pack"] {
        let names = try files.list(source.appending(directory)) ?? []
        // git finds a pack by its index, so the index comes last.
        for name in names.sorted(by: { !$0.hasSuffix(".idx") && $1.hasSuffix(".idx") }) {
          let isIncomplete =
            name.hasPrefix("tmp_") || name.hasSuffix(".tmp") || name.hasSuffix(".keep")
          let file = source.appending(directory).appending(name)
          let destination = target.appending(directory).appending(name)
          if try isIncomplete || files.exists(destination) { continue }
          if try files.status(file)?.kind == .symlink {
            isWhole = false
            continue
          }
          try files.createDirectory(target.appending(directory))
          // Use a temporary name until the file is complete: a reflink begins as an empty file.
          let temporary = other.commonDirectory.appending(TemporaryName.make("share"))
          do throws(FileError) {
            try files.share(file, at: temporary)
            try files.rename(temporary, to: destination)
          } catch {
            try? files.remove(temporary)
            guard error.code == .noSuchFileOrDirectory else { throw error }
            isComplete = false
          }
        }
      }
    }
    try other.refreshObjects()
    return isWhole
  }
}
