import CairnBase
import CairnDocument
import CairnPhotos
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import CairnLabelers

@Suite("Labeler programs")
struct ProgramTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = TemporaryDirectory() }

  private func labeler(
    _ behavior: String, timeout: Int = 60, counts: Bool = false,
    environment: LabelerEnvironment = .quick
  ) throws -> any Labeler {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Programs/program.py").path
    let state = counts ? [JSON.string(starts.string)] : []
    let json: JSON = [
      "command": .array([.string("python3"), .string(script), .string(behavior)] + state),
      "kind": "program", "name": "x", "timeout": JSON(timeout),
    ]
    return try LabelerDescription(json: json)
      .open(environment: environment, scratch: scratch.path("tmp"), pixels: noPixels)
  }

  /// Predicts images, several at once, and returns the outcome of each.
  private func ask(
    _ labeler: any Labeler, _ seeds: Range<Int>, atOnce: Int = 8
  ) throws -> [PredictionPool.Outcome?] {
    let images = try seeds.map { try scratch.image($0) }
    var outcomes = [PredictionPool.Outcome?](repeating: nil, count: images.count)
    try PredictionPool(labeler, atOnce: atOnce).run(images.count, image: { images[$0] }) {
      for (index, outcome) in $0 { outcomes[index] = outcome }
    }
    return outcomes
  }

  /// A file to which the program appends a byte at each start.
  private var starts: FilePath { scratch.path("starts") }

  private func startCount() throws -> Int { try size(of: starts) }

  /// A clock that advances only while the program hangs, so that its startup time does not count.
  private var hangClock: LabelerEnvironment {
    var environment = LabelerEnvironment.quick
    let file = FilePath(starts.string + ".clock")
    environment.monotonic = { Int64((try? size(of: file)) ?? 0) * 100 }
    return environment
  }

  @Test(
    "reads the program's identity and matches answers to images in any order",
    arguments: ["plain", "reversed", "talkative", "narrates"])
  func answers(behavior: String) throws {
    let labeler = try labeler(behavior)
    let identity = try labeler.identity()
    #expect(identity.model.identity == "net@7" && identity.digest == "abc")
    for (index, outcome) in try ask(labeler, 0..<16).enumerated() {
      let prediction = try #require(try outcome?.get())
      #expect(prediction.findings[0].name == "image-\(index).png")
      #expect(prediction.findings[1].box == NormalizedRect(x: 0, y: 0.5, width: 1, height: 0.5))
      #expect(prediction.caption?.text == "this is image-\(index).png")
    }
    labeler.close()
  }

  @Test("reports a refused image with the program's message, and a score out of range")
  func refuses() throws {
    let labeler = try labeler("refuses")
    let image = try scratch.image(0)
    let error = complaint { _ = try labeler.predict(image) }
    #expect(error?.message == "it reported “it is too dark”" && error?.scope == .doubtful)
    let wild = try self.labeler("wild")
    #expect(complaint { _ = try wild.predict(image) }?.message.contains("a score of 7") == true)
  }

  @Test("passes a HEIC as a JPEG in a private temporary file, deleted after the answer")
  func heic() throws {
    let (source, made) = (scratch.path("a.jpg"), scratch.path("a.heic"))
    let bytes = [UInt8](repeating: 90, count: 3 * 64 * 48)
    let picture = PixelBuffer(width: 64, height: 48, bytes: bytes)
    try Data(#require(picture.jpegBytes(quality: 95))).write(to: URL(filePath: source.string))
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["heif-enc", source.string, "-o", made.string]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "is heif-enc installed? run `make setup`")
    let labeler = try labeler("looks")
    let prediction = try labeler.predict(
      LabelerImage(name: "a", path: made, format: .heic, width: 64, height: 48))
    #expect(prediction.findings.map(\.name) == ["jpeg ffd8ff 0o600"])
    let directory = scratch.path("tmp").string
    #expect(prediction.caption?.text.hasPrefix(directory + "/cairn-image-") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
  }

  @Test("drops a label whose box is outside the image and rejects an incomplete box")
  func boxes() throws {
    let image = try scratch.image(0)
    func names(_ box: String) throws -> [String] {
      let text =
        #"{"labels": [{"name": "a", "score": 0.9, "box": \#(box)}, {"name": "b", "score": 0.5}]}"#
      return try LabelerProtocol.prediction(try JSON(bytes: text.utf8), of: image).findings.map(
        \.name)
    }
    #expect(try names(#"{"x": 0.9, "y": 0, "width": 0.2, "height": 1}"#) == ["a", "b"])
    #expect(try names(#"{"x": 1, "y": 0, "width": 0.2, "height": 1}"#) == ["b"])
    #expect(try names(#"{"x": 0.5, "y": 0.5, "width": 0.2, "height": 0}"#) == ["b"])
    let error = complaint { _ = try names(#"{"x": 0.5, "y": 0.5}"#) }
    #expect(error == LabelerError("a box in its response is incomplete", scope: .doubtful))
  }

  @Test("gives up on a program that reads no input, even with many requests waiting")
  func doesNotRead() throws {
    let labeler = try labeler("deaf", timeout: 1, counts: true, environment: hangClock)
    let path = FilePath("/" + String(repeating: "long/", count: 600))
    let image = LabelerImage(name: "a", path: path, format: .png, width: 1, height: 1)
    var errors: [LabelerError] = []
    try PredictionPool(labeler, atOnce: 64).run(64, image: { _ in image }) {
      for case .failure(let error) in $0.map(\.outcome) { errors.append(error) }
    }
    #expect(errors.contains { $0.scope == .labeler })
    #expect(errors.allSatisfy { $0.message.hasPrefix("program.py did not respond for 1 s") })
  }

  @Test(
    "a canceled run keeps its predictions and does not wait for a program that hangs",
    arguments: [false, true])
  func canceled(whileTaking: Bool) throws {
    // Its clock stands still: it would wait forever.
    var environment = LabelerEnvironment.quick
    environment.monotonic = { 0 }
    let labeler = try labeler("hangs", counts: true, environment: environment)
    let images = try (0..<4).map { try scratch.image($0) }
    let done = Mutex(0)
    #expect(throws: CancellationError.self) {
      try PredictionPool(labeler, atOnce: 1).run(
        images.count, image: { images[$0] },
        check: { if !whileTaking, done.withLock({ $0 }) == 3 { throw CancellationError() } }
      ) { finished in
        #expect(finished.allSatisfy { (try? $0.outcome.get()) != nil })
        done.withLock { $0 += finished.count }
        if whileTaking, done.withLock({ $0 }) == 3 { throw CancellationError() }
      }
    }
    #expect(done.withLock { $0 } == 3)
    #expect(throws: LabelerError.self) { try labeler.predict(images[0]) }
  }

  @Test("restarts a program that exits and repeats its unanswered requests")
  func diesOnce() throws {
    let labeler = try labeler("dies-once", counts: true)
    for outcome in try ask(labeler, 0..<12) { #expect(try outcome?.get().findings.count == 2) }
    #expect(try startCount() == 2)
  }

  @Test("does not mix the answers of two versions when the program is restarted as another one")
  func upgrades() throws {
    let labeler = try labeler("upgrades", counts: true)
    let outcomes = try ask(labeler, 0..<8, atOnce: 1)
    for outcome in outcomes.prefix(2) { #expect(try outcome?.get().findings.count == 2) }
    let error = complaint { _ = try outcomes[2]?.get() }
    #expect(
      error
        == LabelerError(
          "its model changed from net@7 to net@8", scope: .labeler, isTransient: true))
    #expect(outcomes[3...].allSatisfy { $0 == nil })
  }

  @Test("keeps the answers that a program wrote before it exited and repeats only the others")
  func hangsUp() throws {
    let labeler = try labeler("hangs-up", counts: true)
    for outcome in try ask(labeler, 0..<12, atOnce: 4) {
      #expect(try outcome?.get().findings.count == 2)
    }
    // Two starts, and eight requests to the second program.
    #expect(try startCount() == 2 + 8)
  }

  @Test("gives up on a program that exits every time and quotes its last line of stderr")
  func dies() throws {
    let labeler = try labeler("dies", counts: true)
    let outcomes = try ask(labeler, 0..<12)
    #expect(try startCount() <= 3)
    let errors = outcomes.compactMap { outcome -> LabelerError? in
      if case .failure(let error)? = outcome { error } else { nil }
    }
    #expect(errors.contains { $0.scope == .labeler })
    #expect(errors.allSatisfy { $0.message.contains("program.py") })
    #expect(
      errors.contains { $0.message.contains("exited with status 9 (“out of memory”)") }, "\(errors)"
    )
  }

  @Test(
    "fails only the image on which the program hangs or prints JSON without an answer",
    arguments: ["hangs", "chatters"])
  func hangs(behavior: String) throws {
    let labeler = try labeler(behavior, timeout: 1, counts: true, environment: hangClock)
    let error = try failure(of: 3, in: ask(labeler, 0..<8))
    #expect(error == LabelerError("program.py did not respond for 1 s", isTransient: true))
  }

  @Test("does not time out images that wait while the program restarts")
  func startsSlowly() throws {
    // The thread that notices first that the program hangs restarts it; the others read the clock
    // only then, and the program sends no greeting until one of them has.
    var environment = hangClock
    let (clock, starts) = (environment.monotonic, starts)
    let first = Mutex<pthread_t?>(nil)
    environment.monotonic = {
      let (time, thread) = (clock(), pthread_self())
      if time < 1000 { return 0 }
      let isFirst = first.withLock { first in
        first = first ?? thread
        return first == thread
      }
      if isFirst { return time }
      if (try? size(of: starts)) == 1 {
        var milliseconds = 0
        while (try? size(of: starts)) == 1, milliseconds < 60_000 {
          usleep(1000)
          milliseconds += 1
        }
        return 0
      }
      try? Data().write(to: URL(filePath: starts.string + ".noticed"))
      return time
    }
    let labeler = try labeler("starts-slowly", timeout: 1, counts: true, environment: environment)
    let outcomes = try ask(labeler, 0..<4)
    let errors = outcomes.compactMap { outcome in complaint { _ = try outcome?.get() } }
    #expect(errors == [LabelerError("program.py did not respond for 1 s", isTransient: true)])
    #expect(try startCount() == 2)
  }

  @Test("fails only the image that the program never answers, among many others")
  func skips() throws {
    // A clock that advances by 20 ms at each reading, however busy the machine is.
    let ticks = Atomic<Int64>(0)
    var environment = LabelerEnvironment.quick
    environment.monotonic = { ticks.add(20, ordering: .relaxed).newValue }
    let labeler = try labeler("skips", timeout: 1, environment: environment)
    let error = try failure(of: 3, in: ask(labeler, 0..<64, atOnce: 2))
    #expect(
      error == LabelerError("program.py did not respond within 2 s", isTransient: true))
  }

  @Test(
    "fails only the image whose answer is invalid",
    arguments: [
      ("nan", "a score in its response is not a number"), ("stutters", "its response is not JSON"),
    ])
  func unreadable(behavior: String, fragment: String) throws {
    let labeler = try labeler(behavior, counts: true)
    let error = try failure(of: 3, in: ask(labeler, 0..<8))
    #expect(error?.message.contains(fragment) == true, "\(String(describing: error))")
    #expect(try startCount() == 1)
  }

  /// Returns the error of one image, after checking that the others were answered.
  private func failure(
    of index: Int, in outcomes: [PredictionPool.Outcome?]
  ) throws -> LabelerError? {
    for (other, outcome) in outcomes.enumerated() where other != index {
      #expect(try outcome?.get().findings.count == 2)
    }
    return complaint { _ = try outcomes[index]?.get() }
  }

  @Test(
    "reports why the handshake with a program failed",
    arguments: [
      ("mute", 1, "sent no greeting within 1 s"),
      ("stillborn", 60, "exited with status 1 (“no module named torch”) before its greeting"),
      ("stranger", 60, "uses version 2 of the protocol"), ("prattles", 60, "are not responses"),
    ])
  func noHello(behavior: String, timeout: Int, fragment: String) throws {
    let labeler = try labeler(behavior, timeout: timeout)
    let error = complaint { _ = try labeler.identity() }
    #expect(
      error?.scope == .labeler && error?.message.contains(fragment) == true,
      "\(String(describing: error))")
  }

  @Test(
    "stops a program that prints too many lines that are not answers",
    arguments: [("babbles", "tum te tum"), ("floods", #"{"id": 0, "step": 1}"#)])
  func otherLines(behavior: String, fragment: String) throws {
    let labeler = try labeler(behavior)
    let image = try scratch.image(0)
    let error = complaint { _ = try labeler.predict(image) }
    #expect(
      error?.message.contains("are not responses (“\(fragment)”)") == true,
      "\(String(describing: error))")
  }

  @Test("names a program that cannot be run")
  func missing() throws {
    let json: JSON = ["command": ["/nowhere/at/all"], "kind": "program", "name": "x"]
    let labeler = try LabelerDescription(json: json).open(environment: .quick, pixels: noPixels)
    let error = complaint { _ = try labeler.identity() }
    #expect(error?.message.contains("/nowhere/at/all cannot be run") == true)
  }
}

/// Returns the number of bytes in a file.
private func size(of file: FilePath) throws -> Int {
  try Data(contentsOf: URL(filePath: file.string)).count
}
