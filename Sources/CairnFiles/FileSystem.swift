package import SystemPackage

/// Access to the disk by whole files, written so that a crash leaves either the old file or the new
/// one, never a partial file.
///
/// It is a value so that tests can inject faults between any two writes.
package struct FileSystem: Sendable {
  /// An operation on a path; ``fault`` is called before it happens.
  package enum Step: Sendable {
    case create, write, sync, rename, remove, link, permissions
  }

  /// Called before each step; an error that it throws is reported as if the disk had failed.
  package var fault: (@Sendable (Step, FilePath) throws(FileError) -> Void)?

  /// Called before a file or directory is read; an error that it throws is reported as if
  /// the disk had failed. Neither git's objects nor the index are read in this way.
  package var readFault: (@Sendable (FilePath) throws(FileError) -> Void)?

  /// The permissions of new files and directories; nil for those that the user's umask leaves.
  package var sharing: SharedPermissions?

  /// Whether a temporary file or a lock could not be removed; copies of this value share it.
  let leftovers = Leftovers()

  package init(
    fault: (@Sendable (Step, FilePath) throws(FileError) -> Void)? = nil,
    readFault: (@Sendable (FilePath) throws(FileError) -> Void)? = nil
  ) {
    (self.fault, self.readFault) = (fault, readFault)
  }

  /// Runs a system call that returns -1 on failure, and turns its errno into an error.
  @discardableResult
  func call(
    _ operation: String, _ path: @autoclosure () -> FilePath, _ body: () -> CInt
  ) throws(FileError) -> CInt {
    var result: CInt = -1
    let code = failure {
      result = body()
      return result
    }
    if let code { throw FileError(operation, path(), code) }
    return result
  }

  /// Runs a system call that returns -1 on failure, and returns its errno; nil if it succeeds.
  func failure(_ body: () -> CInt) -> Errno? {
    while body() == -1 {
      let code = Errno(rawValue: systemErrno)
      if code != .interrupted { return code }
    }
    return nil
  }

  /// Runs calls of the system library, whose errors are plain error numbers.
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
