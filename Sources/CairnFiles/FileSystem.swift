public import SystemPackage

/// The disk, as everything above uses it: whole files, written so that a crash leaves the old file
/// or the new one, never half of one.
///
/// It is a value so that tests can put faults between any two writes.
public struct FileSystem: Sendable {
  /// What is about to happen to a path; ``fault`` sees it before it happens.
  public enum Step: Sendable {
    case create, write, sync, rename, remove, link
  }

  /// Called before each step; what it throws is thrown as if the disk had refused.
  public var fault: (@Sendable (Step, FilePath) throws(FileError) -> Void)?

  public init(fault: (@Sendable (Step, FilePath) throws(FileError) -> Void)? = nil) {
    self.fault = fault
  }

  /// Runs one system call that returns -1 on failure and turns its errno into an error.
  @discardableResult
  func call(
    _ operation: String, _ path: FilePath, _ body: () -> CInt
  ) throws(FileError) -> CInt {
    while true {
      let result = body()
      if result != -1 { return result }
      let code = Errno(rawValue: systemErrno)
      if code != .interrupted { throw FileError(operation, path, code) }
    }
  }

  /// Runs calls of the system library, whose errors are bare error numbers.
  func attempt<Result>(
    _ operation: String, _ path: FilePath, _ body: () throws -> Result
  ) throws(FileError) -> Result {
    do {
      return try body()
    } catch {
      throw (error as? FileError) ?? FileError(operation, path, (error as? Errno) ?? .ioError)
    }
  }
}
