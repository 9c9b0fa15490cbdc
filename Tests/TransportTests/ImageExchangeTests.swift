import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Image exchange", .serialized)
struct ImageExchangeTests {
  static let withLFS = RemoteKind.available.filter { $0 == .directory || Giftless.isInstalled }

  /// Creates a served dataset with two devices.
  private func served(_ kind: RemoteKind, hasLFS: Bool = true) throws -> Served {
    let served = try Served(kind, name: "team/walk.git", hasLFS: hasLFS)
    try served.web?.addHelper()
    let place = served.place
    try place.cairn("init", "a")
    try place.cairn("remote", "add", "origin", served.publicAddress, in: "a")
    try place.cairn("sync", in: "a")
    try place.cairn("clone", served.publicAddress, "b")
    return served
  }

  /// Adds a photo whose bytes depend on `seed`, and returns the path of its image.
  @discardableResult
  private func addPhoto(_ seed: UInt8, to device: String, _ place: Place) throws -> String {
    try Data(PNG.bytes(seed)).write(to: URL(filePath: place.root.appending("\(seed).png").string))
    let output = try place.cairn("photo", "add", "../\(seed).png", "--json", in: device)
    let id = try #require(output.firstMatch(of: /[0-9a-f]{64}/)).output
    return "images/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id).png"
  }

  private func bytes(_ path: String, _ place: Place) -> [UInt8]? {
    (try? Data(contentsOf: URL(filePath: place.root.pushing(FilePath(path)).string)))
      .map { Array($0) }
  }

  @Test(
    "exchanges images between two devices and a person with git and git-lfs",
    .enabled(if: Giftless.isInstalled, Giftless.missing), arguments: withLFS)
  func teammate(kind: RemoteKind) throws {
    let served = try served(kind)
    let place = served.place
    let one = try addPhoto(1, to: "a", place)
    let two = try addPhoto(2, to: "b", place)
    for device in ["a", "b", "a"] { try place.cairn("sync", in: device) }
    for (path, seed) in [(one, UInt8(1)), (two, 2)] {
      for device in ["a", "b"] { #expect(bytes("\(device)/\(path)", place) == PNG.bytes(seed)) }
    }
    #expect(
      try place.git("rev-parse", "main^{tree}", in: "a")
        == place.git("rev-parse", "main^{tree}", in: "b"))

    try place.git("lfs", "install", "--skip-repo")
    try place.git("clone", "-q", served.publicAddress, "c")
    for (path, seed) in [(one, UInt8(1)), (two, 2)] {
      #expect(bytes("c/\(path)", place) == PNG.bytes(seed))
    }
    try place.git("lfs", "fsck", in: "c")
    // A file that the teammate adds arrives here.
    try Data(PNG.bytes(3)).write(
      to: URL(filePath: place.root.pushing(FilePath("c/extra.png")).string))
    try place.git("lfs", "track", "extra.png", in: "c")
    try place.git("add", "-A", in: "c")
    try place.git("commit", "-qm", "extra", in: "c")
    try place.git("push", "-q", "origin", "main", in: "c")
    try place.cairn("sync", in: "a")
    try place.cairn("sync", in: "b")
    // It belongs to git-lfs: cairn fetches its pointer, and git-lfs its content.
    try place.git("lfs", "pull", in: "a")
    #expect(bytes("a/extra.png", place) == PNG.bytes(3))
    for device in ["a", "b"] {
      #expect(try place.git("status", "--porcelain", in: device) == "")
      try place.git("lfs", "fsck", "--pointers", in: device)
    }
  }

  @Test(
    "stores images next to the repository on a machine with only git and sshd",
    .enabled(if: SSHServer.isInstalled, SSHServer.missing))
  func sftp() throws {
    let served = try served(.ssh, hasLFS: false)
    let place = served.place
    let path = try addPhoto(1, to: "a", place)
    #expect(try place.cairn("sync", in: "a").contains("1 image"))
    #expect(try place.cairn("sync", in: "b").contains("1 image received"))
    #expect(bytes("b/\(path)", place) == PNG.bytes(1))
    let id = path.split(separator: "/").last!.prefix(64)
    let kept = "\(served.name)/lfs/objects/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"
    #expect(bytes(kept, place) == PNG.bytes(1))
  }

