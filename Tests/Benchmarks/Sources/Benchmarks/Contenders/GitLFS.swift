import Foundation

/// Git LFS with a directory as its remote, using its own standalone file transfer.
struct GitLFS: ImageContender {
  let name = "git-lfs"
  let versions = [["git", "lfs", "version"]]
  private let git = Git()

  func start(_ site: ImageSite) -> [Command] {
    emptyGit(site) + [
      git("remote", "set-url", "origin", "file://\(site.remote.path)", at: site.repository),
      git("lfs", "install", "--local", at: site.repository),
      git("lfs", "track", "images/**", at: site.repository),
    ]
  }

  func record(_ site: ImageSite) -> [Command] {
    [
      git("add", ".gitattributes", "images", at: site.repository),
      git("commit", "-q", "-m", "images", at: site.repository),
    ]
  }

  func push(_ site: ImageSite) -> [Command]? {
    [git("push", "-q", "origin", "main", at: site.repository)]
  }
}
