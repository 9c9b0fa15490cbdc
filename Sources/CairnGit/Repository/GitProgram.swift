internal import CairnProcess
internal import LibC
package import SystemPackage

/// The git program, for operations that it does better than libgit2: run as a child process, never
/// through a shell.
package struct GitProgram: Sendable {
  package let path: FilePath

  package init(path: FilePath) { self.path = path }

  /// The environment without the variables that would direct git to another repository.
  ///
  /// Source: `git rev-parse --local-env-vars`.
  package static let environment = Dictionary(
    uniqueKeysWithValues: [
      "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_DIR",
      "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX",
      "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH",
      "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
    ].map { ($0, String?.none) })

  /// Runs a git command on a repository and waits for it to end.
  ///
  /// - Parameters:
  ///   - settings: Configuration values for this run only: `pack.packSizeLimit=0`.
  ///   - ofWorkTree: Whether git must know which of several work trees it is.
  ///   - input: The file for stdin.
  ///   - output: The file for stdout, which must exist.
  ///   - tick: Called periodically while the command runs.
  /// - Throws: ``GitError`` when the command cannot be run or fails, with the reason from
  ///   its stderr.
  func run(
    _ command: String, _ arguments: [String], settings: [String] = [], in repository: Repository,
    ofWorkTree: Bool = false, input: FilePath = "/dev/null", output: FilePath = "/dev/null",
    tick: () -> Void = {}
  ) throws(GitError) {
    let directory = ofWorkTree ? repository.gitDirectory : repository.commonDirectory
    var options = ["--git-dir=\(directory.string)"]
    options += settings.flatMap { ["-c", $0] } + [command] + arguments
    var errorOutput: [UInt8] = []
    let process: pid_t
    let errors: FileDescriptor
    do throws(Errno) {
      let started = try startProcess(
        path.string, options, environment: GitProgram.environment,
        streams: [.file(input, O_RDONLY), .file(output, O_WRONLY), .output])
      (process, errors) = (started.process, started.ends[0])
    } catch {
      throw GitError(.other, "cannot run \(path): \(error)")
    }
    defer { try? errors.close() }
    let status = try end(of: process) {
      errorOutput = (errorOutput + GitProgram.waiting(in: errors)).suffix(4096)
      tick()
    }
    guard status == 0 else {
      let reason = GitProgram.reason(in: String(decoding: errorOutput, as: UTF8.self))
      throw GitError(
        .other, "git \(command) failed (\(status))" + (reason.map { ": \($0)" } ?? ""))
    }
  }

  /// Returns the reason in git's messages, without the period: its first error, otherwise the last
  /// line; nil if there is none. After an error, git may print advice.
  private static func reason(in messages: String) -> String? {
    let lines = messages.split(whereSeparator: \.isNewline)
    let errors = lines.compactMap { line in
      ["fatal: ", "error: ", "ERROR: "].first(where: line.hasPrefix).map {
        line.dropFirst($0.count)
      }
    }
    guard let reason = errors.first ?? lines.last else { return nil }
    return String(reason.hasSuffix(".") ? reason.dropLast() : reason)
  }

  /// Returns the bytes available in a pipe without blocking.
  private static func waiting(in pipe: FileDescriptor) -> [UInt8] {
    var all: [UInt8] = []
    var state = pollfd(fd: pipe.rawValue, events: Int16(POLLIN), revents: 0)
    while poll(&state, 1, 0) > 0, state.revents & Int16(POLLIN) != 0 {
      let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
        count = (try? pipe.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
      }
      if bytes.isEmpty { break }
      all += bytes
    }
    return all
  }

  /// Waits for a process and returns its exit code, or the negated number of the signal that ended
  /// it.
  private func end(of process: pid_t, tick: () -> Void) throws(GitError) -> Int {
    var pause: UInt32 = 500
    while true {
      var status: CInt = 0
      let ended = waitpid(process, &status, WNOHANG)
      // Called once more after the process ends, to read its last output.
      tick()
      if ended == process { return exitCode(waitStatus: status) }
      if ended == -1, errno != EINTR { throw GitError(.other, "cannot wait for \(path)") }
      usleep(pause)
      pause = min(pause * 2, 20_000)
    }
  }
}
