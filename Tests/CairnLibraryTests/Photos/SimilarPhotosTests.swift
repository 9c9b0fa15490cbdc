import Cairn
import CairnPhotos
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Near-duplicates and thumbnails")
struct SimilarPhotosTests {
  /// A dataset of five photos: three versions of one photo and two others.
  struct Scene {
    let folder: TemporaryDirectory
    let dataset: Dataset
    /// A photo, the same smaller, the same with lower quality, and two others.
    let ids: [PhotoID]

    init() throws {
      _ = TestIdentity.inUse
      let folder = TemporaryDirectory()
      self.folder = folder
      dataset = try Dataset.create(at: folder.path("data"))
      let photo = Picture(seed: 1, width: 300, height: 200)
      let files = [
        photo.jpeg(quality: 95), photo.resized(width: 160, height: 107).jpeg(quality: 90),
        photo.jpeg(quality: 40), Picture(seed: 2, width: 300, height: 200).jpeg(quality: 90),
        Picture(seed: 3, width: 200, height: 300).jpeg(quality: 90),
      ]
      let paths = try files.enumerated().map { try folder.write($1, to: "in/\($0).jpg") }
      let added = try dataset.addPhotos(paths)
      ids = added.compactMap(\.id)
    }
  }

  @Test("finds the photos similar to one, and all groups of near-duplicates")
  func found() throws {
    let scene = try Scene()
    let similar = try scene.dataset.similarPhotos(to: scene.ids[0], within: 8)
    #expect(Set(similar.map(\.id)) == [scene.ids[1], scene.ids[2]])
    #expect(similar.map(\.distance) == similar.map(\.distance).sorted())
    #expect(
      try scene.dataset.nearDuplicates(within: 8) == [Array(scene.ids.prefix(3)).sorted()])
    #expect(try scene.dataset.similarPhotos(to: scene.ids[3], within: 8).isEmpty)
    #expect(try scene.dataset.similarPhotos(to: scene.ids[3], within: 64).count == 4)
  }

  @Test("does not find removed photos, but finds photos similar to one")
  func removed() throws {
    let scene = try Scene()
    _ = try scene.dataset.setPhotosRemoved([scene.ids[1]], true)
    #expect(
      try scene.dataset.similarPhotos(to: scene.ids[0], within: 8).map(\.id) == [scene.ids[2]])
    #expect(try scene.dataset.similarPhotos(to: scene.ids[1], within: 8).count == 2)
  }

  @Test("rebuilds the file of perceptual hashes after it was deleted or damaged")
  func derived() throws {
    let scene = try Scene()
    let expected = try scene.dataset.nearDuplicates(within: 8)
    let file = scene.folder.url("data/.git/cairn/perceptual-hashes")
    let sound = try Data(contentsOf: file)
    #expect(sound.count == 48 * 5)
    var flipped = sound
    flipped[100] ^= 1
    for damaged in [Data(), sound.dropLast(7), sound.dropFirst(5), flipped, sound + sound] {
      try damaged.write(to: file)
      let dataset = try Dataset(at: scene.folder.path("data"))
      #expect(try dataset.nearDuplicates(within: 8) == expected)
      #expect(try dataset.nearDuplicates(within: 8) == expected)
    }
    try FileManager.default.removeItem(at: file)
    #expect(try Dataset(at: scene.folder.path("data")).nearDuplicates(within: 8) == expected)
  }

  @Test("caches a thumbnail and makes it again after it was deleted")
  func thumbnails() throws {
    let scene = try Scene()
    let bytes = try scene.dataset.thumbnail(of: scene.ids[4])
    let pixels = try Picture(decoding: bytes)
    #expect((pixels.width, pixels.height) == (200, 300))
    let folder = scene.folder.url("data/.git/cairn/thumbnails")
    let id = scene.ids[4].description
    let kept = folder.appending(path: "\(id.prefix(2))/\(id).jpg")
    #expect(try [UInt8](Data(contentsOf: kept)) == bytes)
    try FileManager.default.removeItem(at: folder)
    #expect(try scene.dataset.thumbnail(of: scene.ids[4]) == bytes)
  }

  @Test("reports a photo whose image is missing")
  func missing() throws {
    let scene = try Scene()
    let id = scene.ids[0].description
    try FileManager.default.removeItem(
      at: scene.folder.url(
        "data/.git/lfs/objects/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"))
    let error = #expect(throws: CairnError.self) {
      try scene.dataset.similarPhotos(to: scene.ids[0], within: 8)
    }
    #expect(error?.kind == .missingImage)
    #expect(try scene.dataset.nearDuplicates(within: 8).isEmpty == false)
  }
}
