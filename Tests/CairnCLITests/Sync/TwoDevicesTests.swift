import Foundation
import TestSupport
import Testing

@Suite("cairn sync: between two and three devices")
struct TwoDevicesTests {
  @Test("makes a dataset and two edited clones equal after two syncs")
  func clonesByPath() throws {
    // A photographer comes home with a folder that contains two broken files.
    let box = try Sandbox()
    try box.makeImages(0..<4, in: "trip")
    try box.write(PNG.bytes(seed: 9).dropLast(20), to: "trip/broken.png")
    try box.write("Dear diary", to: "trip/diary.jpg")
    try box.cairn("init", "a")
    let add = try box.run("cairn", ["photo", "add", "../trip", "--json"], in: "a")
    #expect(add.status == ExitStatus.badData)
    let added = try add.json().elements
    #expect(added.count { $0["status"].string == "added" } == 4)
    let failed = added.filter { $0["status"].string == "failed" }
    #expect(failed.allSatisfy { !$0["note"].string.isEmpty })
    #expect(
      failed.map { URL(filePath: $0["file"].string).lastPathComponent }
        == ["broken.png", "diary.jpg"])
    let photos = added.filter { $0["status"].string == "added" }.map { $0["id"].string }
    try box.cairn("label", photos[0], "hemlock", in: "a")
    try box.cairn("commit", "-m", "The trip", in: "a")

    // A --> B and A --> C, where other people label the same photos.
    try box.cairn("clone", "a", "b")
    try box.cairn("clone", "a", "c")
    try box.setIdentity("Bob", in: "b")
    try box.setIdentity("Cy", in: "c")
    try box.cairn("label", photos[0], "oak", in: "b")
    try box.cairn("label", photos[1], "elm", "ash", in: "b")
    try box.cairn("label", photos[0], "hemlock", "--absent", in: "c")
    try box.cairn("label", photos[1], "elm", in: "c")
    let more = try box.addPhotos(20..<22, to: "c")
    try box.cairn("label", more[0], "yew", in: "c")

    // B <--> A <--> C, twice.
    for device in ["b", "c", "b", "c"] { try box.cairn("sync", in: device) }

    try box.expectEqual("a", "b", "c")
    for device in ["a", "b", "c"] {
      #expect(
        try box.labels(of: photos[0], in: device)
          == ["ann: hemlock present", "bob: oak present", "cy: hemlock absent"])
      #expect(
        try box.labels(of: photos[1], in: device)
          == ["bob: ash present", "bob: elm present", "cy: elm present"])
      #expect(try box.labels(of: more[0], in: device) == ["cy: yew present"])
      #expect(try box.listed(in: device) == Set(photos + more))
      for (seed, id) in zip([20, 21], more) {
        #expect(try box.read("\(device)/\(Sandbox.imagePath(id))") == PNG.bytes(seed: seed))
      }
      try box.expectClean(device)
      try box.expectSound(device)
    }
  }

  @Test("keeps both edits when two devices edit different fields of one pin")
  func onePinEditedTwice() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    let pin = try box.json("pin", "add", "48.85", "2.29", "--name", "Tower", in: "a")["id"].string
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")

    // A moves it while B renames it.
    try box.cairn("pin", "move", pin, "48.86", "2.3", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("pin", "rename", pin, "Eiffel Tower", in: "b")
    let sync = try box.json("sync", in: "b")
    #expect(sync["pulls"].elements.first?["merged"].elements.count == 1)

    for device in ["a", "b"] {
      let shown = try box.json("pin", "show", pin, in: device)["pin"]
      #expect(shown["name"].string == "Eiffel Tower")
      #expect(shown["latitude"].number == 48.86)
      #expect(shown["longitude"].number == 2.3)
      try box.expectClean(device)
    }
    try box.expectEqual("a", "b")
  }

  @Test("merges a push with uncommitted labels in the dataset that receives it")
  func pushIntoUncommittedWork() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.setIdentity("Bob", in: "b")

    // A labels and does not commit; B --> A.
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("label", photo, "elm", in: "b")
    try box.cairn("sync", in: "b")
    #expect(try box.labels(of: photo, in: "a") == ["ann: oak present", "bob: elm present"])

    // A --> B, once A has committed.
    try box.cairn("commit", in: "a")
    try box.cairn("sync", in: "b")
    #expect(try box.labels(of: photo, in: "b") == ["ann: oak present", "bob: elm present"])
    try box.expectEqual("a", "b")
    try box.expectClean("a")
    try box.expectClean("b")
  }

  @Test("labels and syncs in a clone without images, and adds the images later")
  func withoutImages() throws {
    let box = try Sandbox(lfs: false)
    let photos = try box.startDataset(photos: 2)
    try box.cairn("commit", in: "a")
    let clone = try box.json("clone", "a", "b", "--no-images")
    #expect(clone["imagesMissing"].number == 2)
    try box.expectClean("b")

    try box.cairn("label", photos[0], "oak", in: "b")
    try box.cairn("sync", "--no-images", in: "b")
    #expect(try box.labels(of: photos[0], in: "a") == ["ann: oak present"])

    let folder = box.url("from/a-0").path
    let known = try box.json("photo", "add", folder, in: "b")
    #expect(known.strings("status") == ["known", "known"])
    #expect(try box.read("b/\(Sandbox.imagePath(photos[1]))") == PNG.bytes(seed: 1))
    try box.expectClean("b")
  }

  @Test("gives a copied directory a new replica id at its next edit", arguments: ["-a", "-al"])
  func copiedDirectory(option: String) throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("commit", in: "a")

    // A --> cp --> B; then both are edited.
    try box.sh("cp \(option) a b")
    try box.cairn("label", photo, "elm", in: "b")
    try box.cairn("label", photo, "ash", in: "a")
    try box.sh("mv a moved")
    try box.cairn("label", photo, "yew", in: "moved")

    func replicas(_ dataset: String) throws -> [String: String] {
      Dictionary(
        uniqueKeysWithValues: try box.json("show", photo, in: dataset)["labels"].elements.map {
          ($0["class"].string, String($0["stamp"].string.suffix(8)))
        })
    }
    let (inB, inMoved) = (try replicas("b"), try replicas("moved"))
    #expect(inB["oak"] != inB["elm"])
    #expect(inMoved["ash"] != inB["elm"])
    if option == "-a" {
      #expect(inMoved["oak"] == inMoved["ash"], "the original keeps its replica id")
      #expect(inMoved["ash"] == inMoved["yew"], "a moved directory keeps its replica id")
    }
  }
}
