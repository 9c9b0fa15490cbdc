public import CairnFiles
internal import SystemPackage

/// The file status that git's index keeps of a file, to know without reading it that it has not
/// changed. Every field is cut to 32 bits, as git does.
public struct IndexStatus: Equatable, Sendable {
  var changed: (seconds: UInt32, nanoseconds: UInt32) = (0, 0)
  var modified: (seconds: UInt32, nanoseconds: UInt32) = (0, 0)
  var device: UInt32 = 0
  var inode: UInt32 = 0
  var user: UInt32 = 0
  var group: UInt32 = 0
  public internal(set) var size: UInt32 = 0

  init() {}

  /// The status of a file that git shall look at again.
  public static let unknown = IndexStatus()

  public init(_ status: FileStatus) {
    func split(_ time: Int64) -> (UInt32, UInt32) {
      (
        UInt32(truncatingIfNeeded: time / 1_000_000_000),
        UInt32(truncatingIfNeeded: time % 1_000_000_000)
      )
    }
    changed = split(status.changed)
    modified = split(status.modified)
    device = UInt32(truncatingIfNeeded: status.device)
    inode = UInt32(truncatingIfNeeded: status.inode)
    user = status.user
    group = status.group
    size = UInt32(truncatingIfNeeded: status.size)
  }

  /// Compares all that tells a changed file. The time of the last status change does not: another
  /// name for an image's inode, in another store, moves it.
  public static func == (a: IndexStatus, b: IndexStatus) -> Bool {
    a.modified == b.modified && a.inode == b.inode && a.size == b.size && a.user == b.user
      && a.group == b.group
  }
}

/// Git's index: the files of the work tree as git knows them.
///
/// Source: git's Documentation/gitformat-index.txt, versions 2 to 4. Optional extensions (cached
/// trees, untracked files) are left out when it is written; git makes them anew.
public struct IndexFile: Sendable {
  public struct Entry: Equatable, Sendable {
    public var path: String
    public var node: TreeNode
    public var status: IndexStatus
    /// 0, or the side of a conflict that git left in the index: 1 base, 2 ours, 3 theirs.
    public var stage: UInt8 = 0
    /// Set by `git update-index --assume-unchanged`.
    var isAssumedUnchanged = false
    /// Flags of a version 3 entry: skip-worktree and intent-to-add.
    var extendedFlags: UInt16 = 0

    public init(path: String, node: TreeNode, status: IndexStatus) {
      (self.path, self.node, self.status) = (path, node, status)
    }
  }

  /// Sorted by path and stage.
  public var entries: [Entry] = []
  /// When the file was written, in nanoseconds since 1970; entries modified at that time or later
  /// may have changed without showing it.
  public internal(set) var modified: Int64 = 0

  public init() {}

  /// Returns the place of `path`, or where it would stand.
  func position(of path: String) -> (index: Int, found: Bool) {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if FileName(entries[middle].path) < FileName(path) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return (low, low < entries.count && FileName(entries[low].path) == FileName(path))
  }

  public subscript(path: String) -> Entry? {
    let (index, found) = position(of: path)
    return found ? entries[index] : nil
  }

  /// Puts entries in, or takes paths out (nil), in one pass.
  public mutating func update(_ changes: [String: Entry?]) {
    if changes.isEmpty { return }
    var kept = entries.filter { entry in
      // A dictionary finds names that Unicode holds to be equal, too.
      changes.index(forKey: entry.path).map { FileName(changes[$0].key) != FileName(entry.path) }
        ?? true
    }
    let added = changes.values.compactMap { $0 }
    kept.append(contentsOf: added)
    if !added.isEmpty {
      kept.sort { (FileName($0.path), $0.stage) < (FileName($1.path), $1.stage) }
    }
    entries = kept
  }

  /// True when the file has not changed since the entry was made, by its status alone.
  public func isUnchanged(_ entry: Entry, _ status: FileStatus) -> Bool {
    entry.stage == 0 && entry.status == IndexStatus(status) && status.modified < modified
  }
}

extension Repository {
  private var indexPath: FilePath { gitDirectory.appending("index") }

  /// Reads the index; an empty one when there is none.
  public func readIndex() throws -> IndexFile {
    guard let status = try files.status(indexPath), let bytes = try files.read(indexPath) else {
      return IndexFile()
    }
    return try IndexFile(bytes: bytes, modified: status.modified)
  }

  /// Writes the index under its lock, after `change` has been made to what is there now.
  public func updateIndex(_ change: (inout IndexFile) throws -> Void) throws {
    let lock = FilePath(indexPath.string + ".lock")
    let held = try takeLock(lock)
    try withExtendedLifetime(held) {
      var index = try readIndex()
      try smudgeRacyEntries(&index)
      let before = index.entries
      try change(&index)
      if index.entries == before, try files.exists(indexPath) { return }
      try files.write(index.bytes, to: indexPath, temporary: temporaryFile("index"))
    }
  }

  /// Makes git look again at files that may have changed after git's index was written, but within
  /// the same second: the time of the index we write would hide that.
  ///
  /// Source: git's Documentation/technical/racy-git.txt. Git compares whole seconds and reads the
  /// files; their nanoseconds tell as much.
  private func smudgeRacyEntries(_ index: inout IndexFile) throws {
    guard let workTree else { return }
    let written = UInt32(truncatingIfNeeded: index.modified / 1_000_000_000)
    for (place, entry) in index.entries.enumerated()
    where entry.stage == 0 && entry.status.size != 0 && entry.status.modified.seconds >= written {
      guard let status = try files.status(workTree.pushing(FilePath(entry.path))) else { continue }
      if !index.isUnchanged(entry, status) { index.entries[place].status.size = 0 }
    }
  }
}
