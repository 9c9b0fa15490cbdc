import ArgumentParser
import Cairn

struct RemoteList: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the remotes and their state at the last exchange.",
    discussion: HelpText.paragraphs(
      """
      With --check, cairn also contacts each remote, and exits with 1 if one cannot be reached.

      EXAMPLES
        cairn remote list
        cairn remote list --check
      """))

  @Flag(help: "Also check whether each remote can be reached.") var check = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let states = try globals.dataset().remoteStates(checking: check)
    Console.print(globals, .array(states.map(\.rendered))) {
      if states.isEmpty { return Console.print("No remotes yet: cairn remote add NAME PATH.") }
      Console.table(states.map { [$0.remote.name, $0.remote.address, $0.text] })
        .forEach { Console.print($0) }
    }
    if states.contains(where: { $0.failure != nil }) { throw ExitCode(1) }
  }
}

extension RemoteState {
  fileprivate var rendered: JSON {
    [
      "ahead": upstream.map { JSON($0.ahead) } ?? .null,
      "behind": upstream.map { JSON($0.behind) } ?? .null, "images": JSON(imageURL),
      "imageStore": .string(imageURL ?? ownImageStore),
      "error": failure?.rendered ?? .null,
      "lastExchange": JSON(lastExchange.map { RFC3339.text(milliseconds: $0) }),
      "name": .string(remote.name), "reachable": isChecked ? .bool(failure == nil) : .null,
      "url": .string(remote.address),
    ]
  }

  /// What is known: “2 commits to push, images at s3://walk”.
  fileprivate var text: String {
    let reachability = failure.map { "not reachable: \($0.message)" }
    let last = lastExchange.map { "last exchange \(localTime(milliseconds: $0))" }
    let store = imageURL ?? ownImageStore
    let images =
      switch store {
      case "none": "no images"
      case remote.address: "images in the remote itself"
      default: "images at \(store)"
      }
    return [
      reachability ?? (isChecked ? "reachable" : nil), upstream?.text ?? "not exchanged yet", last,
      images,
    ].compactMap { $0 }.joined(separator: ", ")
  }
}

extension UpstreamStatus {
  /// “1 commit to push, 2 commits to merge”, or “up to date”.
  var text: String {
    let parts = [
      ahead > 0 ? "\(count(ahead, "commit")) to push" : nil,
      behind > 0 ? "\(count(behind, "commit")) to merge" : nil,
    ].compactMap { $0 }
    return parts.isEmpty ? "up to date" : parts.joined(separator: ", ")
  }
}
