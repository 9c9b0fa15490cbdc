package import CairnFiles
package import CairnGit
internal import SystemPackage
internal import Testing

extension Sandbox {
  /// Opens a repository, or the one in the default directory.
  package func openRepository(
    _ name: String? = nil, files: FileSystem = FileSystem()
  ) throws -> Repository {
    try Repository.open(path(name ?? defaultDirectory), files: files)
  }

  /// Creates a repository with git, by default in the default directory, and opens it.
  package func newRepository(
    _ name: String? = nil, bare: Bool = false, files: FileSystem = FileSystem()
  ) throws -> Repository {
    let options = ["init", "-q", "--template=", "-b", "main"] + (bare ? ["--bare"] : [])
    try succeed("git", options + [name ?? defaultDirectory], in: ".")
    return try openRepository(name, files: files)
  }

  /// Commits files with git and returns the commit.
  @discardableResult
  package func commit(_ files: [String: String], in directory: String) throws -> ObjectID {
    for (name, text) in files { try write(text, to: "\(directory)/\(name)") }
    try git("add", "-A", in: directory)
    try git("commit", "-q", "--allow-empty", "-m", "x", in: directory)
    return try #require(ObjectID(try git("rev-parse", "HEAD", in: directory).word))
  }

  /// Adds a value to the user's git configuration.
  package func configure(_ key: String, _ value: String) throws {
    try git("config", "--global", "--add", key, value)
  }

  /// Returns the git configuration that programs see in this directory.
  package func settings() throws -> GitSettings {
    var settings = GitSettings()
    for line in try git("config", "--global", "--list", "-z").stdout.split(separator: "\0") {
      let parts = line.split(separator: "\n", maxSplits: 1)
      settings.entries.append((String(parts[0]), parts.count > 1 ? String(parts[1]) : "true"))
    }
    return settings
  }
}
