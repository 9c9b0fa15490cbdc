import Foundation
import TestSupport
import Testing

@Suite("Image stores of the command line")
struct ImageStoreTests {
  private let box: Sandbox
  private let photos: [String]

  /// Ann's dataset a with three photos, a remote, and an empty directory for images.
  init() throws {
    box = try Sandbox()
    photos = try box.startDataset(photos: 3)
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.sh("mkdir shelf")
  }

  private func storedFiles() throws -> [String] {
    try box.sh("find shelf -type f").lines.map { "\($0)" }.sorted()
  }

  @Test(
    "records the CRC-32 of each photo that is added, by which a push verifies it",
    .enabled(if: TemporaryDirectory.keepsAttributes))
  func checksums() throws {
    let script = """
      import glob, os, zlib
      files = glob.glob(".git/lfs/objects/*/*/*")
      assert len(files) == 3, files
      for file in files:
          checksum = zlib.crc32(open(file, "rb").read())
          expected = bytes.fromhex(os.path.basename(file)[:16]) + checksum.to_bytes(4, "big")
          assert os.getxattr(file, "user.cairn") == expected, file
      """
    try box.succeed("python3", ["-c", script], in: "a")
  }

  @Test("encrypts images with a key file that is never in the repository")
  func encrypted() throws {
    let output = try box.cairn(
      "remote", "images", "origin", "../shelf", "--key-file", "../walk.key", in: "a")
    #expect(output.stdout.contains("Created the key file ../walk.key. Back it up: without it"))
    let key = try #require(
      try box.text("walk.key").split(separator: "\n").first { $0.hasPrefix("AGE-SECRET-KEY-1") })
    #expect(try box.sh("stat -c %a walk.key 2>/dev/null || stat -f %Lp walk.key").word == "600")
    let url = try box.json("remote", "images", "origin", in: "a")["images"].string
    #expect(url.hasPrefix("age+/") && url.contains("/shelf#age1"))
    try box.cairn("sync", in: "a")

    let files = try storedFiles()
    #expect(files.count == 3)
    for file in files {
      #expect(try box.read(file).starts(with: Data("age-encryption.org/v1\n".utf8)))
      #expect(!photos.contains { file.hasSuffix($0) })
    }
    let secret = String(key)
    #expect(try box.sh("git -C a log -p --all | grep -c '\(secret)' || true").word == "0")
    #expect(try box.sh("grep -rl '\(secret)' a x.git shelf || true").stdout.isEmpty)
    #expect(try box.text("a/.lfsconfig").contains("#age1"))

