import Foundation

/// A program that stores images in a repository.
protocol ImageContender: Sendable {
  var name: String { get }
  /// Commands that print the versions to report; if one fails, the contender is not installed.
  var versions: [[String]] { get }
  /// Returns the unmeasured commands that make an empty repository and an empty remote.
  func start(_ site: ImageSite) -> [Command]
  /// Whether the images are copied to the directory `images` of the repository before they are
  /// recorded.
  var takesFromWorkTree: Bool { get }
  /// Returns the commands that add and commit the images.
  func record(_ site: ImageSite) -> [Command]
  /// Returns the commands that push the images and their history; nil if that requires a server.
  func push(_ site: ImageSite) -> [Command]?
}

/// The directories of one contender.
struct ImageSite {
  var repository: URL
  var remote: URL
  /// A directory with the images, outside the repository.
  var images: URL

  /// The image store of contenders that do not store images in the remote repository.
  var store: URL { remote.appendingPathExtension("store") }
}

extension ImageContender {
  /// Returns the text of commands, with programs and files shortened to their names.
  func way(_ commands: [Command]) -> String {
    commands.map { command in
      command.words.map { ($0 as NSString).lastPathComponent }.joined(separator: " ")
    }.joined(separator: "; ")
  }

  var takesFromWorkTree: Bool { true }
}

/// Returns the commands that make an empty git repository with an empty remote.
func emptyGit(_ site: ImageSite) -> [Command] {
  let (git, files) = (Git(), site.repository)
  return [
    git("init", "-q", "--bare", site.remote.path, at: files), git("init", "-q", at: files),
    git("remote", "add", "origin", site.remote.path, at: files),
  ]
}

struct CairnImages: ImageContender {
  let cairn: Cairn
  let name = "cairn"
  var versions: [[String]] { [[cairn.program.path, "--version"]] }
  let takesFromWorkTree = false

  func start(_ site: ImageSite) -> [Command] {
    [
      cairn("init", at: site.repository),
      cairn("remote", "add", "origin", site.remote.path, "--create", at: site.repository),
    ]
  }

  func record(_ site: ImageSite) -> [Command] {
    [
      cairn("photo", "add", site.images.path, at: site.repository),
      cairn.commit(at: site.repository),
    ]
  }

  func push(_ site: ImageSite) -> [Command]? { [cairn("push", at: site.repository)] }
}
