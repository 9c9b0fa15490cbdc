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
    let merge = GitCommands.merge(
      base: base, ours, theirs, at: path, replayedIn: isMerge ? nil : gitDirectory)
    if let message = merge.message { Console.note(Console.printable(message)) }
    guard let bytes = merge.bytes else { throw ExitCode(1) }
    try write(bytes, to: self.ours)
  }

  /// Whether `git merge` runs the command: it sets these variables for its child processes. A
  /// rebase, a cherry-pick, a revert and a stash do not.
  private var isMerge: Bool {
    ProcessInfo.processInfo.environment.keys.contains { $0.hasPrefix("GITHEAD_") }
  }

  private var gitDirectory: FilePath {
    FilePath(ProcessInfo.processInfo.environment["GIT_DIR"] ?? ".git")
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
