import Foundation

extension Stage {
  /// Copies a dataset and replaces an earlier copy of that name. Objects, which never change, are
  /// hard links. The index database, which can be rebuilt, is left out unless `withIndex` is true.
  func copy(_ dataset: URL, as name: String, withIndex: Bool = false) throws -> URL {
    let target = place.appending(path: name)
    try remove(target)
    try copyTree(dataset, to: target, linking: false, withIndex: withIndex)
    return target
  }

  private func copyTree(
    _ source: URL, to target: URL, linking: Bool, withIndex: Bool
  ) throws {
    let files = FileManager.default
    try files.createDirectory(at: target, withIntermediateDirectories: true)
    for name in try files.contentsOfDirectory(atPath: source.path)
    where withIndex || !name.hasPrefix("index.sqlite") {
      let (from, to) = (source.appending(path: name), target.appending(path: name))
      let kind = try files.attributesOfItem(atPath: from.path)[.type] as? FileAttributeType
      if kind == .typeDirectory {
        try copyTree(from, to: to, linking: linking || name == "objects", withIndex: withIndex)
      } else if linking {
        try files.linkItem(at: from, to: to)
      } else {
        try files.copyItem(at: from, to: to)
      }
    }
  }

  /// Removes a directory if it exists.
  func remove(_ directory: URL) throws {
    if FileManager.default.fileExists(atPath: directory.path) {
      try FileManager.default.removeItem(at: directory)
    }
  }

  /// Moves a directory with many files out of the way; it is removed after the last measurement. ext4
  /// does not use inodes again that were freed in the last minutes, and a contender that runs after
  /// a removal spends most of its time with the search for others.
  func discard(_ directory: URL) throws {
    guard FileManager.default.fileExists(atPath: directory.path) else { return }
    let discarded = place.appending(path: "discarded")
    try FileManager.default.createDirectory(at: discarded, withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      at: directory, to: discarded.appending(path: UUID().uuidString))
  }

  /// Removes the index database of a dataset.
  func removeIndex(of dataset: URL) throws {
    let directory = dataset.appending(path: ".git/cairn")
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
    where name.hasPrefix("index.sqlite") {
      try FileManager.default.removeItem(at: directory.appending(path: name))
    }
  }

  /// Makes a bare clone of a dataset.
  func bareCopy(of dataset: URL, as name: String) throws -> URL {
    let target = place.appending(path: name)
    try remove(target)
    try output(git("clone", "-q", "--bare", dataset.path, target.path, at: place))
    return target
  }

  /// Returns the disk usage of a file or a directory in bytes.
  func bytes(of item: URL) throws -> Double {
    let text = try output(Command("du", "-sk", item.path, at: place))
    return 1024 * (Double(text.prefix { $0.isNumber }) ?? .nan)
  }

  func addDisk(_ what: String, _ contender: String, _ bytes: Double) {
    report.disk.append(
      DiskFigure(what: what, documents: documents, contender: contender, bytes: bytes))
  }
}
