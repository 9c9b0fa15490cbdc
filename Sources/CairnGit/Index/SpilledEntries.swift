package import CairnFiles
package import SystemPackage

/// Entries of files that are added to an index, in its order. There may be a million, so they wait in a
/// temporary file, as the bytes that they take in the index.
package final class SpilledEntries {
  private let limit: Int
  private let makeFile: () throws -> ScratchFile
  private var file: ScratchFile?
  private var held: [UInt8] = []
  private var moved: [Range<Int>] = []
  /// The path of the last entry.
  private var last = ""

  /// The number of entries.
  package private(set) var count = 0
  /// The number of bytes in memory.
  var heldSize: Int { held.count }

  /// Creates an empty list.
  ///
  /// - Parameters:
  ///   - directory: The directory of the temporary file.
  ///   - limit: The number of bytes to keep in memory.
  package init(in directory: FilePath, files: FileSystem, limit: Int = 1 << 18) {
    self.limit = limit
    makeFile = { try ScratchFile(in: directory, files: files) }
  }

  /// Adds the entry of a file.
  ///
  /// - Returns: False, without adding it, if it does not follow the last one in index order, or git would
  ///   refuse its path.
  package func append(_ entry: IndexFile.Entry) throws -> Bool {
    guard count == 0 || FileName(last) < FileName(entry.path),
      !GitName.isRefused(inPath: entry.path)
    else { return false }
    last = entry.path
    count += 1
    entry.append(to: &held)
    if held.count > limit { try moveToFile() }
    return true
  }

  private func moveToFile() throws {
    let file = try file ?? makeFile()
    self.file = file
    let offset = try file.append(held)
    moved.append(offset..<offset + held.count)
    held.removeAll(keepingCapacity: true)
  }

  /// Calls `visit` with each entry.
  func forEach(_ visit: (IndexFile.Entry) throws -> Void) throws {
    for range in moved {
      guard let file else { break }
      try IndexFile.forEachEntry(in: try file.read(range), visit)
    }
    try IndexFile.forEachEntry(in: held, visit)
  }
}
