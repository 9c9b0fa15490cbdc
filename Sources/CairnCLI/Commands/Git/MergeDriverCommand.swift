import ArgumentParser
import Cairn
import Foundation
import SystemPackage

/// Run by git for each document that both sides of a merge changed.
///
/// Source: gitattributes(5), “Defining a custom merge driver”.
struct MergeDriver: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge-driver", abstract: "Merge two versions of a document, for git.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn merge-driver %O %A %B %P"),
    shouldDisplay: false)

  @Argument(help: "The common ancestor; an empty file if there is none.") var base: String
  @Argument(help: "Our version, replaced by the result.") var ours: String
  @Argument(help: "Their version.") var theirs: String
  @Argument(help: "The path of the document in the dataset.") var path: String

  func run() throws {
    let (base, ours, theirs) = (try read(base), try read(ours), try read(theirs))
    guard let document = DocumentPath(path), document.kind != nil else {
      Console.note("\(Console.printable(path)) is not a document of a dataset; resolve it yourself")
      throw ExitCode(1)
    }
    let merge = DocumentMerge(
      base: base.isEmpty ? nil : base, ours, theirs, madeAt: replayTime(), at: document)
    switch merge {
    case .merged: break
    case .kept where isMisplaced(ours, at: document) || isMisplaced(theirs, at: document):
      // git mistook two labels for one that was renamed. Merging them here would lose one of them.
      Console.note("\(path): git mixed up two documents; `cairn commit` separates them")
      throw ExitCode(1)
    case .kept(_, let error):
      Console.note("\(path): one side does not parse (\(error)); kept the other")
    case .broken(_, let error):
      Console.note("\(path): neither side parses (\(error))")
      throw ExitCode(1)
    }
    try write(merge.bytes, to: self.ours)
  }

  /// Returns the time at which their version was made, in seconds since 1970: in a rebase the
  /// author time of the commit, in a cherry-pick, a revert or a stash now. Nil in a merge, where
  /// the parents determine the time.
  private func replayTime() -> Int64? {
    let environment = ProcessInfo.processInfo.environment
    // `git merge` sets these variables for its child processes.
    if environment.keys.contains(where: { $0.hasPrefix("GITHEAD_") }) { return nil }
    let directory = environment["GIT_DIR"] ?? ".git"
    return GitReplay.authorTime(in: FilePath(directory), environment: .machine)
      ?? GitReplay.now(in: .machine)
  }

  private func isMisplaced(_ bytes: [UInt8], at path: DocumentPath) -> Bool {
    (try? Document(bytes: bytes)).map { $0.path != path } ?? false
  }

  /// Reads a temporary file of git. It is cut off after the maximum size of a document, and then
  /// does not parse.
  private func read(_ path: String) throws -> [UInt8] {
    try translated(path) {
      let file = try FileDescriptor.open(FilePath(path), .readOnly)
      return try file.closeAfter {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= DocumentLimit.size {
          let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
          if count == 0 { break }
          bytes += buffer.prefix(count)
        }
        return bytes
      }
    }
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    try translated(path) {
      let file = try FileDescriptor.open(FilePath(path), .writeOnly, options: .truncate)
      _ = try file.closeAfter { try file.writeAll(bytes) }
    }
  }

  private func translated<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw CairnError(.fileSystem, "\(path) cannot be read or written: \(error).")
    }
  }
}
