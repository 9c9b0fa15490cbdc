import CairnProcess
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Child processes")
struct ChildProcessTests {
  @Test("ends a child when its object is released")
  func ends() throws {
    let place = try Sandbox(user: "Ann")
    do {
      let child = try ChildProcess(
        "sh", ["-c", "echo $$ > \(place.root)/pid; exec sleep 60"])
      wait { (try? place.text("pid"))?.hasSuffix("\n") == true }
      withExtendedLifetime(child) {}
    }
    let process = try #require(
      Int32(try place.text("pid").trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(process, 0) == -1)
  }

  @Test("reads output until its end or a limit")
  func output() throws {
    let ends = try ChildProcess("sh", ["-c", "echo oak; echo elm >&2; exit 3"])
    let text = try ends.output(limit: 100, timeout: 60)
    #expect(String(decoding: text, as: UTF8.self) == "oak\n")
    #expect(ends.end() == 3)
    #expect(ends.stderrText.lines == ["elm"])
    let continues = try ChildProcess("yes", [])
    #expect(try continues.output(limit: 10_000, timeout: 60).count >= 10_000)
  }

  @Test("unblocks signals in a child that starts while they are blocked")
  func signals() throws {
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let child = try ChildProcess("sh", ["-c", "kill -TERM $$; exit 0"])
    #expect(child.end() == -Int(SIGTERM))
  }

  @Test("passes a child no descriptors other than its standard streams")
  func descriptors() throws {
    // Foundation's pipes lack FD_CLOEXEC.
    let pipe = Pipe()
    let inherited = pipe.fileHandleForWriting.fileDescriptor
    try #require(fcntl(inherited, F_GETFD) == 0)
    let child = try ChildProcess("bash", ["-c", "exec 2>/dev/null; true >&\(inherited)"])
    #expect(child.end() == 1)
    withExtendedLifetime(pipe) {}
  }
}
