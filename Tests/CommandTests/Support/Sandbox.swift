import Foundation
import Testing

/// A temporary directory and an environment isolated from the machine's configuration. Its own git
/// configuration lets new names create classes without a question.
final class Sandbox: Sendable {
  let root: URL
  let environment: [String: String]

  /// - Parameter lfs: Whether git-lfs is installed, and `git lfs install` was run.
  /// - Parameter hasIdentity: Whether git's configuration has an identity: Ann, ann@example.org.
  init(lfs: Bool = true, hasIdentity: Bool = true) throws {
    root = temporaryDirectory()
    let (home, programs) = (root.appending(path: "home"), root.appending(path: "home/bin"))
    try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
    let cairn = try #require(Programs.cairn, "there is no cairn to test: build it first")
    try FileManager.default.createSymbolicLink(
      at: programs.appending(path: "cairn"), withDestinationURL: cairn)
    if !lfs { try Programs.linkAllButLFS(in: programs) }
    environment = [
      "EDITOR": "false", "GIT_CONFIG_NOSYSTEM": "1",
      "GIT_TERMINAL_PROMPT": "0", "HOME": home.path, "LC_ALL": "C", "TERM": "xterm", "TZ": "UTC",
      "PATH": lfs ? "\(programs.path):\(Programs.searchPath)" : programs.path,
    ]
    var configuration = """
      [init]
      \tdefaultBranch = main
      [protocol "file"]
      \tallow = always
      [cairn]
      \tcreateClasses = true

      """
    if lfs {
      configuration += """
        [filter "lfs"]
        \tclean = git-lfs clean -- %f
        \tsmudge = git-lfs smudge -- %f
        \tprocess = git-lfs filter-process
        \trequired = true

        """
    }
    if hasIdentity { configuration += "[user]\n\tname = Ann\n\temail = ann@example.org\n" }
    try Data(configuration.utf8).write(to: home.appending(path: ".gitconfig"))
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  // MARK: Programs

  /// Returns a command that runs `program` in a directory of the sandbox.
  func command(
    _ program: String, _ arguments: [String], in directory: String = ".", stdin: Data = Data(),
    environment more: [String: String] = [:]
  ) -> Command {
    var command = Command(program, arguments, in: root.appending(path: directory).path)
    command.environment = environment.merging(more) { $1 }
    command.input = stdin
    return command
  }

  /// Runs a program, which may fail.
  func run(
    _ program: String, _ arguments: [String], in directory: String = ".", stdin: Data = Data(),
    environment: [String: String] = [:]
  ) throws -> Output {
    try command(program, arguments, in: directory, stdin: stdin, environment: environment).run()
  }

  /// Runs cairn, which must succeed.
  @discardableResult
  func cairn(
    _ arguments: String..., in directory: String = ".",
    location: SourceLocation = #_sourceLocation
  ) throws -> Output {
    try succeed("cairn", arguments, in: directory, location)
  }

  /// Runs git, which must succeed.
  @discardableResult
  func git(
    _ arguments: String..., in directory: String = ".",
    location: SourceLocation = #_sourceLocation
  ) throws -> Output {
    try succeed("git", arguments, in: directory, location)
  }

  /// Runs cairn with `--json`, which must succeed, and returns the value it printed.
  @discardableResult
  func json(
    _ arguments: String..., in directory: String = ".",
    location: SourceLocation = #_sourceLocation
  ) throws -> JSONValue {
    try succeed("cairn", arguments + ["--json"], in: directory, location).json(location)
  }

  /// Runs a shell script, which must succeed.
  @discardableResult
  func sh(
    _ script: String, in directory: String = ".", location: SourceLocation = #_sourceLocation
  ) throws -> Output {
    try succeed("sh", ["-ec", script], in: directory, location)
  }

  private func succeed(
    _ program: String, _ arguments: [String], in directory: String, _ location: SourceLocation
  ) throws -> Output {
    let output = try run(program, arguments, in: directory)
    let line = ([program] + arguments).joined(separator: " ")
    try #require(
      output.status == 0, "\(line): \(output.status) \(output.stderr)\(output.stdout)",
      sourceLocation: location)
    return output
  }

  // MARK: Files

  func url(_ path: String) -> URL { root.appending(path: path) }

  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: url(path).path) }

  func read(_ path: String) throws -> Data { try Data(contentsOf: url(path)) }

  func text(_ path: String) throws -> String { String(decoding: try read(path), as: UTF8.self) }

  /// Writes a file and creates its directories.
  func write(_ bytes: Data, to path: String) throws {
    try FileManager.default.createDirectory(
      at: url(path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes.write(to: url(path))
  }

  func write(_ text: String, to path: String) throws { try write(Data(text.utf8), to: path) }

  /// Replaces a text that must occur exactly once in the file.
  func replace(
    _ old: String, with new: String, in path: String, location: SourceLocation = #_sourceLocation
  ) throws {
    let text = try text(path)
    let parts = text.components(separatedBy: old)
    try #require(parts.count == 2, "“\(old)” in \(text)", sourceLocation: location)
    try write(parts.joined(separator: new), to: path)
  }

  func remove(_ path: String) throws { try FileManager.default.removeItem(at: url(path)) }
}
