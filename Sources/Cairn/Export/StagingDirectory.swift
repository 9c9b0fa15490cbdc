internal import CairnBase
internal import CairnFiles
internal import CairnStore
internal import SystemPackage

/// The temporary directory that an export is written to, next to its target.
///
/// It is locked while it is written. If it is not locked, an interrupted export has abandoned it,
/// and the next export to the same path removes it.
struct StagingDirectory: ~Copyable {
  let path: FilePath
  private let lock: DirectoryLock

  private static let suffix = ".cairn-export"
  private static let digits = 16

  /// Creates the directory, after removing abandoned ones.
  init(of target: FilePath, environment: Environment) throws {
    try StagingDirectory.removeAbandoned(of: target, files: environment.files)
    while true {
      let number = Hex.text(environment.random(), digits: StagingDirectory.digits)
      let path = FilePath("\(target).\(number)\(StagingDirectory.suffix)")
      try environment.files.createDirectory(path)
      // Another export may have removed it as abandoned before it was locked.
      if let lock = try DirectoryLock.acquire(path, files: environment.files) {
        (self.path, self.lock) = (path, lock)
        return
      }
    }
  }

  private static func removeAbandoned(of target: FilePath, files: FileSystem) throws {
    guard let name = target.lastComponent?.string else { return }
    let directory = target.removingLastComponent()
    for other in try files.list(directory) ?? [] where isStagingDirectory(other, of: name) {
      let path = directory.appending(other)
      guard let lock = try DirectoryLock.acquire(path, files: files) else { continue }
      try withExtendedLifetime(lock) { try files.removeTree(path) }
    }
  }

  private static func isStagingDirectory(_ other: String, of name: String) -> Bool {
    guard other.hasPrefix("\(name)."), other.hasSuffix(suffix) else { return false }
    let number = other.utf8.dropFirst(name.utf8.count + 1).dropLast(suffix.utf8.count)
    return number.count == digits
      && number.allSatisfy { Hex.value($0, allowingUpperCase: true) != nil }
  }
}