  @Test("finishes a transfer that was killed at any moment, and sends no image twice")
  func killed() throws {
    let served = try served(.directory)
    let place = served.place
    let server = try StrictLFSServer(place.root.appending("lfs"))
    var random = SeededGenerator(5)
    // Large images that take a while: random bytes after the end of the picture.
    for seed in 0..<40 {
      let noise = (0..<60_000).map { _ in random.next() }
      let bytes = PNG.bytes(UInt8(seed)) + noise.withUnsafeBytes { Array($0) }
      try Data(bytes).write(to: URL(filePath: place.root.appending("\(seed).png").string))
    }
    _ = try place.run("sh", ["-c", "mkdir photos && mv *.png photos"])
    try place.cairn("photo", "add", "../photos", in: "a")
    try place.cairn("commit", in: "a")
    for device in ["a", "b"] {
      try place.git("config", "remote.origin.lfsurl", server.url, in: device)
    }
    let program = try #require(Place.cairnProgram)
    for (device, verb) in [("a", "push"), ("b", "pull")] {
      for _ in 0..<5 {
        let seconds = Double.random(in: 0.05..<0.9, using: &random)
        _ = try place.run("timeout", ["-s", "KILL", "\(seconds)", program, verb], in: device)
      }
      try place.cairn(verb, in: device)
    }
    let sent = server.log("put").map { $0.split(separator: " ")[1] }
    #expect(sent.count == 40 && Set(sent).count == 40)
    #expect(try place.cairn("images", "status", in: "b").hasPrefix("40 images on this disk"))
    #expect(try place.cairn("verify", in: "b").contains("no problems"))
    #expect(try place.git("status", "--porcelain", in: "b") == "")
  }

  @Test("resumes a killed clone, and fetches no image twice")
  func killedClone() throws {
    let served = try served(.directory)
    let place = served.place
    for seed in 1...12 { try addPhoto(UInt8(seed), to: "a", place) }
    let server = try StrictLFSServer(place.root.appending("lfs"))
    try place.git("config", "--global", "remote.origin.lfsurl", server.url)
    try place.cairn("sync", in: "a")
    // The server sends three images and then only 503.
    let breaking = try StrictLFSServer(place.root.appending("lfs"), #"{"lasts": 3}"#)
    try place.git("config", "--global", "remote.origin.lfsurl", breaking.url)
    let program = try #require(Place.cairnProgram)
    let killed = try place.run(
      "sh",
      ["-c", "echo $$ >pid; exec \"$@\"", "sh", program, "clone", served.publicAddress, "late"]
    ) {
      wait { imageCount("late", place) == 3 }
      if let text = try? place.read("pid"), let process = Int32(text.dropLast()) {
        kill(process, SIGKILL)
      }
    }
    #expect(killed.status != 0)
    #expect(server.log("get").count == 3)

    try place.git("config", "--global", "remote.origin.lfsurl", server.url)
    let elsewhere = try place.cairn(["clone", "b", "late"])
    #expect(elsewhere.status == 73, "\(elsewhere.all)")
    try place.cairn("clone", served.publicAddress, "late")
    #expect(server.log("get").count == 12)
    #expect(try place.cairn("verify", in: "late").contains("no problems"))
    #expect(try place.git("status", "--porcelain", in: "late") == "")
    let again = try place.cairn(["clone", served.publicAddress, "late"])
    #expect(again.status == 73 && again.errors.contains("not empty"), "\(again.all)")
  }

  /// Returns the number of complete images in a dataset.
  private func imageCount(_ dataset: String, _ place: Place) -> Int {
    let objects = place.root.appending("\(dataset)/.git/lfs/objects").string
    let files = FileManager.default.enumerator(atPath: objects)
    return files?.count { ($0 as? String)?.split(separator: "/").last?.count == 64 } ?? 0
  }

  @Test("drops no image unless another copy has it intact")
  func dropsNothing() throws {
    let served = try served(.directory)
    let place = served.place
    let path = try addPhoto(1, to: "a", place)
    try place.cairn("sync", in: "a")
    try place.git("config", "remote.origin.lfsurl", "\(place.root)/a", in: "a")
    let output = try place.cairn(["images", "drop", "--all"], in: "a")
    #expect(output.status == 65 && output.errors.contains("nothing was dropped"), "\(output.all)")
    // Nor an image of which the remote has a damaged copy.
    try place.git("config", "--unset", "remote.origin.lfsurl", in: "a")
    let id = path.split(separator: "/").last!.prefix(64)
    let kept = "\(served.name)/lfs/objects/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"
    let size = PNG.bytes(1).count
    _ = try place.run("sh", ["-c", "chmod u+w \(kept) && head -c \(size) /dev/zero > \(kept)"])
    #expect(try place.cairn("images", "drop", "--all", in: "a").contains("1 image kept"))
    #expect(bytes("a/\(path)", place) == PNG.bytes(1))
  }

  @Test("refuses to push a branch whose images are neither here nor at the remote")
  func secondRemote() throws {
    let served = try served(.directory)
    let place = served.place
    try addPhoto(1, to: "a", place)
    try place.cairn("sync", in: "a")
    try place.cairn("clone", served.publicAddress, "lazy", "--no-images")
    try place.cairn("remote", "add", "usb", "../usb.git", "--create", in: "lazy")
    let output = try place.cairn(["push", "usb"], in: "lazy")
    #expect(
      output.status == 66 && output.errors.contains("neither on this disk nor"), "\(output.all)")
    // `--images` of sync limits only the images that are fetched.
    try addPhoto(2, to: "lazy", place)
    try place.cairn("sync", "--images", "none", in: "lazy")
    #expect(try place.cairn("sync", in: "b").contains("2 images received"))
    try place.cairn("images", "fetch", in: "lazy")
    #expect(try place.cairn("push", "usb", in: "lazy").contains("2 images"))
  }

