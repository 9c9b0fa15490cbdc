package import CairnDocument
internal import CairnFiles
package import SystemPackage

// A store has a list of the images that were erased: it takes none of them in again, from any
// program that uses cairn, and whatever is checked out.

extension BlobStore {
  /// The file with the names of the erased blobs, one a line.
  private var erasedFile: FilePath { directory.appending("erased") }

  /// Returns the blobs that this store does not take in, since they were erased.
  package func erasedBlobs() throws -> Set<PhotoID> {
    let text = String(
      decoding: try environment.files.read(erasedFile) ?? [], as: UTF8.self)
    return Set(text.split(separator: "\n").compactMap { PhotoID(String($0)) })
  }

  /// Whether a blob was erased, so that this store does not take it in.
  package func isErased(_ id: PhotoID) throws -> Bool {
    try environment.files.exists(erasedFile) && erasedBlobs().contains(id)
  }

  /// A value that changes with the list of erased blobs.
  package func erasedMark() throws -> String {
    let status = try environment.files.status(erasedFile)
    return "\(status?.size ?? 0) \(status?.modified ?? 0)"
  }

  /// Takes in none of these blobs from now on. Those that the store has stay until they are erased.
  ///
  /// The list is replaced, like every other file of a store, so that other users can do it too.
  ///
  /// - Parameter timeout: The time to wait for another process that changes the list, in
  ///   milliseconds.
  /// - Returns: Those that were not refused before.
  @discardableResult
  package func refuse(_ ids: Set<PhotoID>, timeout: Int = 10_000) throws -> Set<PhotoID> {
    let files = environment.files
    if try ids.isSubset(of: erasedBlobs()) { return [] }
    try files.createDirectory(directory)
    let lock = try files.lockToReplace(erasedFile, timeout: timeout)
    defer { try? lock?.close() }
    var added: Set<PhotoID> = []
    while true {
      let known = try erasedBlobs()
      let new = ids.subtracting(known)
      if new.isEmpty { return added }
      let lines = known.union(new).map { "\($0)\n" }.sorted().joined()
      try replaceErased(by: Array(lines.utf8))
      added.formUnion(new)
      // Without the lock, another process may have replaced the list meanwhile: it is read again.
    }
  }

  private func replaceErased(by bytes: [UInt8]) throws {
    let files = environment.files
    let temporary = FilePath("\(erasedFile).\(String(environment.random(), radix: 36))")
    try files.create(temporary, bytes, durable: true)
    do {
      // Everyone who uses the store reads it, whatever the umask is.
      try files.makeReadOnly(temporary)
      try files.rename(temporary, to: erasedFile)
    } catch {
      try? files.remove(temporary)
      throw error
    }
    try files.syncDirectory(directory)
  }

  /// Deletes a blob and what transfers have left of it, also under other names.
  ///
  /// - Parameter size: In bytes.
  package func erase(_ id: PhotoID, size: Int) throws {
    try refuse([id])
    for path in try remains(of: id, size: size) { try environment.files.remove(path) }
    try environment.files.syncEverything(directory)
  }

  /// Returns the files of this store that have the bytes of a blob, or a part of them.
  ///
  /// - Parameter size: In bytes.
  package func remains(of id: PhotoID, size: Int) throws -> [FilePath] {
    let files = environment.files
    var found: [FilePath] = []
    for name in ["incomplete", "tmp"] {
      let folder = directory.appending(name)
      for name in try files.list(folder) ?? [] {
        let path = folder.appending(name)
        guard let status = try files.status(path), status.kind == .regular else { continue }
        if name.hasPrefix("\(id)") {
          found.append(path)
        } else if Int(status.size) == size, try isThere(id, at: path) {
          found.append(path)
        }
      }
    }
    // Last, since another process may have moved a temporary file there meanwhile.
    if try files.exists(path(of: id)) { found.insert(path(of: id), at: 0) }
    return found
  }

  /// Returns whether a file has the bytes of a blob; false if another process has moved the file away.
  private func isThere(_ id: PhotoID, at path: FilePath) throws -> Bool {
    do {
      return try BlobStore.hash(path, files: environment.files) == id
    } catch let error as FileError where error.code == .noSuchFileOrDirectory {
      return false
    }
  }
}
