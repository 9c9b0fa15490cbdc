public import SystemPackage

/// What the operating system refused, on which file, while doing what.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A verb for people: “read”, “write”, “lock”.
  public let operation: String
  public let path: FilePath
  public let code: Errno

  public init(_ operation: String, _ path: FilePath, _ code: Errno) {
    (self.operation, self.path, self.code) = (operation, path, code)
  }

  public var description: String { "cannot \(operation) \(path): \(code)" }
}
