import Foundation

/// A program that keeps images in a repository.
protocol ImageContender: Sendable {
  var name: String { get }
  /// The programs whose versions are reported; when one does not run, the contender is missing.
  var versions: [[String]] { get }
  /// What is run before, unmeasured: an empty repository with the images in its directory `images`
  /// if `takesFromWorkTree`, and an empty remote.
  func start(_ site: ImageSite) -> [Command]
  var takesFromWorkTree: Bool { get }
  /// What records the images.
  func record(_ site: ImageSite) -> [Command]
  /// What brings them and their history to the remote; nil when that takes a server.
  func push(_ site: ImageSite) -> [Command]?
}

/// Where images are and where they go.
struct ImageSite {
  var repository: URL
  var remote: URL
  /// A directory with the images, outside the repository.
  var images: URL

  /// Where the images go for those that do not keep them in the remote repository.
  var store: URL { remote.appendingPathExtension("store") }
}

extension ImageContender {
  /// How people write what records the images.
  func way(_ commands: [Command]) -> String {
    commands.map { command in
      command.words.map { ($0 as NSString).lastPathComponent }.joined(separator: " ")
    }.joined(separator: "; ")
  }

  var takesFromWorkTree: Bool { true }
}

/// What all that lie in a git repository begin with.
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
