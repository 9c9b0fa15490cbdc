import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Image exchange", .serialized)
struct ImageExchangeTests {
  static let withLFS = RemoteKind.available.filter { $0 == .directory || Giftless.isInstalled }

  /// Creates a served dataset with two devices.
  func served(_ kind: RemoteKind, hasLFS: Bool = true) throws -> Served {
    let served = try Served(kind, name: "team/walk.git", hasLFS: hasLFS)
    try served.addDevices()
    return served
  }

  /// Adds a photo whose bytes depend on `seed`, and returns the path of its image.
  @discardableResult
  func addPhoto(_ seed: UInt8, to device: String, _ box: Sandbox) throws -> String {
    try Data(PNG.bytes(seed)).write(to: URL(filePath: box.root.appending("\(seed).png").string))
    let output = try box.cairn("photo", "add", "../\(seed).png", "--json", in: device).stdout
    let id = try #require(output.firstMatch(of: /[0-9a-f]{64}/)).output
    return "images/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id).png"
  }

  /// Commits and pushes `extra.png`, which git-lfs tracks and no photo refers to.
  private func pushExtraImage(
    in clone: String, _ box: Sandbox, environment: [String: String] = [:]
  ) throws {
    try Data(PNG.bytes(3)).write(
      to: URL(filePath: box.root.pushing(FilePath("\(clone)/extra.png")).string))
    try box.git("lfs", "track", "extra.png", in: clone)
    try box.git("add", "-A", in: clone)
    try box.git("commit", "-qm", "extra", in: clone)
    try box.git("push", "-q", "origin", "main", in: clone, environment: environment)
  }

  func bytes(_ path: String, _ box: Sandbox) -> [UInt8]? {
    (try? Data(contentsOf: URL(filePath: box.root.pushing(FilePath(path)).string)))
      .map { Array($0) }
  }

  @Test(
    "exchanges images between two devices and a person with git and git-lfs",
    .enabled(if: Giftless.isInstalled, Giftless.missing), arguments: withLFS)
  func teammate(kind: RemoteKind) throws {
    let served = try served(kind)
    let box = served.box
    let one = try addPhoto(1, to: "a", box)
    let two = try addPhoto(2, to: "b", box)
    for device in ["a", "b", "a"] { try box.cairn("sync", in: device) }
    for (path, seed) in [(one, UInt8(1)), (two, 2)] {
      for device in ["a", "b"] { #expect(bytes("\(device)/\(path)", box) == PNG.bytes(seed)) }
    }
    #expect(
      try box.git("rev-parse", "main^{tree}", in: "a").word
        == box.git("rev-parse", "main^{tree}", in: "b").word)

    try box.git("lfs", "install", "--skip-repo")
    try box.git("clone", "-q", served.publicAddress, "c")
    for (path, seed) in [(one, UInt8(1)), (two, 2)] {
      #expect(bytes("c/\(path)", box) == PNG.bytes(seed))
    }
    try box.git("lfs", "fsck", in: "c")
    // A file that the teammate adds arrives here.
    try pushExtraImage(in: "c", box)
    try box.cairn("sync", in: "a")
    try box.cairn("sync", in: "b")
    // It belongs to git-lfs: cairn fetches its pointer, and git-lfs its content.
    try box.git("lfs", "pull", in: "a")
    #expect(bytes("a/extra.png", box) == PNG.bytes(3))
    for device in ["a", "b"] {
      #expect(try box.git("status", "--porcelain", in: device).stdout == "")
      try box.git("lfs", "fsck", "--pointers", in: device)
    }
  }

  @Test(
    "stores images next to the repository on a machine with only git and sshd",
    .enabled(if: SSHServer.isInstalled, SSHServer.missing))
  func sftp() throws {
    let served = try served(.ssh, hasLFS: false)
    let box = served.box
    let path = try addPhoto(1, to: "a", box)
    #expect(try box.cairn("sync", in: "a").stdout.contains("1 image"))
    #expect(try box.cairn("sync", in: "b").stdout.contains("1 image received"))
    #expect(bytes("b/\(path)", box) == PNG.bytes(1))
    let id = path.split(separator: "/").last!.prefix(64)
    let kept = "\(served.name)/lfs/objects/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"
    #expect(bytes(kept, box) == PNG.bytes(1))
  }

