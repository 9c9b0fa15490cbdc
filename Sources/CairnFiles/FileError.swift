public import SystemPackage

/// A failed operation on a file: the operation, the path and the error code.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A verb for the error message: “read”, “write”, “lock”.
  public let operation: String
  public let path: FilePath
  public let code: Errno

  public init(_ operation: String, _ path: FilePath, _ code: Errno) {
    (self.operation, self.path, self.code) = (operation, path, code)
  }

  public var description: String { "cannot \(operation) \(path): \(code)" }

  /// Whether the error concerns a single file or directory, so that others may still be readable.
  public var isOfOneFile: Bool {
    [
      .permissionDenied, .notPermitted, .ioError, .isDirectory, .notDirectory,
      .tooManySymbolicLinkLevels, .fileNameTooLong,
    ].contains(code)
  }
}
