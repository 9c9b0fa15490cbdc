import ArgumentParser
import Cairn
import Foundation
import SystemPackage

/// What git runs for each document that both sides of a merge changed.
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
      Console.note("\(Console.printable(path)) is not a document of a dataset; it is left to you")
      throw ExitCode(1)
    }
    let merge = DocumentMerge(
      base: base.isEmpty ? nil : base, ours, theirs, madeAt: replayTime(), at: document)
    switch merge {
    case .joined: break
    case .kept where isMisplaced(ours, at: document) || isMisplaced(theirs, at: document):
      // git takes one label for another that was renamed. To decide here would lose one of them.
      Console.note("\(path): git merges two documents into one; `cairn commit` parts them")
      throw ExitCode(1)
    case .kept(_, let error):
      Console.note("\(path): one side does not read (\(error)); the other stands")
    case .broken(_, let error):
      Console.note("\(path): neither side reads (\(error))")
      throw ExitCode(1)
    }
    try write(merge.bytes, to: self.ours)
  }

  /// When their version was made, in seconds since 1970; nil in a merge, whose parents tell that for
  /// good. What is cherry-picked, reverted or taken out of a stash is said now.
  private func replayTime() -> Int64? {
    let environment = ProcessInfo.processInfo.environment
    // `git merge` names what it merges to its children so.
    if environment.keys.contains(where: { $0.hasPrefix("GITHEAD_") }) { return nil }
    let directory = environment["GIT_DIR"] ?? ".git"
    return GitReplay.authorTime(in: FilePath(directory), environment: .machine)
      ?? GitReplay.now(in: .machine)
  }

  private func isMisplaced(_ bytes: [UInt8], at path: DocumentPath) -> Bool {
    (try? Document(bytes: bytes)).map { $0.path != path } ?? false
  }

  /// Reads what git has put into a file of its own; more than a document holds is cut off, and so
  /// does not read.
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
