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

  @Test("keeps no memory of the groups that it moved to its file")
  func memory() throws {
    let folder = TemporaryDirectory()
    let (limit, size) = (1 << 20, 64 << 10)
    let grouped = GroupedLines(in: folder.path("tmp"), files: FileSystem(), limit: limit)
    let line = Array(#"{"a":"\#(String(repeating: "x", count: size))"}"#.utf8)
    for byte in 0..<UInt8(64) {
      let photo = PhotoID(digest: [byte] + [UInt8](repeating: 0, count: 31))
      for _ in 0..<16 { try grouped.append(line, of: photo) }
      #expect(grouped.capacity <= 3 * (limit + size))
    }
  }
}
