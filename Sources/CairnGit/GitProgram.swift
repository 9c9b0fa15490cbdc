#if canImport(Glibc)
  @preconcurrency internal import Glibc
#elseif canImport(Musl)
  @preconcurrency internal import Musl
#else
  @preconcurrency internal import Darwin
#endif
public import SystemPackage

/// git itself, for what it does better than libgit2: a child process, never through a shell.
public struct GitProgram: Sendable {
  public let path: FilePath

  public init(path: FilePath) { self.path = path }

  /// Variables that would lead git to another repository than the one it is told.
  ///
  /// Source: `git rev-parse --local-env-vars`.
  public static let localVariables: Set<Substring> = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_DIR",
    "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
  ]

  /// Runs a command of git's on a repository, to its end; what it prints goes nowhere.
  ///
  /// - Parameters:
  ///   - input: The file that it reads.
  ///   - tick: Called every now and then while it runs.
  /// - Throws: ``GitError`` when it cannot be run or does not succeed.
  func run(
    _ arguments: [String], in repository: Repository, input: FilePath = "/dev/null",
    tick: () -> Void = {}
  ) throws(GitError) {
    let words = [path.string, "--git-dir=\(repository.commonDirectory.string)"] + arguments
    let status = try end(of: try start(words, input: input), tick: tick)
    guard status == 0 else { throw GitError(.other, "git \(arguments[0]) failed (\(status))") }
  }

  private func start(_ words: [String], input: FilePath) throws(GitError) -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input.string, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)

    var variables: [String] = []
    var next = environ
    while let variable = next.pointee {
      let text = String(cString: variable)
      if !GitProgram.localVariables.contains(text.prefix { $0 != "=" }) { variables.append(text) }
      next += 1
    }
    var pointers = words.map { strdup($0) } + [nil]
    var environment = variables.map { strdup($0) } + [nil]
    defer { for pointer in pointers + environment { free(pointer) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, path.string, &actions, nil, &pointers, &environment)
    guard code == 0 else {
      throw GitError(.other, "cannot run \(path): \(Errno(rawValue: code))")
    }
    return process
  }

  /// Waits for a process and returns how it ended: its exit code, or the signal's number less than 0.
  private func end(of process: pid_t, tick: () -> Void) throws(GitError) -> CInt {
    var pause: UInt32 = 500
    while true {
      var status: CInt = 0
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F) }
      if ended == -1, errno != EINTR { throw GitError(.other, "cannot wait for \(path)") }
      usleep(pause)
      pause = min(pause * 2, 20_000)
      tick()
    }
  }
}
