import Foundation
import TestSupport
import Testing

@Suite("cairn export --strip-gps: formats")
struct StrippedFormatTests {
  @Test(
    "writes no position and no pin to any file", arguments: ExportFormatTests.cases.map(\.format))
  func stripped(format: String) throws {
    let scene = try FormatScene()
    let box = scene.box
    // One photo has a position of its own, the others that of the pin.
    try box.write(
      """
      {"kind":"photo","id":"\(scene.photos[0])","image":{"bytes":\(
        PNG.bytes(seed: 0, width: 40, height: 30).count),"format":"png","height":30,\
      "place":{"altitude":411.25,"latitude":57.123456,"longitude":-3.987654},"width":40}}

      """, to: "facts.jsonl")
    try box.cairn("import", "documents", "../facts.jsonl", in: "a")
    try box.cairn("photo", "edit", scene.photos[0], "--pin", "none", in: "a")
    let pin = try box.json("pin", "list", in: "a").elements[0]["id"].string
    let positions = [
      "57.5", "-3.9", "57.123456", "-3.987654", "411.25", "harbor", pin,
    ]
    func found(_ directory: String) throws -> Set<String> {
      var found: Set<String> = []
      for case let file as URL in FileManager.default.enumerator(
        at: box.url(directory), includingPropertiesForKeys: nil)!
      where (try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true {
        let bytes = try Data(contentsOf: file)
        for position in positions where bytes.range(of: Data(position.utf8)) != nil {
          found.insert(position)
        }
      }
      return found
    }
    let report = try scene.export(format, to: "stripped", "--strip-gps")
    #expect(try found("stripped") == [])
    // Without the option, the positions are exported or reported as left out.
    let open = try scene.export(format, to: "open")
    let there = try found("open")
    #expect(there.isEmpty == (open["leftOut"]["location"].number > 0), "\(there)")
    #expect(report["leftOut"]["location"].number.isNaN)
  }
}
