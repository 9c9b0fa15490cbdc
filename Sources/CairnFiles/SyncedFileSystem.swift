internal import CFiles
internal import LibC
package import SystemPackage

/// The file system of a directory, which makes everything that was written to it durable at once: with
/// many small files, that takes less time than syncing each of them.
package final class SyncedFileSystem {
  private let directory: FilePath
  private let files: FileSystem
  private let descriptor: FileDescriptor

  /// Opens the directory; returns nil if its file system cannot do that, or it cannot be opened.
  ///
  /// - Parameter syncsTogether: Whether its file system can do that; nil to find out.
  package init?(_ directory: FilePath, syncsTogether: Bool? = nil, files: FileSystem) {
    guard SyncedFileSystem.isPossible, syncsTogether ?? files.syncsTogether(directory),
      let descriptor = try? FileDescriptor.open(
        directory, .readOnly, options: [.directory, .closeOnExec])
    else { return nil }
    (self.directory, self.files, self.descriptor) = (directory, files, descriptor)
  }

  deinit { try? descriptor.close() }

  /// Whether this system has `syncfs`, and it reports all errors: then it says that -1 is no open file.
  package static var isPossible: Bool {
    cairn_sync_file_system(-1) == -1 && Errno(rawValue: systemErrno) == .badFileDescriptor
  }

  /// Makes everything durable that was written so far, also by others.
  ///
  /// - Throws: Also if any write has failed since the last call or, at the first one, since this object
  ///   was created.
  package func sync() throws(FileError) {
    try files.fault?(.sync, directory)
    try files.call("write", directory) { cairn_sync_file_system(descriptor.rawValue) }
  }
}
