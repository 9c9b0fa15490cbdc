import Cairn
import Foundation
import SystemPackage

extension Stage {
  private static let queryCount = 200
  private static let page = 100

  /// Finds the first hundred photos of many queries of each kind, with the library in this process.
  func measureFind() throws {
    let dataset = try Dataset(at: FilePath(try copy(try baseDataset(), as: "find").path))
    let (classes, pins, people) = (
      Generator.classes, generator.pins, ["alice", "bob", "carol", "dan"]
    )
    func at<Element>(_ run: Int, _ values: [Element]) -> Element {
      values[run * 7919 % values.count]
    }
    let questions: [(String, (Int) -> String)] = [
      ("label:CLASS", { "label:\(at($0, classes))" }),
      (
        "label:CLASS state:STATE",
        { "label:\(at($0, classes)) state:\(at($0, ["confirmed", "predicted", "disputed"]))" }
      ),
      ("state:STATE", { "state:\(at($0, ["confirmed", "predicted", "disputed"]))" }),
      ("by:PERSON", { "by:\(at($0, people))" }),
      ("model:NAME", { _ in "model:resnet50" }),
      ("conf:RANGE", { "conf:0.\($0 % 9)1..0.\($0 % 9)2" }),
      ("label:CLASS conf:RANGE", { "label:\(at($0, classes)) conf:<0.\($0 % 9)5" }),
      ("labeled:DAY", { "labeled:2026-01-\($0 % 18 + 10)" }),
      ("pin:PIN", { "pin:\(at($0, pins))" }),
      ("in:BOX", { "in:\($0 % 300 - 150),\($0 % 120 - 60),\($0 % 300 - 140),\($0 % 120 - 50)" }),
      (
        "label:CLASS OR label:CLASS", { "label:\(at($0, classes)) OR label:\(at($0 + 1, classes))" }
      ),
      ("label:CLASS -label:CLASS", { "label:\(at($0, classes)) -label:\(at($0 + 1, classes))" }),
      ("label:CLASS by:PERSON", { "label:\(at($0, classes)) by:\(at($0, people))" }),
      ("run:RUN", { _ in "run:\(self.generator.run.prefix(6))" }),
      ("taken:DAY", { "taken:2026-01-\($0 % 18 + 10)" }),
      ("taken:MONTH", { _ in "taken:2026-01" }),
      ("camera:NAME", { "camera:\(at($0, ["canon", "nikon", "pixel", "olympus"]))" }),
      ("WORD", { "\(100_000 + $0 * 7919 % self.generator.photos.count)" }),
      ("WORD*", { "\(at($0, ["1", "10", "100", "1000", "im"]))*" }),
      ("has:pin", { _ in "has:pin" }),
      ("has:region", { _ in "has:region" }),
      ("is:labeled", { _ in "is:labeled" }),
      ("is:unlabeled", { _ in "is:unlabeled" }),
      ("is:removed", { _ in "is:removed" }),
      ("near:PLACE", { "near:\($0 % 120 - 60),\($0 % 300 - 150),50km" }),
    ]
    for (question, text) in questions {
      do {
        // The first query updates the index.
        _ = try dataset.find(PhotoQuery(text(0)), limit: Stage.page)
        let seconds = try (1...Stage.queryCount).map { run in
          let query = try PhotoQuery(text(run))
          return try ContinuousClock().measure {
            _ = try dataset.find(query, limit: Stage.page)
          } / .seconds(1)
        }
        report.add(
          Latency(question: question, documents: documents, seconds: seconds.sorted()))
      } catch {
        report.note("find \(question) failed: \(error)", documents)
      }
    }
    try remove(place.appending(path: "find"))
  }
}
