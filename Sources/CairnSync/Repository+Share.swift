internal import CairnFiles
internal import CairnGit
internal import SystemPackage

extension Repository {
  /// Whether some objects are kept in another repository.
  var borrowsObjects: Bool {
    get throws { try files.exists(commonDirectory.pushing("objects/info/alternates")) }
  }

  /// Gives a new repository the packs and objects of this one, shared on the same disk.
  ///
  /// What comes with it and is not reachable does no harm; what is borrowed from yet another
  /// repository (alternates) is left for ``copy(_:to:)``.
  ///
  /// Upkeep of the other side may move objects meanwhile: from loose files to packs, so that packs are
  /// listed last, and from pack to pack, so that all is listed again where one has gone.
  func shareObjects(with other: Repository) throws {
    let (source, target) = (
      commonDirectory.appending("objects"), other.commonDirectory.appending("objects")
    )
    let directories = (try files.list(source) ?? []).filter { $0.count == 2 }
    var isWhole = false
    while !isWhole {
      isWhole = true
      for directory in directories + ["pack"] {
        let names = try files.list(source.appending(directory)) ?? []
        // A pack is looked for by its index, so that comes last.
        for name in names.sorted(by: { !$0.hasSuffix(".idx") && $1.hasSuffix(".idx") }) {
          let isPart = name.hasPrefix("tmp_") || name.hasSuffix(".tmp") || name.hasSuffix(".keep")
          let place = target.appending(directory).appending(name)
          if try isPart || files.exists(place) { continue }
          try files.createDirectory(target.appending(directory))
          do throws(FileError) {
            try files.share(source.appending(directory).appending(name), at: place)
          } catch {
            guard error.code == .noSuchFileOrDirectory else { throw error }
            isWhole = false
          }
        }
      }
    }
    try other.refreshObjects()
  }
}
