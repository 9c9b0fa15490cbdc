import CairnDocument
import CairnFiles
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Cairn

@Suite("Lines of labels, grouped")
struct GroupedLinesTests {
  @Test("groups lines in any order, in bounded memory and without leaving a file")
  func grouped() throws {
    let folder = TemporaryDirectory()
    let (photos, limit) = (64, 2_000)
    let ids = (0..<photos).map { number in
      // Two photos with the same first byte are neighbors.
      PhotoID(
        digest: [UInt8(number / 2 * 7), UInt8(number)] + [UInt8](repeating: 0, count: 30))
    }
    let grouped = GroupedLines(in: folder.path("tmp"), files: FileSystem(), limit: limit)
    var expected: Set<String> = []
    for round in 0..<20 {
      for number in 0..<photos {
        let photo = ids[number * 37 % photos]
        let line = #"{"class":"c\#(round)","photo":"\#(photo)"}"#
        expected.insert(line)
        try grouped.append(Array(line.utf8), of: photo)
        #expect(grouped.heldSize <= limit)
      }
    }
    #expect(try FileSystem().list(folder.path("tmp")) == [])
    var text: [UInt8] = []
    try grouped.drain { text += $0 }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    #expect(lines.count == 20 * photos)
    #expect(Set(lines) == expected)
    let bytes = lines.map { $0.suffix(66).prefix(2) }
    #expect(bytes == bytes.sorted())
    // Nothing is left.
    try grouped.drain { _ in Issue.record("a line is passed on twice") }
  }
}
