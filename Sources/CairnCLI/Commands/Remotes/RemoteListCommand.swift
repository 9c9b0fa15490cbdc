import ArgumentParser
import Cairn

struct RemoteList: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the remotes, as of the last exchange with each.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn remote list"))

  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let states = try globals.dataset(quiet).remoteStates()
    Console.print(globals, .array(states.map(\.rendered))) {
      if states.isEmpty { return Console.print("No remotes yet: cairn remote add NAME PATH.") }
      Console.table(states.map { [$0.remote.name, $0.remote.address, $0.text] })
        .forEach { Console.print($0) }
    }
  }
}

extension RemoteState {
  fileprivate var rendered: JSON {
    [
      "ahead": upstream.map { JSON($0.ahead) } ?? .null,
      "behind": upstream.map { JSON($0.behind) } ?? .null, "images": JSON(imageURL),
      "name": .string(remote.name), "url": .string(remote.address),
    ]
  }

  /// What is known: “2 commits to push, images at s3://walk”.
  fileprivate var text: String {
    let state = upstream?.text ?? "not exchanged yet"
    let images = imageURL.map { $0 == "none" ? ", no images" : ", images at \($0)" } ?? ""
    return state + images
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