  @Test(
    "exchanges images with git-lfs over ssh alone, with git-lfs-transfer",
    .enabled(if: SSHServer.isInstalled, SSHServer.missing))
  func pureSSH() throws {
    let served = try served(.ssh, hasLFS: false)
    let box = served.box
    try LFSTransfer.install(in: box)
    try box.git("lfs", "install", "--skip-repo")
    // Otherwise git-lfs 3.3 waits for seconds.
    try box.git("config", "--global", "lfs.ssh.autoMultiplex", "false")
    try box.git("config", "--global", "lfs.concurrentTransfers", "2")
    // The same files over sftp, which cairn prefers where there is a shell.
    let one = try addPhoto(1, to: "a", box)
    try box.cairn("sync", in: "a")
    #expect(LFSTransfer.count("put-object", in: box) == 0)
    try box.git("clone", "-q", served.publicAddress, "c")
    #expect(bytes("c/\(one)", box) == PNG.bytes(1))
    #expect(LFSTransfer.count("get-object", in: box) == 1)

    try box.git("config", "--global", "lfs.sshTransfer", "always")
    let two = try addPhoto(2, to: "a", box)
    #expect(try box.cairn("sync", in: "a").stdout.contains("1 image"))
    #expect(LFSTransfer.count("put-object", in: box) == 1)
    #expect(try box.cairn("sync", in: "b").stdout.contains("2 images received"))
    #expect(LFSTransfer.count("get-object", in: box) == 3)
    #expect(bytes("b/\(one)", box) == PNG.bytes(1) && bytes("b/\(two)", box) == PNG.bytes(2))
    try box.git("pull", "-q", in: "c")
    #expect(bytes("c/\(two)", box) == PNG.bytes(2))
    try Data(PNG.bytes(3)).write(
      to: URL(filePath: box.root.pushing(FilePath("c/extra.png")).string))
    try box.git("lfs", "track", "extra.png", in: "c")
    try box.git("add", "-A", in: "c")
    try box.git("commit", "-qm", "extra", in: "c")
    try box.git("push", "-q", "origin", "main", in: "c")
    #expect(LFSTransfer.count("put-object", in: box) == 2)
    try box.cairn("sync", in: "a")
    try box.cairn("verify", "--with", "origin", "--content", in: "a")
  }

  @Test(
    "lets git-lfs fetch and push images over sftp with cairn as its transfer agent",
    .enabled(if: SSHServer.isInstalled, SSHServer.missing))
  func transferAgent() throws {
    let served = try served(.ssh, hasLFS: false)
    let box = served.box
    let one = try addPhoto(1, to: "a", box)
    try box.cairn("sync", in: "a")
    let path = try exchangeWithAgent(one, served)

    // An image that the remote lacks is named.
    let id = one.split(separator: "/").last!.prefix(64)
    let kept = "\(served.name)/lfs/objects/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"
    _ = try box.run("rm", ["-f", kept])
    _ = try box.run("sh", ["-c", "rm -r d/.git/lfs/objects"])
    let pull = try box.run("git", ["lfs", "fetch"], in: "d", environment: path)
    #expect(pull.status != 0 && pull.all.contains("neither on this disk nor"), "\(pull.all)")
  }

