import Foundation
import TestSupport
import Testing

/// The exit codes that `cairn help` documents.
enum ExitStatus {
  static let found: Int32 = 1
  static let usage: Int32 = 64
  static let badData: Int32 = 65
  static let notFound: Int32 = 66
  static let offline: Int32 = 68
  static let unreachable: Int32 = 69
  static let existsOrFull: Int32 = 73
  static let busy: Int32 = 75
  static let newerOrUnrelated: Int32 = 76
  static let permission: Int32 = 77
  static let noDatasetOrIdentity: Int32 = 78
}

extension Sandbox {
  /// Runs cairn, which must refuse: exit with `status`, print one sentence and at most a hint on
  /// stderr and nothing on stdout, and change nothing on disk. Returns stderr.
  @discardableResult
  func refuses(
    _ arguments: String..., in directory: String = ".", with status: Int32, hint: Bool = true,
    location: SourceLocation = #_sourceLocation
  ) throws -> String {
    let before = try listing()
    let output = try run("cairn", arguments, in: directory)
    #expect(output.status == status, "\(output.stderr)\(output.stdout)", sourceLocation: location)
    #expect(output.stdout == "", sourceLocation: location)
    let lines = output.stderr.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("cairn: ") == true, "\(lines)", sourceLocation: location)
    #expect(lines.first?.hasSuffix(".") == true, "no sentence: \(lines)", sourceLocation: location)
    if hint {
      // A quoted query with a caret under it takes two more lines.
      let isShown = lines.count == 4 && lines[2].allSatisfy { $0 == " " || $0 == "^" }
      #expect(lines.count == 2 || isShown, "\(lines)", sourceLocation: location)
      #expect(lines.last?.hasPrefix("hint: ") == true, "\(lines)", sourceLocation: location)
    } else {
      #expect(lines.count == 1, "\(lines)", sourceLocation: location)
    }
    let changed = try listing().differences(from: before)
    #expect(changed.isEmpty, "changed: \(changed)", sourceLocation: location)
    return output.stderr
  }

  /// Returns every file and directory below the root with its content, except for the files that
  /// any command may write: the lock, the clock, the index database, the record of unchanged
  /// directories, and when remotes last answered.
  func listing() throws -> [String: Data] {
    var found: [String: Data] = [:]
    try list("", into: &found)
    return found
  }

  private func list(_ path: String, into found: inout [String: Data]) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: url(path).path) {
      let child = path.isEmpty ? name : "\(path)/\(name)"
      if child == "home" { continue }
      if path.hasSuffix(".git/cairn"),
        ["lock", "clock", "directories", "exchanges"].contains(name) || name.hasPrefix("index.")
      {
        continue
      }
      let attributes = try FileManager.default.attributesOfItem(atPath: url(child).path)
      switch attributes[.type] as? FileAttributeType {
      case .typeDirectory?:
        found[child + "/"] = Data()
        try list(child, into: &found)
      case .typeSymbolicLink?:
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: url(child).path)
        found[child] = Data(target.utf8)
      case .typeRegular?: found[child] = try read(child)
      default: found[child] = Data()
      }
    }
  }
}

extension [String: Data] {
  /// Returns the paths that were added, changed or removed since `before`.
  func differences(from before: [String: Data]) -> [String] {
    Set(keys).union(before.keys).filter { self[$0] != before[$0] }.sorted()
  }
}
