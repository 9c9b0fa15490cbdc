package import SystemPackage

/// Fingerprints of the names in directories, by the status that each directory had: a directory whose
/// status is still the same has the same names, and need not be listed.
///
/// A name that is added or removed changes the times of its directory, and no program can set the
/// time of the last status change. Only the resolution of times limits this: a directory that is
/// changed again within one step of the clock keeps its times. So a directory is recorded only when it
/// was last changed ``resolution`` before it was listed, by the clock of its file system.
///
/// Source: git's Documentation/technical/racy-git.txt, and gitformat-index.txt, “Untracked cache”.
package struct DirectoryCache: Sendable {
  /// The times and the names of a directory.
  package struct Record: Sendable {
    fileprivate let inode: UInt64
    fileprivate let modified: Int64
    fileprivate let changed: Int64
    fileprivate let names: UInt64

    package init(_ status: FileStatus, _ names: DirectoryFingerprint) {
      (inode, modified, changed) = (status.inode, status.modified, status.changed)
      self.names = names.value
    }
  }

  /// The coarsest resolution of times, in nanoseconds, with a margin: that of FAT is two seconds.
  package static let resolution: Int64 = 3_000_000_000

  /// The file system of all directories.
  private var device: UInt64 = 0
  /// Sorted by inode.
  private var records: [Record] = []

  package init() {}

  /// Returns the fingerprint of the names in a directory; nil if it is unknown.
  package func names(_ status: FileStatus) -> DirectoryFingerprint? {
    guard status.kind == .directory, status.device == device else { return nil }
    var (low, high) = (0, records.count)
    while low < high {
      let middle = (low + high) / 2
      if records[middle].inode < status.inode { low = middle + 1 } else { high = middle }
    }
    guard low < records.count else { return nil }
    let record = records[low]
    guard record.inode == status.inode, record.modified == status.modified,
      record.changed == status.changed
    else { return nil }
    return DirectoryFingerprint(value: record.names)
  }
}

extension DirectoryCache {
  /// A new cache, which decides what may be recorded in it. Its file is written without being synced,
  /// and without faults of tests: whether it is needed depends on the real time.
  package struct Draft: Sendable {
    private let temporary: FilePath
    private let files: FileSystem
    private let device: UInt64
    /// Directories that were changed at this time or later are not recorded.
    private let limit: Int64

    /// Creates a temporary file, which shows what time it is on its disk.
    ///
    /// - Parameters:
    ///   - temporary: In the same file system as `root`.
    ///   - root: The directory that contains all directories.
    ///   - resolution: That of times on the disk, in nanoseconds.
    /// - Returns: Nil if that is not possible, or the times of directories cannot be relied on.
    package init?(
      at temporary: FilePath, for root: FilePath, resolution: Int64 = DirectoryCache.resolution,
      files: FileSystem
    ) {
      var files = files
      (files.fault, files.readFault) = (nil, nil)
      guard files.keepsDirectoryTimes(root),
        (try? files.createDirectory(above: temporary)) != nil,
        (try? files.create(temporary, [UInt8](), isNew: true)) != nil
      else { return nil }
      guard let now = try? files.status(temporary), let status = try? files.status(root),
        now.device == status.device
      else {
        try? files.remove(temporary)
        return nil
      }
      (self.temporary, self.files, device) = (temporary, files, now.device)
      limit = now.modified - resolution
    }

    /// Whether a directory that had a status when this draft existed has another one after any later
    /// change of its names.
    package func isSettled(_ status: FileStatus) -> Bool {
      status.device == device && max(status.modified, status.changed) < limit
    }

    /// Replaces the cache at `path`, if that is possible.
    package func finish(_ records: [Record], at path: FilePath) {
      let cache = DirectoryCache(records, device: device)
      do throws(FileError) {
        try files.create(temporary, cache.bytes)
        try files.rename(temporary, to: path)
      } catch {
        discard()
      }
    }

    package func discard() { try? files.remove(temporary) }
  }
}

// MARK: File

extension DirectoryCache {
  // The file belongs to one machine, so numbers have the order of bytes of its processor: a magic
  // number, the device, the number of records, the records, and a checksum, since the file is not
  // synced and may be damaged by a power cut.
  private static let magic: UInt64 = 0x6361_6972_6E64_6901

  /// Reads the file at `path`; returns an empty cache when it is missing or damaged.
  package init(_ path: FilePath, files: FileSystem) {
    guard let bytes = try? files.read(path) else { return }
    bytes.withUnsafeBytes { bytes in
      let (word, size) = (8, MemoryLayout<Record>.stride)
      func number(_ index: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: index * word, as: UInt64.self)
      }
      guard bytes.count >= 4 * word, number(0) == DirectoryCache.magic,
        let count = Int(exactly: number(2)), count <= bytes.count / size,
        bytes.count == 4 * word + count * size
      else { return }
      let content = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - word)])
      guard number(bytes.count / word - 1) == DirectoryFingerprint.hash(content, seed: 0) else {
        return
      }
      device = number(1)
      records = [Record](unsafeUninitializedCapacity: count) { buffer, initialized in
        UnsafeMutableRawBufferPointer(buffer).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[(3 * word)..<(3 * word + count * size)]))
        initialized = count
      }
    }
  }

  /// Records directories of one file system.
  init(_ records: [Record], device: UInt64) {
    self.device = device
    self.records = records.sorted { $0.inode < $1.inode }
  }

  /// The content of the file.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32 + records.count * MemoryLayout<Record>.stride)
    func append(_ number: UInt64) { withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) } }
    append(DirectoryCache.magic)
    append(device)
    append(UInt64(records.count))
    records.withUnsafeBytes { bytes.append(contentsOf: $0) }
    append(bytes.withUnsafeBytes { DirectoryFingerprint.hash($0, seed: 0) })
    return bytes
  }
}
