import Cairn
import CairnDocument
import Foundation
import Testing

@Suite("Pixels", .serialized)
struct PixelTests {
  private struct Record: Equatable {
    let index: Int
    let status: Int
    let isJPEG: Bool
  }

  private func records(_ bytes: [UInt8]) -> [Record] {
    var (records, rest) = ([Record](), bytes[...])
    while rest.count >= 12 {
      let head = Array(rest.prefix(12))
      let length = (0..<4).reduce(0) { $0 | Int(head[8 + $1]) << (8 * $1) }
      let image = rest.dropFirst(12).prefix(length)
      records.append(
        Record(
          index: Int(head[0]) | Int(head[1]) << 8, status: Int(head[2]),
          isJPEG: image.starts(with: [0xFF, 0xD8])))
      rest = rest.dropFirst(12 + length)
    }
    return records.sorted { $0.index < $1.index }
  }

  @Test("a batch has a record for each photo")
  func batch() async throws {
    let scene = try await ServerScene.start(photos: 7)
    let unknown = String(repeating: "0", count: 64)
    let ids = (scene.photos.map(\.description) + [unknown]).joined(separator: ",")
    let reply = try await scene.request("GET", "/api/thumbnails?ids=\(ids)")
    #expect(reply.status == 200)
    var expected = (0..<7).map { Record(index: $0, status: 0, isJPEG: true) }
    expected.append(Record(index: 7, status: 3, isJPEG: false))
    #expect(records(reply.body) == expected)
    // The colors are known now.
    let row = try await scene.get("/api/photos/\(scene.photos[0])")["photo"]
    #expect(row?["color"]?.string?.count == 6)
  }

  @Test("a batch has at most fifty photos", arguments: [0, 51])
  func limitsBatches(count: Int) async throws {
    let scene = try await ServerScene.start()
    let ids = [String](repeating: scene.photos[0].description, count: count)
      .joined(separator: ",")
    #expect(try await scene.request("GET", "/api/thumbnails?ids=\(ids)").status == 400)
  }

  @Test("reports an image that is not on this disk")
  func missingImage() async throws {
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, photos in
      let file = try dataset.imageFile(of: photos[0])
      try FileManager.default.removeItem(atPath: file.string)
      let text = photos[0].description
      let blob = ".git/lfs/objects/\(text.prefix(2))/\(text.dropFirst(2).prefix(2))/\(text)"
      for path in [blob, ".git/cairn/thumbnails"] {
        try FileManager.default.removeItem(atPath: dataset.root.pushing(.init(path)).string)
      }
    }
    let id = scene.photos[0]
    let batch = try await scene.request("GET", "/api/thumbnails?ids=\(id)")
    #expect(records(batch.body) == [Record(index: 0, status: 1, isJPEG: false)])
    let image = try await scene.request("GET", "/api/photos/\(id)/image")
    #expect(image.status == 404)
    #expect(image.json["kind"]?.string == "missing-image")
  }

  @Test("serves previews and originals")
  func images() async throws {
    let scene = try await ServerScene.start()
    let path = "/api/photos/\(scene.photos[0])"
    let preview = try await scene.request("GET", "\(path)/preview?side=640")
    #expect(preview.headers["content-type"] == "image/jpeg")
    #expect(preview.body.starts(with: [0xFF, 0xD8]))
    let image = try await scene.request("GET", "\(path)/image")
    #expect(image.headers["content-type"] == "image/png")
    #expect(image.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    let tag = try #require(image.headers["etag"])
    let again = try await scene.request(
      "GET", "\(path)/image", headers: ["If-None-Match": tag])
    #expect(again.status == 304)
    #expect(try await scene.request("GET", "\(path)/preview?side=9").status == 400)
  }
}
