package import Foundation
package import SystemPackage
package import Testing

/// A temporary directory in which programs run without this machine's configuration; removed with
/// the object.
///
/// Test targets extend it: an initializer sets the configuration of their programs, and methods do
/// what many of their tests need.
package final class Sandbox: Sendable {
  package let root: FilePath
  /// All environment variables of its programs.
  package let environment: [String: String]
  /// Where programs run unless a call names another directory, relative to the root.
  package let defaultDirectory: String
  private let directory = TemporaryDirectory()

  /// The variables of this machine that programs need to run.
  private static let inherited = ProcessInfo.processInfo.environment.filter { name, _ in
    [
      "PATH", "TMPDIR", "LD_LIBRARY_PATH", "DEVELOPER_DIR", "ASAN_OPTIONS", "TSAN_OPTIONS",
    ].contains(name)
  }

  /// Creates a sandbox with an empty home directory, `home`.
  ///
  /// - Parameter variables: Returns environment variables to add or replace, given the root.
  package init(
    defaultDirectory: String = ".", variables: (_ root: FilePath) -> [String: String]
  ) throws {
    root = directory.root
    self.defaultDirectory = defaultDirectory
    let home = root.appending("home").string
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    let isolated = [
      "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "HOME": home, "LC_ALL": "C",
      "PATH": Programs.searchPath,
    ]
    environment = Sandbox.inherited.merging(isolated) { $1 }.merging(variables(root)) { $1 }
  }

  /// Creates a sandbox whose git configuration names a user, such as Ann, ann@example.org.
  package convenience init(user name: String) throws {
    _ = Sandbox.isProcessIsolated
    try self.init { _ in [:] }
    try write(
      """
      [init]
      \tdefaultBranch = main
      [user]
      \tname = \(name)
      \temail = \(name.lowercased())@example.org

      """, to: "home/.gitconfig")
  }

  /// Variables of this machine that would influence the library in this process.
  private static let misleading = [
    "CDPATH", "CURL_CA_BUNDLE", "GIT_CONFIG_GLOBAL", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO",
    "SSL_CERT_DIR", "SSL_CERT_FILE", "all_proxy", "http_proxy", "https_proxy",
  ]

  private static let isProcessIsolated: Void = {
    for name in misleading { unsetenv(name) }
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1)
  }()

  // MARK: Programs

  /// Returns a command that runs `program` in a directory of the sandbox.
  package func command(
    _ program: String, _ arguments: [String], in directory: String? = nil, stdin: Data = Data(),
    environment more: [String: String] = [:]
  ) -> Command {
    var command = Command(
      program, arguments, in: path(directory ?? defaultDirectory).string)
    command.environment = environment.merging(more) { $1 }
    command.input = stdin
    return command
  }

  /// Runs a program, which may fail.
  package func run(
    _ program: String, _ arguments: [String], in directory: String? = nil, stdin: Data = Data(),
    environment: [String: String] = [:]
  ) throws -> ProgramOutput {
    try command(program, arguments, in: directory, stdin: stdin, environment: environment).run()
  }

  /// Runs a program, which must succeed.
  @discardableResult
  package func succeed(
    _ program: String, _ arguments: [String], in directory: String? = nil, stdin: Data = Data(),
    environment: [String: String] = [:], location: SourceLocation = #_sourceLocation
  ) throws -> ProgramOutput {
    let output = try run(program, arguments, in: directory, stdin: stdin, environment: environment)
    let line = ([program] + arguments).joined(separator: " ")
    try #require(
      output.status == 0, "\(line): \(output.status) \(output.stderr)\(output.stdout)",
      sourceLocation: location)
    return output
  }

  /// Runs git, which must succeed.
  @discardableResult
  package func git(
    _ arguments: String..., in directory: String? = nil, stdin: Data = Data(),
    environment: [String: String] = [:], location: SourceLocation = #_sourceLocation
  ) throws -> ProgramOutput {
    try succeed(
      "git", arguments, in: directory, stdin: stdin, environment: environment, location: location)
  }

  /// Runs a shell script, which must succeed.
  @discardableResult
  package func sh(
    _ script: String, in directory: String? = nil, location: SourceLocation = #_sourceLocation
  ) throws -> ProgramOutput {
    try succeed("sh", ["-ec", script], in: directory, location: location)
  }

  /// Runs cairn, which must succeed.
  @discardableResult
  package func cairn(
    _ arguments: String..., in directory: String? = nil,
    location: SourceLocation = #_sourceLocation
  ) throws -> ProgramOutput {
    try succeed(cairnProgram(), arguments, in: directory, location: location)
  }

  /// Runs cairn, which may fail.
  package func runCairn(
    _ arguments: [String], in directory: String? = nil, environment: [String: String] = [:]
  ) throws -> ProgramOutput {
    try run(cairnProgram(), arguments, in: directory, environment: environment)
  }

  /// Returns cairn's name where the sandbox has it in its `PATH`, and otherwise its path.
  package func cairnProgram() throws -> String {
    if exists("home/bin/cairn") { return "cairn" }
    return try #require(Programs.cairn, "there is no cairn to test: build it first").path
  }

  // MARK: Files

  package func path(_ name: String) -> FilePath { directory.path(name) }

  package func url(_ name: String) -> URL { directory.url(name) }

  package func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: path(name).string)
  }

  package func read(_ name: String) throws -> Data { try Data(contentsOf: url(name)) }

  package func text(_ name: String) throws -> String {
    String(decoding: try read(name), as: UTF8.self)
  }

  /// Writes a file, in place if it exists, and creates its directories.
  package func write(_ bytes: some Collection<UInt8>, to name: String) throws {
    try directory.write(bytes, to: name)
  }

  package func write(_ text: String, to name: String, isProgram: Bool = false) throws {
    guard isProgram else { return try write(text.utf8, to: name) }
    let path = path(name)
    try FileManager.default.createDirectory(
      atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
    // A program started by another test at this moment would inherit the open file, and a file
    // that is open for writing cannot be run.
    try succeed(
      "install", ["-m", "755", "/dev/stdin", path.string], in: ".", stdin: Data(text.utf8))
  }

  /// Replaces a text that must occur exactly once in the file.
  package func replace(
    _ old: String, with new: String, in name: String, location: SourceLocation = #_sourceLocation
  ) throws {
    let text = try text(name)
    let parts = text.components(separatedBy: old)
    try #require(parts.count == 2, "“\(old)” in \(text)", sourceLocation: location)
    try write(parts.joined(separator: new), to: name)
  }

  package func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path(name).string)
  }
}
