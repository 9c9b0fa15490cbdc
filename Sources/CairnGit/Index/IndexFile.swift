package import CairnFiles
internal import SystemPackage

/// The file status that git's index stores, to detect unchanged files without reading them. Every
/// field is truncated to 32 bits, as in git.
package struct IndexStatus: Equatable, Sendable {
  var changed: (seconds: UInt32, nanoseconds: UInt32) = (0, 0)
  var modified: (seconds: UInt32, nanoseconds: UInt32) = (0, 0)
  var device: UInt32 = 0
  var inode: UInt32 = 0
  var user: UInt32 = 0
  var group: UInt32 = 0
  package internal(set) var size: UInt32 = 0

  init() {}

  /// A status that makes git examine the file again.
  package static let unknown = IndexStatus()

  package init(_ status: FileStatus) {
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

  /// Compares the fields that reveal a changed file. It ignores the time of the last status change:
  /// a new hard link to an image's inode, in another image store, changes it.
  package static func == (a: IndexStatus, b: IndexStatus) -> Bool {
    a.modified == b.modified && a.inode == b.inode && a.size == b.size && a.user == b.user
      && a.group == b.group
  }
}

/// The git index: the files of the work tree as git tracks them.
///
/// Source: git's Documentation/gitformat-index.txt, versions 2 to 4, and
/// technical/sparse-index.txt. Optional extensions (cached trees, untracked files) are not written;
/// git recreates them.
package struct IndexFile: Sendable {
  package struct Entry: Equatable, Sendable {
    package var path: String
    package var node: TreeNode
    package var status: IndexStatus
    /// 0, or the side of a conflict that git left in the index: 1 base, 2 ours, 3 theirs.
    package var stage: UInt8 = 0
    /// Set by `git update-index --assume-unchanged`.
    var isAssumedUnchanged = false
    /// Flags of a version 3 entry: skip-worktree and intent-to-add.
    var extendedFlags: UInt16 = 0

    package init(path: String, node: TreeNode, status: IndexStatus) {
      (self.path, self.node, self.status) = (path, node, status)
    }

    /// Creates an entry that represents all files of a directory that is not in the work tree.
    init(collapsed directory: String, _ tree: ObjectID) {
      self.init(path: directory + "/", node: TreeNode(.directory, tree), status: .unknown)
      isSkipped = true
    }

    private static let skipWorkTree: UInt16 = 0x4000

    /// Whether a sparse checkout excludes the file from the work tree.
    package var isSkipped: Bool {
      get { extendedFlags & Entry.skipWorkTree != 0 }
      set {
        extendedFlags =
          newValue ? extendedFlags | Entry.skipWorkTree : extendedFlags & ~Entry.skipWorkTree
      }
    }

    /// The directory that this entry represents; nil for the entry of a file.
    var collapsedDirectory: String? { node.isDirectory ? String(path.dropLast()) : nil }
  }

  /// The entries, sorted by path and stage.
  package var entries: [Entry] = []
  /// The time at which the file was written, in nanoseconds since 1970; files modified at that time
  /// or later may have changed undetected.
  package internal(set) var modified: Int64 = 0

  package init() {}

  /// Returns the index of the entry for `path`, or the index at which to insert it.
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

  package subscript(path: String) -> Entry? {
    let (index, found) = position(of: path)
    return found ? entries[index] : nil
  }

  /// Whether an entry represents all files of a directory that is not in the work tree.
  package var hasCollapsedDirectories: Bool { entries.contains(where: \.node.isDirectory) }

  /// Returns the collapsed directory that represents, or should represent, the file at `path`; nil
  /// when the file has its own entry.
  func collapsedDirectory(of path: String, _ cone: SparseCone?) -> String? {
    for directory in SparseCone.ancestors(of: path).dropFirst()
    where position(of: directory + "/").found { return directory }
    guard let directory = cone?.collapsedDirectory(of: path) else { return nil }
    return hasFiles(below: directory) ? nil : directory
  }

  /// Returns whether the file at `path` has, or should have, its own entry: it is checked out, or
  /// git has expanded the directory that represented it, as `git add --sparse` does.
  package func hasOwnEntry(at path: String, _ cone: SparseCone?) -> Bool {
    collapsedDirectory(of: path, cone) == nil
  }

  /// Returns whether files below a directory have, or should have, their own entries.
  package func hasOwnEntries(below directory: String, _ cone: SparseCone?) -> Bool {
    hasOwnEntry(at: directory + "/", cone)
  }

  /// Returns whether git excludes the file at `path` from the work tree.
  package func isExcluded(_ path: String) -> Bool {
    self[path]?.isSkipped ?? (collapsedDirectory(of: path, nil) != nil)
  }

  /// Returns whether files below a directory have their own entries.
  func hasFiles(below directory: String) -> Bool { !entries(below: directory).isEmpty }

  /// Returns the entries below a directory.
  func entries(below directory: String) -> ArraySlice<Entry> {
    let prefix = directory + "/"
    let (index, found) = position(of: prefix)
    return entries[(found ? index + 1 : index)...].prefix {
      $0.path.utf8.starts(with: prefix.utf8)
    }
  }

  /// Returns whether the file is unchanged since the entry was made, by its status alone.
  package func isUnchanged(_ entry: Entry, _ status: FileStatus) -> Bool {
    entry.stage == 0 && entry.status == IndexStatus(status) && status.modified < modified
  }
}
