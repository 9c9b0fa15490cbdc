internal import CairnFiles
internal import CairnStore
internal import SystemPackage

/// The directory that an export is made in, beside the one that it will be.
///
/// It is locked while it is being made: one that nobody holds was left behind by an export that was
/// interrupted, and the next one to the same place removes it.
struct UnfinishedExport: ~Copyable {
  let path: FilePath
  private let lock: DirectoryLock

  private static let suffix = ".cairn-export"
  private static let digits = 16

  /// Makes the directory, after removing what was left behind.
  init(of target: FilePath, world: World) throws {
    try UnfinishedExport.removeAbandoned(of: target, files: world.files)
    while true {
      let number = String(world.random(), radix: 16)
      let zeros = String(repeating: "0", count: UnfinishedExport.digits - number.count)
      let path = FilePath("\(target).\(zeros)\(number)\(UnfinishedExport.suffix)")
      try world.files.createDirectory(path)
      // Another export may have taken it for abandoned before it was locked.
      if let lock = try DirectoryLock.take(path, files: world.files) {
        (self.path, self.lock) = (path, lock)
        return
      }
    }
  }

  private static func removeAbandoned(of target: FilePath, files: FileSystem) throws {
    guard let name = target.lastComponent?.string else { return }
    let directory = target.removingLastComponent()
    for other in try files.list(directory) ?? [] where isUnfinished(other, of: name) {
      let path = directory.appending(other)
      guard let lock = try DirectoryLock.take(path, files: files) else { continue }
      try withExtendedLifetime(lock) { try files.removeTree(path) }
    }
  }

  private static func isUnfinished(_ other: String, of name: String) -> Bool {
    guard other.hasPrefix("\(name)."), other.hasSuffix(suffix) else { return false }
    let number = other.utf8.dropFirst(name.utf8.count + 1).dropLast(suffix.utf8.count)
    return number.count == digits && number.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }
}
