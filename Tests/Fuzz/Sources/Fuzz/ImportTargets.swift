@testable import CairnFiles
@testable import CairnFormats
import Foundation
import SystemPackage

/// A target for each format that labels are imported from.
///
/// An input is a file, or several: each begins with a line `@@ NAME`.
let importTargets = ImportFormat.allCases.map { format in
  FuzzTarget("import-\(format.rawValue)") { input in
    let root = workDirectory
    try? FileManager.default.removeItem(atPath: root.string)
    try FileManager.default.createDirectory(
      atPath: root.string, withIntermediateDirectories: true)
    let files = namedFiles(in: input)
    var path = root
    if files.isEmpty {
      path.append(format.fileNames.first ?? "file")
      try Data(input).write(to: URL(filePath: path.string))
    }
    for (name, bytes) in files {
      let file = root.appending(name)
      try FileManager.default.createDirectory(
        atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(filePath: file.string))
    }
    try forEachImportedItem(
      format, at: path, files: FileSystem(), scratch: root.appending(".scratch")
    ) { _ in }
  }
}

/// The directory of the files of an input: in memory, where there is such a directory.
let workDirectory: FilePath = {
  let memory = "/dev/shm"
  let isThere = FileManager.default.fileExists(atPath: memory)
  let top = isThere ? memory : FileManager.default.temporaryDirectory.path
  return FilePath(top).appending("cairn-fuzz-\(ProcessInfo.processInfo.processIdentifier)")
}()

/// Returns the files of an input; none if it does not begin with a name.
private func namedFiles(in input: [UInt8]) -> [(name: String, bytes: [UInt8])] {
  let mark = Array("@@ ".utf8)
  guard input.starts(with: mark) else { return [] }
  var files: [(name: String, bytes: [UInt8])] = []
  for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
    if line.starts(with: mark) {
      // Names stay inside the directory.
      let name = String(decoding: line.dropFirst(mark.count), as: UTF8.self)
        .filter { $0.isASCII && ($0.isLetter || $0.isNumber || "._-/".contains($0)) }
        .split(separator: "/").filter { !$0.hasPrefix(".") }.prefix(4).joined(separator: "/")
      if name.isEmpty || files.count == 8 { return files }
      files.append((name, []))
    } else {
      files[files.count - 1].bytes += line + [UInt8(ascii: "\n")]
    }
  }
  return files
}