  @Test("lets git-lfs fetch and push images in a bucket with cairn as its transfer agent")
  func transferAgentOfBucket() throws {
    let account = [
      "bucket": "walk", "region": "eu-west-1", "keyID": "AKIA", "secret": "secret",
    ]
    let bucket = try PythonServer(
      "CairnImagesTests/Programs/strict_s3.py",
      [String(decoding: JSONEncoder().encode(account), as: UTF8.self)])
    let keys = ["AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "secret"]
    let served = try served(.directory)
    let box = served.box
    let one = try addPhoto(1, to: "a", box)
    let url = "s3://walk/x?region=eu-west-1&endpoint=http://127.0.0.1:\(bucket.port)"
    for arguments in [["remote", "images", "origin", url], ["sync"]] {
      try box.succeed(box.cairnProgram(), arguments, in: "a", environment: keys)
    }
    try exchangeWithAgent(one, served, keys)
    // Each image was sent once.
    let log = try bucket.ask(#"{"do": "log"}"#)
    #expect(log.matches(of: /"method": "PUT"/).count == 2, "\(log)")
  }

  /// Checks that somebody with git-lfs, and cairn as its transfer agent, fetches image 1 into a new
  /// clone `c`, pushes another image, and fetches both into a clone `d` whose checkout had failed.
  ///
  /// - Returns: The environment variables for git-lfs.
  @discardableResult
  private func exchangeWithAgent(
    _ one: String, _ served: Served, _ keys: [String: String] = [:]
  ) throws -> [String: String] {
    let box = served.box
    try box.git("lfs", "install", "--skip-repo")
    let cairn = try #require(Programs.cairn)
    var environment = keys
    environment["PATH"] = "\(cairn.deletingLastPathComponent().path):\(Programs.searchPath)"
    let command = try box.cairn("lfs-agent", "--clone", served.publicAddress).stdout
    let clone = try box.run(
      "sh", ["-c", command.trimmingCharacters(in: .newlines) + " c"], environment: environment)
    #expect(clone.status == 0, "\(clone.all)")
    #expect(bytes("c/\(one)", box) == PNG.bytes(1))
    try box.git("lfs", "fsck", in: "c")

    try pushExtraImage(in: "c", box, environment: environment)
    _ = try box.run("git", ["clone", "-q", served.publicAddress, "d"])
    try box.cairn("lfs-agent", "--install", in: "d")
    let agent = try box.git("config", "lfs.customtransfer.cairn.path", in: "d").word
    #expect(agent == "cairn" || agent == cairn.resolvingSymlinksInPath().path)
    try box.git("lfs", "pull", in: "d", environment: environment)
    try box.git("reset", "-q", "--hard", in: "d", environment: environment)
    #expect(bytes("d/\(one)", box) == PNG.bytes(1) && bytes("d/extra.png", box) == PNG.bytes(3))
    return environment
  }

  @Test("finishes a transfer that was killed at any moment, and sends no image twice")
  func killed() throws {
    let served = try served(.directory)
    let box = served.box
    let server = try StrictLFSServer(box.root.appending("lfs"))
    var random = SeededGenerator(5)
    // Large images that take a while: random bytes after the end of the picture.
    for seed in 0..<40 {
      let noise = (0..<60_000).map { _ in random.next() }
      let bytes = PNG.bytes(UInt8(seed)) + noise.withUnsafeBytes { Array($0) }
      try Data(bytes).write(to: URL(filePath: box.root.appending("\(seed).png").string))
    }
    _ = try box.run("sh", ["-c", "mkdir photos && mv *.png photos"])
    try box.cairn("photo", "add", "../photos", in: "a")
    try box.cairn("commit", in: "a")
    for device in ["a", "b"] {
      try box.git("config", "remote.origin.lfsurl", server.url, in: device)
    }
    let program = try box.cairnProgram()
    for (device, verb) in [("a", "push"), ("b", "pull")] {
      for _ in 0..<5 {
        let seconds = Double.random(in: 0.05..<0.9, using: &random)
        _ = try box.run("timeout", ["-s", "KILL", "\(seconds)", program, verb], in: device)
      }
      try box.cairn(verb, in: device)
    }
    let sent = server.log("put").map { $0.split(separator: " ")[1] }
    #expect(sent.count == 40 && Set(sent).count == 40)
    #expect(try box.cairn("images", "status", in: "b").stdout.hasPrefix("40 images on this disk"))
    #expect(try box.cairn("verify", in: "b").stdout.contains("no problems"))
    #expect(try box.git("status", "--porcelain", in: "b").stdout == "")
  }

  @Test("resumes a killed clone, and fetches no image twice")
  func killedClone() throws {
    let served = try served(.directory)
    let box = served.box
    for seed in 1...12 { try addPhoto(UInt8(seed), to: "a", box) }
    let server = try StrictLFSServer(box.root.appending("lfs"))
    try box.git("config", "--global", "remote.origin.lfsurl", server.url)
    try box.cairn("sync", in: "a")
    // The server sends three images and then only 503.
    let breaking = try StrictLFSServer(box.root.appending("lfs"), #"{"lasts": 3}"#)
    try box.git("config", "--global", "remote.origin.lfsurl", breaking.url)
    let program = try box.cairnProgram()
    let running = try box.command(program, ["clone", served.publicAddress, "late"]).start()
    wait { imageCount("late", box) == 3 }
    running.kill()
    #expect(try running.wait().status != 0)
    #expect(server.log("get").count == 3)

    try box.git("config", "--global", "remote.origin.lfsurl", server.url)
    let elsewhere = try box.runCairn(["clone", "b", "late"])
    #expect(elsewhere.status == 73, "\(elsewhere.all)")
    try box.cairn("clone", served.publicAddress, "late")
    #expect(server.log("get").count == 12)
    #expect(try box.cairn("verify", in: "late").stdout.contains("no problems"))
    #expect(try box.git("status", "--porcelain", in: "late").stdout == "")
    let again = try box.runCairn(["clone", served.publicAddress, "late"])
    #expect(again.status == 73 && again.stderr.contains("not empty"), "\(again.all)")
  }

  /// Returns the number of complete images in a dataset.
  private func imageCount(_ dataset: String, _ box: Sandbox) -> Int {
    let objects = box.root.appending("\(dataset)/.git/lfs/objects").string
    let files = FileManager.default.enumerator(atPath: objects)
    return files?.count { ($0 as? String)?.split(separator: "/").last?.count == 64 } ?? 0
  }

  @Test("refuses to push a branch whose images are neither here nor at the remote")
  func secondRemote() throws {
    let served = try served(.directory)
    let box = served.box
    try addPhoto(1, to: "a", box)
    try box.cairn("sync", in: "a")
    try box.cairn("clone", served.publicAddress, "lazy", "--no-images")
    try box.cairn("remote", "add", "usb", "../usb.git", "--create", in: "lazy")
    let output = try box.runCairn(["push", "usb"], in: "lazy")
    #expect(
      output.status == 66 && output.stderr.contains("neither on this disk nor"), "\(output.all)")
    // `--images` of sync limits only the images that are fetched.
    try addPhoto(2, to: "lazy", box)
    try box.cairn("sync", "--images", "none", in: "lazy")
    #expect(try box.cairn("sync", in: "b").stdout.contains("2 images received"))
    try box.cairn("images", "fetch", in: "lazy")
    #expect(try box.cairn("push", "usb", in: "lazy").stdout.contains("2 images"))
  }

  @Test("pushes files that are tracked with git-lfs")
  func otherFiles() throws {
    let served = try served(.directory)
    let box = served.box
    try box.git("lfs", "install", "--skip-repo")
    try box.write("a film", to: "a/walk.mov")
    try box.git("lfs", "track", "*.mov", in: "a")
    try box.git("add", "-A", in: "a")
    try box.git("commit", "-qm", "film", in: "a")
    try box.cairn("sync", in: "a")
    try box.git("clone", "-q", served.publicAddress, "c")
    #expect(try box.text("c/walk.mov") == "a film")

    // It is verified and sent again like an image.
    let equal = try box.cairn("verify", "--with", "origin", in: "a").stdout
    #expect(equal.hasPrefix("Equal commits: both have the tree "), "\(equal)")
    #expect(
      equal.contains("Images were not compared: `cairn verify --with origin --with-images`."))
    let objects = "\(served.name)/lfs/objects"
    let files = try box.sh("find '\(objects)' -type f").lines
    try box.sh("rm -f '\(objects)'/*/*/*")
    for verb in ["sync", "push"] {
      let output = try box.cairn(verb, in: "a").stdout
      #expect(output.contains("origin already has all commits."), "\(output)")
    }
    for option in ["--with-images", "--content"] {
      let lost = try box.runCairn(["verify", "--with", "origin", option], in: "a")
      #expect(lost.status == 1, "\(lost.all)")
      #expect(
        lost.lines.count { $0.contains("on origin is missing") } == files.count, "\(lost.all)")
    }
    let planned = try box.cairn("images", "push", "--dry-run", in: "a").stdout
    #expect(planned.hasPrefix("Would upload \(files.count) image"), "\(planned)")
    try box.cairn("images", "push", in: "a")
    try box.cairn("verify", "--with", "origin", "--content", in: "a")
    #expect(try box.sh("find '\(objects)' -type f").lines.count == files.count)
  }

