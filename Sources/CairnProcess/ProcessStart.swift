internal import CSpawn
internal import LibC
internal import Synchronization
package import SystemPackage

/// One of the three standard streams of a program to start.
package enum ProcessStream {
  /// A file, opened with these flags of `open`.
  case file(FilePath, CInt)
  /// A pipe that this process writes to.
  case input
  /// A pipe that this process reads from.
  case output
  /// The same stream of this process, such as its terminal.
  case inherited
}

/// Held while pipes are created and a program is started: a program started meanwhile on another
/// thread would inherit the pipe ends and keep them open.
private let starting = Mutex(())

/// Starts a program, which inherits no file descriptors other than its standard streams.
///
/// - Parameters:
///   - program: A path, or a name that is searched for in `PATH`.
///   - changes: Environment variables that differ from those of this process; nil unsets a
///     variable.
///   - streams: The program's stdin, stdout and stderr.
/// - Returns: The process id, for `waitpid`, and this process's ends of the pipes.
/// - Throws: The error that prevented the start.
package func startProcess(
  _ program: String, _ arguments: [String], environment changes: [String: String?],
  streams: [ProcessStream]
) throws(Errno) -> (process: CInt, ends: [FileDescriptor]) {
  try starting.withLock { (_) throws(Errno) in
    var (ours, theirs): ([FileDescriptor], [FileDescriptor]) = ([], [])
    defer { for end in theirs { try? end.close() } }
    do throws(Errno) {
      for stream in streams {
        switch stream {
        case .file, .inherited: continue
        case .input, .output: break
        }
        // The end to read from, then the one to write to.
        var pair: [CInt] = [-1, -1]
        guard pipe(&pair) == 0 else { throw Errno(rawValue: errno) }
        for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        if case .input = stream { pair.reverse() }
        ours.append(FileDescriptor(rawValue: pair[0]))
        theirs.append(FileDescriptor(rawValue: pair[1]))
      }
      return (try spawn(program, arguments, changes, streams, pipes: theirs), ours)
    } catch {
      for end in ours { try? end.close() }
      throw error
    }
  }
}

/// - Parameter pipes: The program's ends of the streams that are pipes.
private func spawn(
  _ program: String, _ arguments: [String], _ changes: [String: String?],
  _ streams: [ProcessStream], pipes: [FileDescriptor]
) throws(Errno) -> pid_t {
  #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
  #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
  #endif
  posix_spawn_file_actions_init(&actions)
  posix_spawnattr_init(&attributes)
  defer {
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }
  var pipes = pipes[...]
  for (target, stream) in streams.enumerated() {
    switch stream {
    case .file(let path, let flags):
      posix_spawn_file_actions_addopen(&actions, CInt(target), path.string, flags, 0)
    case .input, .output:
      posix_spawn_file_actions_adddup2(&actions, pipes.removeFirst().rawValue, CInt(target))
    case .inherited:
      #if canImport(Darwin)
        posix_spawn_file_actions_addinherit_np(&actions, CInt(target))
      #endif
      // Elsewhere, the streams are the descriptors that stay open.
      break
    }
  }
  // Descriptors of other code in this process may lack FD_CLOEXEC; a program that inherited one end
  // of a pipe would keep it open.
  #if canImport(Darwin)
    let inheritNothing = Int16(POSIX_SPAWN_CLOEXEC_DEFAULT)
  #else
    let inheritNothing: Int16 = 0
    cairn_spawn_close_from(&actions, CInt(streams.count))
  #endif
  // Threads of a pool block signals. A program that inherited their mask could not be ended by a
  // signal, and a shell would wait for its children forever.
  var (none, pipeSignal) = (sigset_t(), sigset_t())
  sigemptyset(&none)
  sigemptyset(&pipeSignal)
  sigaddset(&pipeSignal, SIGPIPE)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setsigdefault(&attributes, &pipeSignal)
  posix_spawnattr_setflags(
    &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | inheritNothing)

  var argumentVector = ([program] + arguments).map { strdup($0) } + [nil]
  var variables = variables(changes).map { strdup($0) } + [nil]
  defer { for string in argumentVector + variables { free(string) } }
  var process: pid_t = 0
  let code = posix_spawnp(&process, program, &actions, &attributes, &argumentVector, &variables)
  guard code == 0 else { throw Errno(rawValue: code) }
  return process
}

/// Returns this process's environment with `changes` applied, as `NAME=value`.
private func variables(_ changes: [String: String?]) -> [String] {
  var variables: [String] = []
  var next = environ
  while let variable = next.pointee {
    let text = String(cString: variable)
    if changes[String(text.prefix { $0 != "=" })] == nil { variables.append(text) }
    next += 1
  }
  return variables + changes.compactMap { name, value in value.map { "\(name)=\($0)" } }
}
