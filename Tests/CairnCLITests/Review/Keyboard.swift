import Foundation
import TestSupport
import Testing

/// Reviews with the keyboard, driven by pexpect in a pseudo-terminal of 80 by 24.
extension Sandbox {
  /// Runs a Python script in a directory of the sandbox and returns the last line that it prints,
  /// as JSON. The script can use pexpect, `review(…)` and the other functions of
  /// ``Keyboard/prelude``.
  func keyboard(
    _ script: String, in directory: String = "a", location: SourceLocation = #_sourceLocation
  ) throws -> JSONValue {
    let program = try #require(Programs.clients, Programs.missingClients, sourceLocation: location)
    let output = try run(
      program, ["-c", Keyboard.prelude + script], in: directory,
      environment: ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PYTHONPATH": ""])
    try #require(
      output.status == 0, "\(output.stderr)\(output.stdout)", sourceLocation: location)
    let last = try #require(
      output.lines.last, "the script printed nothing", sourceLocation: location)
    return try JSONDecoder().decode(JSONValue.self, from: Data(last.utf8))
  }
}

enum Keyboard {
  /// Whether the environment that `make setup` installs has pexpect.
  static let isThere: Bool = {
    guard let program = Programs.clients else { return false }
    let command = Command(program, ["-c", "import pexpect"], in: packageDirectory.path)
    return (try? command.run())?.status == 0
  }()

  static let missing: Comment = "pexpect is not in .build/python: run `make setup`"

  fileprivate static let prelude = #"""
    import io, json, os, re, signal, sys, termios, time
    import pexpect

    # pexpect sets the size of the window when the program is already running, and a question that
    # is on the screen by then is drawn again. So the program starts only when the size is set.
    SIZED = 'until [ "$(stty size)" = "24 %d" ]; do sleep 0.01; done; '

    def shell(script, columns=80, **more):
        """Runs a shell script in a terminal."""
        return pexpect.spawn(
            "sh", ["-c", SIZED % columns + script], encoding="utf-8", timeout=30,
            dimensions=(24, columns), **more)

    def review(*arguments, **more):
        """Starts a review, whose process id is that of the session."""
        return shell("exec cairn review " + " ".join(arguments), **more)

    # The end of the line of keys.
    PROMPT = "› "

    def photo(session):
        """Waits for the next question; returns the start of its photo's id, and its position."""
        session.expect(r"── (\d+) of (\d+) ")
        position = int(session.match[1]), int(session.match[2])
        session.expect(r"  ([0-9a-f]{12})  ")
        found = session.match[1]
        session.expect(PROMPT)
        return found, position

    def child(session):
        """Returns the process id of the session's child."""
        return int(open(f"/proc/{session.pid}/task/{session.pid}/children").read().split()[0])

    def settings(session):
        """Returns the settings of the session's terminal, as stty shows them."""
        return [repr(part) for part in termios.tcgetattr(session.child_fd)]

    def ended(session):
        """Waits for the end; returns the exit status, or the negative number of the signal."""
        session.expect(pexpect.EOF)
        session.close()
        return session.exitstatus if session.signalstatus is None else -session.signalstatus

    def report(value):
        print()
        print(json.dumps(value))

    """#
}
