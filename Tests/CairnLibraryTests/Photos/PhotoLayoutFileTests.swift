import CairnDocument
import TestSupport
import Testing

@testable import Cairn

@Suite("File of the positions of photos")
struct PhotoLayoutFileTests {
  private let photos = (0..<3).map { PhotoID(digest: [UInt8](repeating: $0, count: 32)) }

  private var layout: PhotoLayout {
    PhotoLayout(photos, [(x: 0, y: 1), (x: 0.5, y: 0.25), (x: 1, y: 0)])
  }

  @Test("reads back the positions, whatever the order of the photos")
  func positions() throws {
    let bytes = PhotoLayoutFile.bytes(layout)
    let read = try #require(PhotoLayoutFile.layout(bytes))
    #expect(read.positions.count == 3)
    #expect(read.positions[photos[1]].map { [$0.x, $0.y] } == [0.5, 0.25])
    let reversed = PhotoLayout(photos.reversed(), [(x: 1, y: 0), (x: 0.5, y: 0.25), (x: 0, y: 1)])
    #expect(PhotoLayoutFile.bytes(reversed) == bytes)
    #expect(
      PhotoLayoutFile.layout(PhotoLayoutFile.bytes(PhotoLayout([], [])))?.positions.count == 0)
  }

  @Test("reads nothing from a file that was cut off or changed")
  func damaged() {
    let bytes = PhotoLayoutFile.bytes(layout)
    for count in [0, 4, 7, 8, bytes.count - 40, bytes.count - 1] {
      #expect(PhotoLayoutFile.layout(Array(bytes.prefix(count))) == nil, "\(count)")
    }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(PhotoLayoutFile.layout(changed) == nil, "\(index)")
    }
  }
}