  @Test("pushes files that are tracked with git-lfs")
  func foreignFiles() throws {
    let served = try served(.directory)
    let place = served.place
    try place.git("lfs", "install", "--skip-repo")
    try place.write("a film", to: "a/walk.mov")
    try place.git("lfs", "track", "*.mov", in: "a")
    try place.git("add", "-A", in: "a")
    try place.git("commit", "-qm", "film", in: "a")
    try place.cairn("sync", in: "a")
    try place.git("clone", "-q", served.publicAddress, "c")
    #expect(try place.read("c/walk.mov") == "a film")
  }

  @Test(
    "pushes nothing to a remote without an image store unless told to",
    arguments: [RemoteKind.https])
  func noServer(kind: RemoteKind) throws {
    guard RemoteKind.available.contains(kind) else { return }
    let served = try served(kind, hasLFS: false)
    let place = served.place
    try addPhoto(1, to: "a", place)
    let before = try place.git("rev-parse", "main", in: served.name)
    let refused = try place.cairn(["sync"], in: "a")
    #expect(refused.status == 69)
    #expect(refused.errors.contains("does not accept images"), "\(refused.errors)")
    #expect(refused.errors.contains("cairn remote images"))
    #expect(try place.git("rev-parse", "main", in: served.name) == before)
    #expect(try place.cairn("push", "--no-images", in: "a").contains("1 image not pushed"))
    #expect(try place.cairn("pull", in: "b").contains("1 photo"))
    #expect(try place.git("status", "--porcelain", in: "b") == "")

    // With a shared directory as the image store, the image arrives.
    _ = try place.run("mkdir", ["shelf"])
    let shelf = place.root.appending("shelf").string
    try place.cairn("remote", "images", "origin", shelf, in: "a")
    #expect(try place.cairn("images", "push", in: "a").contains("1 image uploaded"))
    try place.cairn("sync", in: "a")
    #expect(try place.cairn("pull", in: "b").contains("1 image received"))
    #expect(try place.cairn("remote", "images", "origin", in: "b").contains(shelf))
  }

  @Test("fetches and drops images on request in a copy made without images")
  func lazily() throws {
    let served = try served(.directory)
    let place = served.place
    let path = try addPhoto(1, to: "a", place)
    let other = try addPhoto(2, to: "a", place)
    try place.cairn("sync", in: "a")
    try place.cairn("clone", served.publicAddress, "lazy", "--no-images")
    try place.cairn("pull", in: "lazy")
    #expect(try place.read("lazy/\(path)").hasPrefix("version https://git-lfs"))
    #expect(try place.cairn("images", "status", in: "lazy").contains("2 elsewhere"))

    let id = String(path.split(separator: "/").last!.prefix(64))
    try place.cairn("images", "fetch", id, in: "lazy")
    #expect(bytes("lazy/\(path)", place) == PNG.bytes(1))
    #expect(try place.read("lazy/\(other)").hasPrefix("version https://git-lfs"))
    try place.cairn("pull", "--images", "all", in: "lazy")
    #expect(bytes("lazy/\(other)", place) == PNG.bytes(2))
    #expect(try place.git("status", "--porcelain", in: "lazy") == "")

    // An image that only this copy has is not dropped.
    let mine = try addPhoto(3, to: "lazy", place)
    try place.cairn("commit", in: "lazy")
    let output = try place.cairn("images", "drop", "--all", in: "lazy")
    #expect(output.contains("2 images dropped") && output.contains("1 image kept"))
    #expect(bytes("lazy/\(mine)", place) == PNG.bytes(3))
    #expect(try place.read("lazy/\(path)").hasPrefix("version https://git-lfs"))
    #expect(try place.git("status", "--porcelain", in: "lazy") == "")
    try place.git("lfs", "fsck", "--pointers", in: "lazy")

    // In a copy that fetches images, a dropped image also stays away until it is requested.
    try place.cairn("images", "drop", "--all", in: "b")
    try place.cairn("sync", in: "b")
    try place.cairn("images", "drop", "--all", in: "b")
    try place.cairn("pull", in: "b")
    #expect(try place.read("b/\(path)").hasPrefix("version https://git-lfs"))
    try place.cairn("images", "fetch", in: "b")
    #expect(bytes("b/\(path)", place) == PNG.bytes(1))
    #expect(try place.git("status", "--porcelain", in: "b") == "")
  }
}
