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

  @Test("waits for labels of a class that is added to the set")
  func newClass() throws {
    let box = try Sandbox.textures(16, labeled: 12)
    try Textures.write(20..<30, to: "more", in: box)
    try box.cairn("photo", "add", "../more", in: "a")
    let running = try start(box, every: 3)
    let first = try waitForModel(box, running)
    // What the pictures show makes no difference here.
    try box.label(["../more/dots-20.bmp"], "waves")
    try box.cairn("class", "set", "texture", "stripes", "dots", "checks", "waves", in: "a")
    wait { !running.isRunning || running.stderr.contains("waves has 1 of 10 photos") }
    try #require(running.isRunning, "\(running.stderr)")
    try box.label((21..<30).map { "../more/dots-\($0).bmp" }, "waves")
    #expect(try waitForModel(box, other: first, running) != first)
    running.interrupt()
    #expect(try running.wait().status == 130)
  }

  @Test("waits for labels of different photos if those of a class are near-duplicates")
  func duplicates() throws {
    let box = try Sandbox.textures(16, labeled: 1)
    for kind in ["stripes", "checks"] {
      try box.label((0..<12).map { Textures.file(kind, $0) }, kind)
    }
    // Pictures that differ in one byte.
    let picture = try box.read("known/dots-00.bmp")
    for number in 0..<10 {
      try box.write(Array(picture.dropLast() + [UInt8(number)]), to: "same/dots-\(number).bmp")
    }
    try box.cairn("photo", "add", "../same", in: "a")
    try box.label((0..<10).map { "../same/dots-\($0).bmp" }, "dots")
    let running = try start(box, every: 3)
    wait { !running.isRunning || running.stderr.contains("near-duplicates count once") }
    try #require(running.isRunning, "\(running.stderr)")
    try box.label((1..<14).map { Textures.file("dots", $0) }, "dots")
    #expect(!(try waitForModel(box, running)).isEmpty, "\(running.stderr)")
    running.interrupt()
    let output = try running.wait()
    #expect(output.status == 130, "\(output.all)")
  }

  @Test("says at once what is wrong with the request, which no label changes")
  func wrong() throws {
    let box = try Sandbox.textures(2)
    let output = try box.runCairn(
      ["train", "tex/tures", "--watch"], in: "a")
    #expect(output.status == 65 && output.stderr.contains("tex/tures"), "\(output.stderr)")
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
