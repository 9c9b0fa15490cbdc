package import SystemPackage

/// A failed operation on a file: the operation, the path and the error code.
package struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A verb for the error message: “read”, “write”, “lock”.
  package let operation: String
  package let path: FilePath
  package let code: Errno

  package init(_ operation: String, _ path: FilePath, _ code: Errno) {
    (self.operation, self.path, self.code) = (operation, path, code)
  }

  package var description: String { "cannot \(operation) \(path): \(code)" }

  /// Whether the error concerns a single file or directory, so that others may still be readable.
  package var isOfOneFile: Bool {
    [
      .permissionDenied, .notPermitted, .ioError, .isDirectory, .notDirectory,
      .tooManySymbolicLinkLevels, .fileNameTooLong,
    ].contains(code)
  }
}
