package import CairnFiles
internal import SystemPackage

extension DatasetDirectory {
  private var directoryCacheFile: FilePath { privateDirectory.appending("directories") }

  /// Returns the names of the work tree's directories that were recorded before.
  package func directoryCache() -> DirectoryCache {
    DirectoryCache(directoryCacheFile, files: files)
  }

  /// Starts a new record; returns nil if there can be none.
  package func draftDirectoryCache(resolution: Int64) -> DirectoryCache.Draft? {
    // The random numbers of the environment are for what depends on the dataset, not on the time.
    DirectoryCache.Draft(
      at: temporaryDirectory.appending(TemporaryName.make("directories")), for: root,
      resolution: resolution, files: files)
  }

  package func replaceDirectoryCache(
    _ draft: DirectoryCache.Draft, with records: [DirectoryCache.Record]
  ) {
    draft.finish(records, at: directoryCacheFile)
  }
}
