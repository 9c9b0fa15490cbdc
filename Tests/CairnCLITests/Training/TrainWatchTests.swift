import Foundation
import TestSupport
import Testing

@Suite("cairn train --watch")
struct TrainWatchTests {
  private static let labeler = "a/.git/cairn/labelers/textures.json"

  private func start(_ box: Sandbox, every count: Int) throws -> RunningCommand {
    try box.command(
      box.cairnProgram(), ["train", "textures", "--watch", "--every", "\(count)", "--json"], in: "a"
    ).start()
  }

  /// Waits until a program has written other bytes to the file of the labeler.
  private func waitForModel(
    _ box: Sandbox, other known: [UInt8]? = nil, _ running: RunningCommand
  ) throws -> [UInt8] {
    while running.isRunning {
      if box.exists(Self.labeler) {
        let bytes = Array(try box.read(Self.labeler))
        if bytes != known { return bytes }
      }
      usleep(1000)
    }
    return box.exists(Self.labeler) ? Array(try box.read(Self.labeler)) : []
  }

  @Test("trains again after enough answers, and ends when the learning curve is flat")
  func flat() throws {
    let box = try Sandbox.textures(16, labeled: 12)
    let running = try start(box, every: 3)
    let first = try waitForModel(box, running)
    for kind in Textures.kinds {
      #expect(running.isRunning)
      try box.cairn("label", Textures.file(kind, 12), kind, in: "a")
    }
    let output = try running.wait()
    #expect(output.status == 0, "\(output.stderr)")
    #expect(output.stderr.contains("the learning curve is flat"), "\(output.stderr)")
    #expect(Array(try box.read(Self.labeler)) != first)
    let run = try box.cairn("run", "list", "--json", in: "a").json().elements
    #expect(Set(run.map { $0["parameters"]["training"]["photos"].number }) == [36, 39])
  }

  @Test("waits until there are enough labels, and leaves everything whole when it is interrupted")
  func interrupted() throws {
    let box = try Sandbox.textures(12, labeled: 9)
    let running = try start(box, every: 100)
    for kind in Textures.kinds {
      #expect(running.isRunning && !box.exists(Self.labeler))
      try box.cairn("label", Textures.file(kind, 9), kind, in: "a")
    }
    _ = try waitForModel(box, running)
    running.interrupt()
    let output = try running.wait()
    #expect(output.status == 130, "\(output.all)")
    try box.cairn("verify", in: "a")
    let predicted = try box.cairn("predict", "--find=-state:confirmed", "--json", in: "a").json()
    #expect(predicted["photos"].number == 6)
  }
}
