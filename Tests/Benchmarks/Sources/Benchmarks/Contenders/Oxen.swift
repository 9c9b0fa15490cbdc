import Foundation

/// Oxen, used through its Python package, which includes no server to push to.
struct Oxen: ImageContender {
  let name = "Oxen"
  let versions = [
    ["python3", "-c", "import oxen, importlib.metadata as m; print('oxenai', m.version('oxenai'))"]
  ]

  func start(_ site: ImageSite) -> [Command] {
    [
      python(
        "from oxen.user import config_user; config_user('Bench', 'bench@example.org')", site),
      python("from oxen import Repo; Repo('.').init()", site),
    ]
  }

  func record(_ site: ImageSite) -> [Command] {
    [python("from oxen import Repo; r = Repo('.'); r.add('images'); r.commit('images')", site)]
  }

  func push(_ site: ImageSite) -> [Command]? { nil }

  private func python(_ program: String, _ site: ImageSite) -> Command {
    Command("python3", "-c", program, at: site.repository)
  }
}
