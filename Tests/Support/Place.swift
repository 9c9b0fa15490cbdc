package import CairnFiles
package import CairnGit
internal import CairnProcess
package import Foundation
package import SystemPackage
package import Testing

/// A temporary directory in which programs run without this machine's configuration; deleted after
/// the test.
package final class Place {
  package let root: FilePath
  /// The environment variables of the programs.
  package private(set) var environment: [String: String]

  package static let timeLimitSeconds = 120

  /// Variables of this machine that would influence the tests.
  private static let misleading = [
    "CDPATH", "CURL_CA_BUNDLE", "GIT_CONFIG_GLOBAL", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO",
    "SSL_CERT_DIR", "SSL_CERT_FILE", "all_proxy", "http_proxy", "https_proxy",
  ]

  private static let isAlone: Void = {
    for name in misleading { unsetenv(name) }
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1)
  }()

  package init() throws {
    _ = Place.isAlone
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "cairn-test-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    root = FilePath(directory.resolvingSymlinksInPath().path(percentEncoded: false))
    let home = root.appending("home")
    try FileManager.default.createDirectory(
      atPath: home.string, withIntermediateDirectories: true)
    environment = [
      "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "HOME": home.string, "LC_ALL": "C",
    ]
    try write(
      "[init]\n\tdefaultBranch = main\n[user]\n\tname = Ann\n\temail = ann@example.org\n",
      to: "home/.gitconfig")
  }

  deinit { try? FileManager.default.removeItem(atPath: root.string) }

  package struct Output {
    package let status: Int
    package let text: String
    package let errors: String

    package var all: String { text + errors }
  }

  /// Runs a program and returns its output, whatever its exit code.
  package func run(
    _ program: String, _ arguments: [String], in directory: String = ".", input: [UInt8] = [],
    environment more: [String: String] = [:], whileRunning look: () -> Void = {}
  ) throws -> Output {
    // Other tests in this process may have set git's variables, which these programs must not see.
    var changes: [String: String?] = [:]
    for name in Place.misleading + TestIdentity.variables.keys { changes[name] = .some(nil) }
    for (name, value) in environment.merging(more, uniquingKeysWith: { $1 }) {
      changes[name] = value
    }
    let child = try ChildProcess(
      "env", ["-C", root.pushing(FilePath(directory)).string, program] + arguments,
      environment: changes)
    try input.withUnsafeBytes { try child.write($0, timeout: Place.timeLimitSeconds) }
    child.closeInput()
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    look()
    while true {
      let count = try piece.withUnsafeMutableBytes {
        try child.read(into: $0, timeout: Place.timeLimitSeconds)
      }
      if count == 0 { break }
      text += piece[..<count]
    }
    let status = child.end(timeout: 20_000)
    return Output(
      status: status, text: String(decoding: text, as: UTF8.self),
      errors: child.stderrText.lines.joined(separator: "\n"))
  }

  @discardableResult
  package func git(
    _ arguments: String..., in directory: String = ".", input: [UInt8] = [],
    location: SourceLocation = #_sourceLocation
  ) throws -> String {
    let output = try run("git", arguments, in: directory, input: input)
    try #require(
      output.status == 0, "git \(arguments): \(output.all)", sourceLocation: location)
    return output.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Runs the cairn that was built with these tests.
  package func cairn(_ arguments: [String], in directory: String = ".") throws -> Output {
    let program = try #require(Place.cairnProgram, "cairn is not built: run `swift build`")
    return try run(program, arguments, in: directory)
  }

  @discardableResult
  package func cairn(
    _ arguments: String..., in directory: String = ".", location: SourceLocation = #_sourceLocation
  ) throws -> String {
    let output = try cairn(arguments, in: directory)
    try #require(
      output.status == 0, "cairn \(arguments): \(output.all)", sourceLocation: location)
    return output.text
  }

  package static let cairnProgram: String? = {
    var directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    while directory.path.count > 1 {
      for name in ["cairn", ".build/debug/cairn"] {
        let file = directory.appending(path: name).path
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory),
          !isDirectory.boolValue
        {
          return file
        }
      }
      directory.deleteLastPathComponent()
    }
    return nil
  }()

  package func write(_ text: String, to path: String, isProgram: Bool = false) throws {
    let file = root.pushing(FilePath(path))
    try FileManager.default.createDirectory(
      atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
    if isProgram {
      // A program started by another test at this moment would inherit the open file, and a file
      // that is open for writing cannot be run.
      let output = try run(
        "install", ["-m", "755", "/dev/stdin", file.string], input: Array(text.utf8))
      return try #require(output.status == 0, "\(output.all)")
    }
    try Data(text.utf8).write(to: URL(filePath: file.string))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: file.string)
  }

  package func read(_ path: String) throws -> String {
    String(
      decoding: try Data(contentsOf: URL(filePath: root.pushing(FilePath(path)).string)),
      as: UTF8.self)
  }

  /// Adds a value to the user's git configuration.
  package func configure(_ key: String, _ value: String) throws {
    try git("config", "--global", "--add", key, value)
  }

  /// Returns the git configuration that programs see in this directory.
  package func settings() throws -> GitSettings {
    var settings = GitSettings()
    for line in try git("config", "--global", "--list", "-z").split(separator: "\0") {
      let parts = line.split(separator: "\n", maxSplits: 1)
      settings.entries.append((String(parts[0]), parts.count > 1 ? String(parts[1]) : "true"))
    }
    return settings
  }

  package func repository(_ name: String) throws -> Repository {
    try Repository.open(root.appending(name), files: FileSystem())
  }

  /// Creates a repository and opens it.
  package func newRepository(_ name: String, bare: Bool = false) throws -> Repository {
    try git(
      ["init", "-q", "--template=", "-b", "main"] + (bare ? ["--bare"] : []) + [name])
    return try repository(name)
  }

  private func git(_ arguments: [String]) throws {
    let output = try run("git", arguments)
    try #require(output.status == 0, "\(output.errors)")
  }

  /// Commits files with git and returns the commit.
  @discardableResult
  package func commit(_ files: [String: String], in directory: String) throws -> ObjectID {
    for (name, text) in files { try write(text, to: "\(directory)/\(name)") }
    try git("add", "-A", in: directory)
    try git("commit", "-q", "--allow-empty", "-m", "x", in: directory)
    return try #require(ObjectID(git("rev-parse", "HEAD", in: directory)))
  }
}

/// Waits until a condition holds; the time limit only ends tests that fail.
package func wait(until holds: () -> Bool) {
  for _ in 0..<(Place.timeLimitSeconds * 100) {
    if holds() { return }
    usleep(10_000)
  }
}
