import Foundation

/// DVC with git, and with a directory as its store.
struct DVC: ImageContender {
  let name = "DVC"
  let versions = [["dvc", "--version"]]
  private let git = Git()

  func start(_ site: ImageSite) -> [Command] {
    emptyGit(site) + [
      dvc("init", "-q", at: site.repository),
      dvc("remote", "add", "-q", "-d", "store", site.store.path, at: site.repository),
    ]
  }

  func record(_ site: ImageSite) -> [Command] {
    [
      dvc("add", "-q", "images", at: site.repository), git("add", ".", at: site.repository),
      git("commit", "-q", "-m", "images", at: site.repository),
    ]
  }

  func push(_ site: ImageSite) -> [Command]? {
    [
      dvc("push", "-q", at: site.repository),
      git("push", "-q", "origin", "main", at: site.repository),
    ]
  }

  private func dvc(_ words: String..., at directory: URL) -> Command {
    var command = Command("dvc", at: directory)
    command.words += words
    return command
  }
}
