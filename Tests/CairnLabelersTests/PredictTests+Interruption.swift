// Predictions that are interrupted, and the log from which the next command continues.

import CairnDocument
import Foundation
import SystemPackage
import TestSupport
import Testing

extension PredictTests {
  @Test("records the silent photos of an interrupted run when the command continues")
  func silentAfterInterruption() throws {
    let scene = try Scene(photos: 3)
    try scene.addProgram("counts")
    try scene.box.cairn("predict", in: "a")
    #expect(try scene.json("run", "list").array?.first?["silent"]?.int == 0)
    // As a process leaves the log that was killed before it could record the photo.
    let file = try FileHandle(forWritingTo: scene.predictionLog)
    try file.seekToEnd()
    try file.write(contentsOf: Data("{\"empty\":0.01,\"photo\":\"\(scene.photos[1])\"}\n".utf8))
    try file.close()
    try scene.box.cairn("predict", in: "a")
    let runs = try scene.json("run", "list").array ?? []
    #expect(runs.compactMap { $0["silent"]?.int }.sorted() == [0, 1])
    try scene.box.cairn("predict", in: "a")
    #expect(try scene.json("run", "list").array?.count == 2)
  }

  @Test("loses no photo when the labeler program is killed again and again")
  func coprocessDies() throws {
    let scene = try Scene(photos: 23)
    try scene.addProgram("dies-often")
    let report = try scene.json("predict")
    #expect(report["photos"]?.int == 23, "\(report)")
    #expect(report["failed"]?.array?.isEmpty == true)
    #expect(report["model"]?.string == "net@7")
    #expect(scene.labeledCount() == 23)
  }

  @Test("continues in the same run, with all finished labels, after cairn was killed")
  func killed() throws {
    let scene = try Scene(photos: 20)
    try scene.addProgram("stalls")
    let running = try scene.box.command(scene.box.cairnProgram(), ["predict"], in: "a").start()
    // The labels of the last photo can be on disk before cairn has logged that they are complete.
    while scene.predictedCount() < 6, running.isRunning { usleep(20_000) }
    running.kill()
    _ = try running.wait()
    #expect(scene.labeledCount() == 6 && scene.predictedCount() == 6)

    try? FileManager.default.removeItem(atPath: scene.box.root.appending("state").string)
    try scene.addProgram("counts")
    let report = try scene.json("predict")
    #expect(report["photos"]?.int == 14 && report["skipped"]?.int == 6)
    // One start and fourteen requests.
    #expect(try scene.box.text("state").count == 15)
    let runs = try scene.json("run", "list").array ?? []
    #expect(runs.count == 1 && runs[0]["labels"]?.int == 60)
    try scene.box.cairn("verify", in: "a")
  }

  @Test("predicts a photo again when cairn was killed while writing its labels")
  func killedWhileWriting() throws {
    let scene = try Scene(photos: 3)
    try scene.addProgram("counts")
    try scene.box.cairn("predict", in: "a")
    let file = try FileHandle(forWritingTo: scene.predictionLog)
    try file.seekToEnd()
    try file.write(contentsOf: Data("{\"begun\":true,\"photo\":\"\(scene.photos[1])\"}\n".utf8))
    try file.close()
    let report = try scene.json("predict")
    #expect(report["photos"]?.int == 1 && report["skipped"]?.int == 2)
    #expect(try scene.json("predict")["skipped"]?.int == 3)
    try scene.box.cairn("verify", in: "a")
  }

  @Test("rewrites its log when most of it is not needed, and keeps the failed photos")
  func compacted() throws {
    let scene = try Scene(photos: 3)
    try scene.addProgram("counts")
    try scene.box.cairn("predict", scene.photos[0], in: "a")
    let file = try FileHandle(forWritingTo: scene.predictionLog)
    try file.seekToEnd()
    let lines = String(repeating: "{\"photo\":\"\(scene.photos[0])\"}\n", count: 3000)
    let failed = "{\"failed\":\"x\",\"photo\":\"\(scene.photos[2])\"}\n"
    try file.write(contentsOf: Data((lines + failed).utf8))
    try file.close()
    #expect(try scene.json("predict", scene.photos[1])["photos"]?.int == 1)
    #expect(try Data(contentsOf: scene.predictionLog).count < 1000)
    #expect(try scene.json("predict", "--retry")["photos"]?.int == 1)
    #expect(try scene.json("predict")["skipped"]?.int == 3)
  }
}
