import Foundation

extension Stage {
  /// Clones a bare repository in a directory, without documents in the work tree.
  func measureClone() throws {
    let remote = try bareCopy(of: try baseDataset(), as: "clone.git")
    func entry(_ contender: String, _ way: String, _ commands: @escaping (URL) -> [Command])
      -> Entry
    {
      let target = place.appending(path: "clone")
      return Entry(
        contender: contender, way: way, prepare: { _ in try self.remove(target) },
        commands: { _ in commands(target) })
    }
    func cairnClone(to target: URL) -> Command {
      cairn("clone", "--documents", "none", remote.path, target.path, at: place)
    }
    func gitClone(_ option: String, to target: URL) -> Command {
      git("clone", "-q", "--no-checkout", option, remote.path, target.path, at: place)
    }
    compare(
      "clone", pace: .few,
      [
        entry("cairn", "cairn clone --documents none") { [cairnClone(to: $0)] },
        entry("cairn, with the index database", "cairn clone --documents none; cairn find") {
          [cairnClone(to: $0), self.cairn.find(at: $0)]
        },
        entry("git", "git clone --no-checkout") { [gitClone("--local", to: $0)] },
        entry("git, without hard links", "git clone --no-checkout --no-local") {
          [gitClone("--no-local", to: $0)]
        },
      ])
    try remove(place.appending(path: "clone"))
    try remove(remote)
  }

  /// Rebuilds the index database and answers one query from it.
  func measureIndex() throws {
    let dataset = try copy(try baseDataset(), as: "index")
    compare(
      "index database rebuild", pace: .few,
      [
        Entry(
          contender: "cairn", way: "cairn find, without .git/cairn/index.sqlite",
          prepare: { _ in try self.removeIndex(of: dataset) },
          commands: { _ in [self.cairn.find(at: dataset)] })
      ])
    let database = dataset.appending(path: ".git/cairn/index.sqlite")
    if FileManager.default.fileExists(atPath: database.path) {
      addDisk("index database", "cairn", try bytes(of: database))
    }
    try remove(dataset)
  }
}
