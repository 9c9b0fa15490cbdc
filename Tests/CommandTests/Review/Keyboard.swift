import Foundation
import Testing

/// Reviews by keyboard, driven by pexpect under a pseudo-terminal of 80 by 24.
extension Sandbox {
  /// Runs a script of the Python that has pexpect, in a directory of the box, and returns the last
  /// line that it printed, as JSON. It is given `review(…)` to start a review, and what follows there.
  func keyboard(
    _ script: String, in directory: String = "a", location: SourceLocation = #_sourceLocation
  ) throws -> JSONValue {
    let program = try #require(Programs.clients, Programs.missingClients, sourceLocation: location)
    let output = try run(
      program, ["-c", Keyboard.prelude + script], in: directory,
      environment: ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PYTHONPATH": ""])
    try #require(
      output.status == 0, "\(output.stderr)\(output.stdout)", sourceLocation: location)
    let last = try #require(output.lines.last, "it said nothing", sourceLocation: location)
    return try JSONDecoder().decode(JSONValue.self, from: Data(last.utf8))
  }
}

enum Keyboard {
  /// Whether the environment that `make setup` installs has pexpect.
  static let isThere: Bool = {
    guard let program = Programs.clients else { return false }
    let command = Command(program, ["-c", "import pexpect"], in: Programs.package.path)
    return (try? command.run())?.status == 0
  }()

  static let missing: Comment = "pexpect is not in .build/python: run `make setup`"

  fileprivate static let prelude = #"""
    import io, json, os, re, signal, sys, termios, time
    import pexpect

    # pexpect sets the size of the window when the program runs already, and a question that stands
    # there by then is drawn again: so the program starts when the size is set.
    SIZED = 'until [ "$(stty size)" = "24 %d" ]; do sleep 0.01; done; '

    def shell(script, columns=80, **more):
        """Runs a shell's script under a terminal."""
        return pexpect.spawn(
            "sh", ["-c", SIZED % columns + script], encoding="utf-8", timeout=30,
            dimensions=(24, columns), **more)

    def review(*arguments, **more):
        """Starts a review, which has the number of the session's process."""
        return shell("exec cairn review " + " ".join(arguments), **more)

    # What ends the line of keys.
    PROMPT = "› "

    def photo(session):
        """Waits for the next question; returns the digits of its photo's id, and where it stands."""
        session.expect(r"── (\d+) of (\d+) ")
        place = int(session.match[1]), int(session.match[2])
        session.expect(r"  ([0-9a-f]{12})  ")
        found = session.match[1]
        session.expect(PROMPT)
        return found, place

    def child(session):
        """The process that the session's shell waits for."""
        return int(open(f"/proc/{session.pid}/task/{session.pid}/children").read().split()[0])

    def settings(session):
        """What stty would say of the session's terminal."""
        return [repr(part) for part in termios.tcgetattr(session.child_fd)]

    def ended(session):
        """Waits for the end; returns the status, negative for a signal."""
        session.expect(pexpect.EOF)
        session.close()
        return session.exitstatus if session.signalstatus is None else -session.signalstatus

    def told(value):
        print()
        print(json.dumps(value))

    """#
}