    // Without the key: one message, and the documents all the same.
    _ = try box.run("cairn", ["clone", "x.git", "b"])
    let refused = try box.run("cairn", ["images", "fetch"], in: "b")
    #expect(refused.status == ExitStatus.permission, "\(refused.all)")
    #expect(refused.stderr.contains("`cairn remote images NAME --key-file FILE`"))
    #expect(refused.all.contains("are encrypted, and their key is not here"), "\(refused.all)")
    #expect(try box.json("photo", "list", in: "b").elements.count == 3)
    try box.cairn("pin", "add", "1", "2", in: "b")
    #expect(
      try box.run("cairn", ["verify", "--with", "origin", "--with-images"], in: "b").status
        == ExitStatus.permission)

    // With another key, and with the right one.
    try box.cairn("init", "c")
    try box.cairn("remote", "add", "origin", "../y.git", "--create", in: "c")
    try box.cairn("remote", "images", "origin", "../shelf", "--key-file", "../other.key", in: "c")
    let wrong = try box.run(
      "cairn", ["remote", "images", "origin", "--key-file", "../other.key"], in: "b")
    #expect(
      wrong.status == ExitStatus.badData
        && wrong.stderr.contains("it does not have the private key"))
    try box.cairn("remote", "images", "origin", "--key-file", "../walk.key", in: "b")
    try box.cairn("images", "fetch", in: "b")
    for photo in photos {
      let path = Sandbox.imagePath(photo)
      #expect(try box.read("a/\(path)") == box.read("b/\(path)"))
    }
    try box.cairn("verify", "--with", "origin", "--with-images", "--content", in: "a")

    // A damaged image is found and replaced, and is not dropped.
    var bytes = try box.read(files[0])
    bytes[bytes.count - 5] ^= 1
    try box.sh("rm -f '\(files[0])'")
    try box.write(bytes, to: files[0])
    let damaged = try box.run(
      "cairn", ["verify", "--with", "origin", "--content", "--json"], in: "a")
    #expect(damaged.status == 1)
    #expect(try damaged.json()["images"]["damaged"].elements.count == 1)
    #expect(try box.json("images", "drop", "--all", in: "b")["dropped"].number == 2)
    try box.cairn("images", "push", "--repair", in: "a")
    try box.cairn("verify", "--with", "origin", "--content", in: "a")
    try box.cairn("images", "fetch", in: "b")
  }

  @Test("sends no image unencrypted because somebody else changed the image URL")
  func encryptionChanged() throws {
    try box.cairn("remote", "images", "origin", "../shelf", "--key-file", "../walk.key", in: "a")
    try box.cairn("sync", in: "a")
    let recipient = try box.git("config", "--local", "remote.origin.cairnimagerecipient", in: "a")
      .word
    #expect(try box.text("a/.lfsconfig").contains("#\(recipient)"))
    // Another copy has the record as soon as it has the key, whatever the remote is called.
    _ = try box.run("cairn", ["clone", "--no-images", "x.git", "b"])
    #expect(
      try box.run("git", ["config", "remote.origin.cairnimagerecipient"], in: "b").status == 1)
    try box.cairn("remote", "images", "origin", "--key-file", "../walk.key", in: "b")
    try box.cairn("remote", "rename", "origin", "server", in: "b")
    try box.cairn("remote", "rename", "server", "origin", in: "b")
    #expect(try box.git("config", "remote.origin.cairnimagerecipient", in: "b").word == recipient)

    // A third person stores them unencrypted, with another key, or beside the commits.
    try box.sh("mkdir plain")
    try box.cairn("clone", "--no-images", "x.git", "c")
    let encrypted = try storedFiles()
    let other = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
    for (seed, url) in [(10, "../plain"), (11, "age+../plain#\(other)"), (12, "default")] {
      try box.cairn("remote", "images", "origin", url, in: "c")
      try box.cairn("sync", in: "c")
      let photo = try box.addPhotos(seed..<seed + 1, to: "b")[0]
      let refused = try box.run("cairn", ["sync"], in: "b")
      #expect(refused.status == ExitStatus.permission, "\(url): \(refused.all)")
      #expect(refused.stderr.contains("nothing was sent"), "\(refused.all)")
      #expect(
        try box.run("cairn", ["images", "push", "-n"], in: "b").status == ExitStatus.permission)
      #expect(try box.sh("find plain x.git/lfs -type f 2>/dev/null || true").stdout.isEmpty)
      #expect(try storedFiles() == encrypted)
      #expect(try box.run("cairn", ["show", photo], in: "c").status == ExitStatus.notFound)
    }

    // The hint is a command that accepts it.
    let message = try box.run("cairn", ["sync"], in: "b").stderr
    let accepting = message.firstMatch(of: /accept the change: `cairn ([^`]+)`/)
    let command = try #require(accepting, "\(message)").output.1
    let accepted = try box.run("cairn", command.split(separator: " ").map(String.init), in: "b")
    #expect(accepted.status == 0, "\(accepted.all)")
    #expect(
      try box.run("git", ["config", "remote.origin.cairnimagerecipient"], in: "b").status == 1)
    try box.cairn("sync", in: "b")
    #expect(try box.sh("find x.git/lfs -type f | wc -l").word == "3")
    try box.cairn("remote", "remove", "origin", in: "a")
    #expect(
      try box.run("git", ["config", "remote.origin.cairnimagerecipient"], in: "a").status == 1)
  }

  @Test("sends no image unencrypted because git pushes to a URL instead of a remote")
  func pushedToURL() throws {
    try box.git("remote", "set-url", "origin", "https://127.0.0.1:1/team/walk.git", in: "a")
    try box.cairn("remote", "images", "origin", "../shelf", "--key-file", "../walk.key", in: "a")
    /// Opens the image store for a push as git-lfs does, and returns the answer.
    func open(_ address: String) throws -> String {
      let request = #"{"event":"init","operation":"upload","remote":"\#(address)"}"# + "\n"
      let output = try box.run("cairn", ["lfs-agent"], in: "a", stdin: Data(request.utf8))
      #expect(output.status == 0, "\(output.all)")
      return output.stdout
    }
    for same in [
      "origin", "https://127.0.0.1:1/team/walk.git", "https://ann@127.0.0.1:1/team/walk/",
      "ssh://git@127.0.0.1/team/walk",
    ] {
      #expect(try !open(same).contains("error"), "\(same)")
    }
    let refused = try open("https://ann@127.0.0.1:1/team/other.git")
    #expect(refused.contains("error") && refused.contains("nothing was sent"), "\(refused)")
    #expect(!refused.contains("ann@"), "\(refused)")
  }

  @Test("accepts key files as settings name them, and warns if others can read them")
  func keyFiles() throws {
    try box.git("config", "cairn.imageKey", "", in: "a")
    try box.cairn("remote", "images", "origin", "../shelf", "--key-file", "../home/k", in: "a")
    #expect(try box.git("config", "cairn.imageKey", in: "a").stdout.hasSuffix("/home/k\n"))
    try box.git("config", "cairn.imageKey", "~/k", in: "a")
    let again = try box.cairn("remote", "images", "origin", "--key-file", "../home/k", in: "a")
    #expect(again.stderr.isEmpty, "\(again.stderr)")
    try box.sh("chmod 644 home/k")
    let open = try box.cairn("remote", "images", "origin", "--key-file", "../home/k", in: "a")
    #expect(open.stderr.contains("`chmod 600 "), "\(open.stderr)")

    // A relative directory is made absolute in every form.
    let url = try box.json("remote", "images", "origin", in: "a")["images"].string
    let recipient = try #require(url.split(separator: "#").last)
    try box.cairn("remote", "images", "origin", "age+../shelf#\(recipient)", in: "a")
    #expect(try box.json("remote", "images", "origin", in: "a")["images"].string == url)
  }

  @Test("refuses key files that would be lost or published, and stores that cannot be encrypted")
  func refusedKeys() throws {
    for (arguments, text) in [
      (["../shelf", "--key-file", "walk.key"], "it is inside the dataset"),
      (["../shelf", "--key-file", ".git/walk.key"], "it is inside the dataset"),
      (
        ["https://h/a", "--key-file", "../walk.key"],
        "a Git LFS server names images by their content"
      ),
      (["age+../shelf#age1x", "--key-file", "../walk.key"], "needs an age public key"),
    ] {
      let output = try box.run("cairn", ["remote", "images", "origin"] + arguments, in: "a")
      #expect(output.status == ExitStatus.badData && output.stderr.contains(text), "\(output.all)")
    }
    #expect(!box.exists("walk.key") && !box.exists("a/walk.key"))
    let plain = try box.run(
      "cairn", ["remote", "images", "origin", "--key-file", "../walk.key"], in: "a")
    #expect(plain.status == ExitStatus.badData && plain.stderr.contains("are not encrypted"))
    try box.write("not a key\n", to: "wrong.key")
    let wrong = try box.run(
      "cairn", ["remote", "images", "origin", "../shelf", "--key-file", "../wrong.key"], in: "a")
    #expect(
      wrong.status == ExitStatus.badData && wrong.stderr.contains("line 1 is not an age key"))
    #expect(!wrong.all.contains("not a key\n"))
    #expect(
      try box.run("cairn", ["remote", "images", "origin", "none", "--key-file", "x"], in: "a")
        .status
        == ExitStatus.usage)
  }

  @Test("asks the remote what a push or a fetch of images would transfer")
  func dryRun() throws {
    try box.cairn("commit", in: "a")
    try box.cairn("push", "--no-images", in: "a")
    let all = try box.json("images", "push", "--dry-run", in: "a")
    #expect(all["images"].number == 3 && all["bytes"].number > 0)
    try box.cairn("images", "push", photos[0], in: "a")
    #expect(
      try box.cairn("images", "push", "-n", in: "a").stdout.hasPrefix("Would upload 2 images ("))
    #expect(try box.sh("find x.git/lfs/objects -type f | wc -l").word == "1")
    try box.cairn("clone", "--no-images", "x.git", "b")
    let fetch = try box.json("images", "fetch", "--dry-run", in: "b")
    #expect(fetch["images"].number == 1 && fetch["missing"].number == 2)
    #expect(
      try box.cairn("images", "fetch", "-n", in: "b").stdout
        .contains("The remote does not have 2 more."))
    #expect(try box.json("images", "status", in: "b")["here"].number == 0)
    let repair = try box.run("cairn", ["images", "push", "--repair", "--dry-run"], in: "a")
    #expect(repair.status == ExitStatus.usage && repair.stderr.contains("cairn verify"))
  }

  @Test("pushes without an image that only earlier commits name and no copy has, and says so")
  func lostInHistory() throws {
    try box.cairn("commit", in: "a")
    let id = String(repeating: "ab", count: 32)
    try box.write(
      "version https://git-lfs.github.com/spec/v1\noid sha256:\(id)\nsize 12\n", to: "a/film.mov")
    try box.git("add", "film.mov", in: "a")
    try box.git("commit", "-qm", "Add a film", in: "a")
    try box.git("rm", "-q", "film.mov", in: "a")
    try box.git("commit", "-qm", "Remove the film", in: "a")
    let push = try box.cairn("push", in: "a")
    #expect(
      push.stdout.contains(
        "1 image not pushed: neither this copy nor origin has it."),
      "\(push.all)")
    #expect(!push.all.contains("cairn images push"), "\(push.all)")
    #expect(
      try box.git("rev-parse", "main", in: "x.git").word
        == box.git("rev-parse", "HEAD", in: "a").word)
    try box.cairn("verify", "--with", "origin", "--with-images", in: "a")
  }

  @Test("survives pointers that claim to be larger than any disk")
  func hugePointers() throws {
    try box.cairn("sync", in: "a")
    try box.cairn("clone", "--no-images", "x.git", "b")
    try box.git("clone", "-q", "x.git", "c")
    for photo in photos[..<2] {
      let path = Sandbox.imagePath(photo)
      try box.write(
        "version https://git-lfs.github.com/spec/v1\noid sha256:\(photo)\n"
          + "size 9223372036854775807\n", to: "claim")
      try box.sh(
        "git update-index --cacheinfo 100644,$(git hash-object -w --no-filters ../claim),\(path)",
        in: "c")
    }
    try box.git("commit", "-qm", "Claim", in: "c")
    try box.git("push", "-q", "--no-verify", in: "c")
    try box.sh("rm -r x.git/lfs")
    let claimed = try box.json("images", "status", in: "c")
    #expect(claimed["elsewhere"].number == 2 && claimed["bytesElsewhere"].number > 1e18)
    #expect(try box.json("images", "fetch", "-n", in: "c")["missing"].number == 2)
    for arguments in [
      ["pull"], ["images", "status"], ["images", "fetch"], ["images", "fetch", "-n"],
      ["images", "push"], ["images", "push", "-n"], ["status"], ["push"], ["sync"],
      ["verify", "--with", "origin", "--with-images"],
    ] {
      for copy in ["b", "a", "c"] {
        let output = try box.run("cairn", arguments, in: copy)
        let isExit = (0...1).contains(output.status) || (64...78).contains(output.status)
        #expect(isExit, "\(arguments): \(output.status) \(output.all)")
      }
    }
  }

  @Test("limits the rate of transfers by an option or a setting, and refuses an invalid rate")
  func bandwidth() throws {
    for arguments in [
      ["sync", "--bwlimit", "2.5M"], ["push", "--bwlimit", "500k"], ["pull", "--bwlimit", "1G"],
      ["images", "push", "--bwlimit", "1M"], ["images", "fetch", "--bwlimit", "16384"],
      ["verify", "--with", "origin", "--content", "--bwlimit", "1M"],
    ] {
      let output = try box.run("cairn", arguments, in: "a")
      #expect(output.status == 0, "\(arguments): \(output.all)")
    }
    for rate in ["", "fast", "1", "15K", "1e9", "1MB", "999999G0", "."] {
      let output = try box.run("cairn", ["sync", "--bwlimit", rate], in: "a")
      #expect(output.status == ExitStatus.badData, "\(rate): \(output.all)")
    }
    // A setting that is no rate does not mean that there is no limit.
    try box.git("config", "cairn.bwlimit", "fast", in: "a")
    let invalid = try box.run("cairn", ["images", "push"], in: "a")
    #expect(
      invalid.status == ExitStatus.badData && invalid.stderr.contains("cairn.bwlimit")
        && invalid.stderr.contains("`cairn config set cairn.bwlimit 2M`"), "\(invalid.all)")
    // 100,000 bytes at 50,000 a second.
    try box.cairn("config", "set", "cairn.bwlimit", "50000", in: "a")
    try box.makeImages(7..<8, in: "big")
    try box.sh("head -c 100000 /dev/zero >> big/photo-7.png")
    try box.cairn("photo", "add", "../big", in: "a")
    let time = try ContinuousClock().measure { _ = try box.cairn("sync", in: "a") }
    #expect(time >= .milliseconds(1900))
  }

  @Test("replaces a damaged time of the last exchange with a remote")
  func damagedExchange() throws {
    try box.cairn("sync", in: "a")
    try box.write("\(Int64.min)\n", to: "a/.git/cairn/exchanges/origin")
    try box.cairn("sync", in: "a")
    let remote = try box.json("remote", "list", in: "a").elements[0]
    #expect(remote["lastExchange"].string.hasPrefix("20"))
  }

  @Test("lists whether remotes can be reached, and when they last answered")
  func reachability() throws {
    let never = try box.json("remote", "list", in: "a").elements[0]
    #expect(never["lastExchange"] == .null && never["reachable"] == .null)
    try box.cairn("sync", in: "a")
    try box.cairn("remote", "add", "gone", "../gone.git", "--create", in: "a")
    try box.sh("rm -r gone.git")
    let output = try box.run("cairn", ["remote", "list", "--check", "--json"], in: "a")
    #expect(output.status == 1)
    let remotes = try output.json().elements
    #expect(remotes.map { $0["name"].string } == ["gone", "origin"])
    #expect(
      remotes[0]["reachable"] == .bool(false) && !remotes[0]["error"]["message"].string.isEmpty)
    #expect(remotes[1]["reachable"] == .bool(true) && remotes[1]["error"] == .null)
    #expect(remotes[0]["lastExchange"] == .null)
    #expect(remotes[1]["lastExchange"].string.hasPrefix("20"))
    let text = try box.run("cairn", ["remote", "list", "--check"], in: "a").stdout
    #expect(
      text.contains("not reachable: ") && text.contains("reachable, up to date, last exchange 20"))
    #expect(text.contains(", images in the remote itself"), "\(text)")
    #expect(remotes[1]["imageStore"] == remotes[1]["url"] && remotes[1]["images"] == .null)
    try box.cairn("remote", "remove", "gone", in: "a")
    try box.cairn("remote", "rename", "origin", "server", in: "a")
    #expect(try box.run("cairn", ["remote", "list", "--check"], in: "a").status == 0)
  }
}