  @Test(
    "pushes nothing to a remote without an image store unless told to",
    arguments: [RemoteKind.https])
  func noServer(kind: RemoteKind) throws {
    guard RemoteKind.available.contains(kind) else { return }
    let served = try served(kind, hasLFS: false)
    let box = served.box
    try addPhoto(1, to: "a", box)
    let before = try box.git("rev-parse", "main", in: served.name).word
    let refused = try box.runCairn(["sync"], in: "a")
    #expect(refused.status == 69)
    #expect(refused.stderr.contains("does not accept images"), "\(refused.stderr)")
    #expect(refused.stderr.contains("cairn remote images"))
    #expect(try box.git("rev-parse", "main", in: served.name).word == before)
    #expect(try box.cairn("push", "--no-images", in: "a").stdout.contains("1 image not pushed"))
    #expect(try box.cairn("pull", in: "b").stdout.contains("1 photo"))
    #expect(try box.git("status", "--porcelain", in: "b").stdout == "")

    // With a shared directory as the image store, the image arrives.
    _ = try box.run("mkdir", ["shelf"])
    let shelf = box.root.appending("shelf").string
    try box.cairn("remote", "images", "origin", shelf, in: "a")
    #expect(try box.cairn("images", "push", in: "a").stdout.contains("1 image uploaded"))
    try box.cairn("sync", in: "a")
    #expect(try box.cairn("pull", in: "b").stdout.contains("1 image received"))
    #expect(try box.cairn("remote", "images", "origin", in: "b").stdout.contains(shelf))
  }

