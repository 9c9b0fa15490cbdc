internal import CairnDocument
internal import CairnFiles
internal import SystemPackage

/// The lines of labels of an import, grouped by the first byte of the photo's id, as the directories
/// of labels are, whatever the order in which files name the photos: a million labels in any other
/// order would read and write each page of the index again and again.
///
/// In memory are at most about `limit` bytes; all else waits in a temporary file.
final class GroupedLines {
  private let limit: Int
  private let makeFile: () throws -> ScratchFile
  private var file: ScratchFile?
  private var held = [[UInt8]](repeating: [], count: 256)
  /// The number of bytes in memory.
  private(set) var heldSize = 0
  /// The number of bytes that are allocated for them.
  var capacity: Int { held.reduce(0) { $0 + $1.capacity } }
  private var moved = [[Range<Int>]](repeating: [], count: 256)

  init(in directory: FilePath, files: FileSystem, limit: Int = 8 << 20) {
    self.limit = limit
    makeFile = { try ScratchFile(in: directory, files: files) }
  }

  /// Adds a line.
  ///
  /// - Parameter bytes: The canonical bytes of a label's document.
  func append(_ bytes: [UInt8], of photo: PhotoID) throws {
    let bucket = Int(photo.firstByte)
    let before = held[bucket].count
    JSON.appendLine(ofCanonical: bytes, to: &held[bucket])
    heldSize += held[bucket].count - before
    if heldSize > limit { try moveToFile() }
  }

  private func moveToFile() throws {
    let file = try file ?? makeFile()
    self.file = file
    for bucket in held.indices where !held[bucket].isEmpty {
      let offset = try file.append(held[bucket])
      moved[bucket].append(offset..<offset + held[bucket].count)
      held[bucket] = []
    }
    heldSize = 0
  }

  /// Passes all lines on, group by group, and forgets them.
  func drain(_ write: ([UInt8]) throws -> Void) throws {
    for bucket in held.indices {
      for range in moved[bucket] { if let file { try write(try file.read(range)) } }
      if !held[bucket].isEmpty { try write(held[bucket]) }
      (moved[bucket], held[bucket]) = ([], [])
    }
    (file, heldSize) = (nil, 0)
  }
}
