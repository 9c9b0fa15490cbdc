import Foundation

/// git-annex with a bare repository as its remote.
struct GitAnnex: ImageContender {
  let name = "git-annex"
  let versions = [["git", "annex", "version", "--raw"]]
  private let git = Git()

  func start(_ site: ImageSite) -> [Command] {
    emptyGit(site) + [
      git("annex", "init", "-q", "remote", at: site.remote),
      git("annex", "init", "-q", "bench", at: site.repository),
    ]
  }

  func record(_ site: ImageSite) -> [Command] {
    [
      git("annex", "add", "-q", "images", at: site.repository),
      git("commit", "-q", "-m", "images", at: site.repository),
    ]
  }

  func push(_ site: ImageSite) -> [Command]? {
    [git("annex", "sync", "-q", "--no-commit", "--content", "origin", at: site.repository)]
  }
}