  @Test("keeps no images at a remote whose image URL is none")
  func noImagesThere() throws {
    let served = try served(.directory)
    let box = served.box
    try box.cairn("remote", "images", "origin", "none", in: "a")
    try addPhoto(1, to: "a", box)
    #expect(try box.cairn("sync", in: "a").stdout.contains("0 images."))
    for device in ["a", "b"] {
      let sync = try box.cairn("sync", in: device)
      #expect(!sync.all.contains("not fetched") && !sync.all.contains("not pushed"), "\(sync.all)")
    }
    #expect(try box.runCairn(["pull", "--images", "none"], in: "b").status == 0)
    let push = try box.runCairn(["images", "push"], in: "a")
    #expect(push.status == 69 && push.stderr.contains("image URL is “none”"), "\(push.all)")
    try box.cairn("remote", "images", "origin", "default", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("images", "push", in: "a")
    #expect(try box.cairn("sync", in: "b").stdout.contains("1 image received"))
  }

  @Test("reports images that somebody has pushed the pointers of, without git-lfs")
  func pointersAlone() throws {
    let served = try served(.directory)
    let box = served.box
    try addPhoto(1, to: "a", box)
    try box.cairn("commit", in: "a")
    try box.git(
      "push", "-q", "origin", "main", in: "a", environment: ["GIT_LFS_SKIP_PUSH": "1"])
    let pull = try box.cairn("pull", in: "b")
    #expect(
      pull.stdout.contains("1 image not fetched: the remote does not have them."), "\(pull.all)")
    let verified = try box.runCairn(["verify", "--with", "origin", "--with-images"], in: "b")
    #expect(verified.status == 1, "\(verified.all)")
  }

