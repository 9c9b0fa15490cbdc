package import CairnDocument
package import CairnFiles
package import SystemPackage

// Paths here are relative to the top of the dataset, with “/” between their components.

extension DatasetDirectory {
  /// Returns the path on disk of `path` in the dataset.
  ///
  /// - Throws: ``StoreError`` if it could leave the dataset: it is not a plain relative path, or
  ///   one of its directories is a symbolic link.
  package func location(_ path: String) throws -> FilePath {
    var location = root.string
    var components = path.split(separator: "/", omittingEmptySubsequences: false)[...]
    while let component = components.popFirst() {
      guard DatasetDirectory.isSafe(component) else { throw StoreError.unsafePath(path) }
      location += "/" + component
      if !components.isEmpty, try files.status(location)?.kind == .symlink {
        throw StoreError.symbolicLink(FilePath(location))
      }
    }
    return FilePath(location)
  }

  /// Whether a file at `path` can be in the work tree.
  package static func isSafe(path: String) -> Bool {
    path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy(isSafe)
  }

  /// Returns false for the names that git itself keeps out of work trees, that Windows reads as several,
  /// or that are not UTF-8.
  private static func isSafe(_ name: Substring) -> Bool {
    !GitName.isRefused(name) && !name.utf8.contains(where: "/\\\0".utf8.contains)
      && !GitName.hasOtherBytes(name)
  }

  /// Returns the bytes of the file at `path`; nil if there is none.
  package func read(_ path: String) throws -> [UInt8]? {
    let location = try location(path)
    guard let status = try files.status(location), status.kind == .regular else { return nil }
    if status.size > DocumentLimit.size {
      throw StoreError.invalidDocument(
        path: path,
        DocumentError(.tooLarge, "larger than the limit of \(DocumentLimit.size) bytes"))
    }
    return try files.read(location)
  }

  /// Returns the location of the file at `path`; nil if cairn does not follow its path.
  package func locationIfFollowed(_ path: String) throws -> FilePath? {
    do {
      return try location(path)
    } catch is StoreError {
      return nil
    }
  }

  /// Returns the bytes of the file at `path`; nil if there is none, it is larger than a document, or
  /// cairn does not follow its path.
  package func readIfSmall(_ path: String) throws -> [UInt8]? {
    do {
      return try read(path)
    } catch is StoreError {
      return nil
    }
  }

  /// Returns the document at `path`; nil if there is none.
  ///
  /// - Throws: ``StoreError/invalidDocument(path:_:)`` if it is invalid.
  package func document(at path: DocumentPath) throws -> Document? {
    guard let bytes = try read(path.description) else { return nil }
    do throws(DocumentError) {
      return try Document(bytes: bytes, at: path)
    } catch {
      throw StoreError.invalidDocument(path: path.description, error)
    }
  }

  /// Replaces the file at `path`, atomically.
  ///
  /// - Returns: Its status; nil if another process has changed it already.
  @discardableResult
  package func write(
    _ bytes: [UInt8], to path: String, executable: Bool = false, durable: Bool = false
  ) throws -> FileStatus? {
    let location = try location(path)
    let temporary = temporaryFile()
    try files.create(
      temporary, bytes, durable: durable,
      permissions: executable ? .executableFile : .plainFile)
    return try move(temporary, to: location)
  }

  /// Returns a placer of new files in the work tree, for one thread. It checks no path: see
  /// ``isSafe(path:)``.
  package func filePlacer() throws -> FilePlacer {
    let scratch = temporaryDirectory.appending(TemporaryName.make("files"))
    return try FilePlacer(root: root, scratch: scratch, files: files)
  }

  /// Replaces the file at `path` with a symbolic link to `target`, which is never followed.
  @discardableResult
  package func writeSymlink(to target: String, at path: String) throws -> FileStatus? {
    let location = try location(path)
    let temporary = temporaryFile()
    try files.createSymlink(temporary, to: target)
    return try move(temporary, to: location)
  }

  /// Moves a new file to its path.
  ///
  /// - Returns: Its status there, if it is still the file that was moved.
  private func move(_ temporary: FilePath, to location: FilePath) throws -> FileStatus? {
    let moved = try files.status(temporary)
    do {
      try files.rename(temporary, to: location)
    } catch {
      files.discard(temporary)
      throw error
    }
    let placed = try files.status(location)
    let isSame =
      placed?.inode == moved?.inode && placed?.modified == moved?.modified
      && placed?.size == moved?.size
    return isSame ? placed : nil
  }

  /// Removes the file at `path` and the directories that become empty.
  package func remove(_ path: String) throws {
    let location = try location(path)
    try files.remove(location)
    files.removeEmptyDirectories(above: location, upTo: root)
  }

  /// Places the image `id` in the work tree, sharing its bytes with the blob store.
  ///
  /// - Returns: False if the image is not on this disk.
  @discardableResult
  package func placeImage(_ id: PhotoID, at path: String) throws -> Bool {
    let blob = blobs.path(of: id)
    guard let status = try files.status(blob), status.kind == .regular else { return false }
    let location = try location(path)
    if !status.isExecutable, try files.link(blob, on: status.device, at: location) { return true }
    let temporary = temporaryFile()
    try files.createDirectory(temporaryDirectory)
    try files.share(blob, at: temporary)
    // Someone made the image executable, and it is the same file as the stored blob.
    if status.isExecutable { try files.makeReadOnly(temporary) }
    _ = try move(temporary, to: location)
    // By POSIX, renaming a file onto another name of the same file does nothing.
    try files.remove(temporary)
    return true
  }
}
