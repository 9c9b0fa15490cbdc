internal import CairnFiles
internal import LibC

/// A reader of a tree object that reads entry by entry, without copying its bytes.
struct TreeReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// An entry, valid only as long as the underlying bytes.
  struct Entry {
    let mode: FileMode
    let name: UnsafeRawBufferPointer
    /// The address of the 20 bytes of the id.
    let id: UnsafeRawPointer

    var node: TreeNode { TreeNode(mode, ObjectID(reading: id)) }

    var text: String { GitName.text(ofEntry: name) }

    /// Returns whether the entry comes before another in a tree. Source: git's tree.c,
    /// `base_name_compare`.
    func precedes(_ other: Entry) -> Bool {
      let count = min(name.count, other.name.count)
      let order = memcmp(name.baseAddress!, other.name.baseAddress!, count)
      return order == 0 ? byte(at: count) < other.byte(at: count) : order < 0
    }

    /// Returns a byte of the name, where a directory's name counts as if it ended in “/”.
    private func byte(at position: Int) -> UInt8 {
      position < name.count ? name[position] : mode == .directory ? UInt8(ascii: "/") : 0
    }
  }

  /// Returns the next entry; nil when there are no more.
  mutating func next() throws(GitError) -> Entry? {
    if position == bytes.count { return nil }
    var mode: UInt32 = 0
    while position < bytes.count, bytes[position] != 0x20 {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit < 8, mode < 1 << 24 else { throw TreeReader.corrupt }
      mode = mode << 3 | UInt32(digit)
      position += 1
    }
    let name = min(position + 1, bytes.count)
    var end = name
    while end < bytes.count, bytes[end] != 0 { end += 1 }
    guard end > name, end + 20 < bytes.count, let mode = FileMode(octal: mode) else {
      throw TreeReader.corrupt
    }
    position = end + 21
    return Entry(
      mode: mode, name: UnsafeRawBufferPointer(rebasing: bytes[name..<end]),
      id: bytes.baseAddress! + end + 1)
  }

  private static var corrupt: GitError { GitError(.corrupt, "a tree object is damaged") }
}