  @Test("exits with 66 for missing images only when they were requested")
  func leftBehind() throws {
    let served = try served(.directory)
    let box = served.box
    try addPhoto(1, to: "a", box)
    #expect(try box.cairn("images", "status", in: "a").stdout.hasPrefix("1 image on this disk"))
    try box.cairn("commit", in: "a")
    #expect(try box.cairn("images", "status", in: "a").stdout.hasPrefix("1 image on this disk"))
    try box.cairn("push", "--no-images", in: "a")
    let sentence = "1 image not fetched: the remote does not have them."
    for (arguments, code) in [
      (["clone", served.publicAddress, "../c"], 0), (["pull"], 0), (["sync"], 0),
      (["pull", "--images", "all"], 66), (["sync", "--images", "all"], 66),
      (["images", "fetch"], 66),
    ] as [([String], Int32)] {
      let output = try box.runCairn(arguments, in: "b")
      #expect(output.status == code, "\(arguments): \(output.all)")
      #expect(output.stdout.contains(sentence), "\(arguments): \(output.all)")
      #expect(!output.all.contains("fetches them"), "\(arguments): \(output.all)")
    }
  }

  @Test("names the image that a server refuses because of its size, and what may help")
  func tooLarge() throws {
    let served = try served(.directory)
    let box = served.box
    let server = try StrictLFSServer(box.root.appending("lfs"), #"{"too_large": 10}"#)
    let path = try addPhoto(1, to: "a", box)
    try box.git("config", "remote.origin.lfsurl", server.url, in: "a")
    let before = try box.git("rev-parse", "main", in: served.name).word
    let output = try box.runCairn(["sync"], in: "a")
    #expect(output.status == 69, "\(output.all)")
    #expect(try box.git("rev-parse", "main", in: served.name).word == before)
    let id = path.split(separator: "/").last!.prefix(12)
    #expect(output.stderr.contains("413") && output.stderr.contains(id), "\(output.stderr)")
    #expect(output.stderr.contains("limits the size of a file"), "\(output.stderr)")
  }

  @Test("neither shares nor shows a user name for a web server, which may be a token")
  func tokenAsUserName() throws {
    let served = try served(.directory)
    let box = served.box
    let server = try StrictLFSServer(box.root.appending("lfs"))
    let path = try addPhoto(1, to: "a", box)
    let id = String(path.split(separator: "/").last!.prefix(64))
    let url = "http://ghp_secret@127.0.0.1:\(server.port)"
    var shown = try box.cairn("remote", "images", "origin", url, in: "a").all
    #expect(try box.text("a/.lfsconfig").contains("\(server.url)\n"))
    shown += try box.cairn("sync", in: "a").all
    #expect(server.log("put").count == 1)
    // This copy's own configuration may have it.
    try box.git("config", "remote.origin.lfsurl", url, in: "a")
    shown += try box.cairn("remote", "images", "origin", in: "a").all
    shown += try box.runCairn(["photo", "erase", id, "--reason", "a face", "--yes"], in: "a").all
    shown += try box.cairn("sync", in: "a").all
    shown += try box.git("log", "-p", "--all", in: "a").all
    #expect(shown.contains(server.url))
    #expect(!shown.contains("ghp_secret"), "\(shown)")
    let refused = try box.runCairn(
      ["remote", "images", "origin", "http://ann:secret@127.0.0.1:\(server.port)"], in: "a")
    #expect(refused.status == 65 && !refused.all.contains("secret"), "\(refused.all)")
  }

  @Test("sends headers for all servers to no image store that somebody else may have chosen")
  func headersForAllServers() throws {
    let served = try served(.directory)
    let box = served.box
    let server = try StrictLFSServer(box.root.appending("lfs"))
    try box.configure("http.extraHeader", "X-Token: mine")
    try box.cairn("remote", "images", "origin", server.url, in: "a")
    try addPhoto(1, to: "a", box)
    try box.cairn("sync", in: "a")
    #expect(server.log("put").count == 1 && server.log("token").isEmpty)
    try box.git("config", "remote.origin.lfsurl", server.url, in: "a")
    try addPhoto(2, to: "a", box)
    try box.cairn("sync", in: "a")
    #expect(server.log("put").count == 2 && server.log("token").first == "token mine")
  }
}
