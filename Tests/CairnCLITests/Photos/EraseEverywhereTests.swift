import Foundation
import SystemPackage
import TestSupport
import Testing

/// Three copies of a dataset whose images are in stores of all kinds, all of it searched by content.
@Suite(
  "cairn photo erase, everywhere", .enabled(if: SSHServer.isInstalled, SSHServer.missing))
struct EraseEverywhereTests {
  private let box: Sandbox
  private let bucket: PythonServer
  private let ssh: SSHServer
  private let lfs: StrictLFSServer
  private let cloud: Rclone?
  /// The photo to erase, and its image.
  private let photo: String
  private let face = PNG.bytes(seed: 1, width: 64, height: 48)
  /// The image of another photo.
  private let tree = PNG.bytes(seed: 2, width: 64, height: 48)

  /// Ann's dataset a; its remotes: a bare repository, a USB stick, a bucket, an ssh server, a Git LFS
  /// server, an encrypted directory, and a WebDAV server; Bob's clone b, and Carol's clone c, which
  /// also uses the stick.
  init() throws {
    box = try Sandbox()
    try box.sh("mkdir cloud usb vault")
    try box.write(
      "[default]\naws_access_key_id = AKIA\naws_secret_access_key = secret\n",
      to: "home/.aws/credentials")
    let account = #""bucket": "walk", "region": "eu-west-1", "keyID": "AKIA", "secret": "secret""#
    bucket = try PythonServer(
      "CairnImagesTests/Programs/strict_s3.py", ["{\"versioned\": true, \(account)}"])
    ssh = try SSHServer(box, sftp: "internal-sftp")
    lfs = try StrictLFSServer(box.root.appending("lfs"))
    cloud = Rclone.isInstalled ? try Rclone(box.root.appending("cloud")) : nil

    try box.cairn("init", "a")
    try box.write(face, to: "from/face.png")
    try box.write(tree, to: "from/tree.png")
    let added = try box.json("photo", "add", "../from", in: "a").elements
    photo = try #require(added.first { $0["file"].string.hasSuffix("face.png") })["id"].string
    try box.cairn("label", photo, "person", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("remote", "add", "usb", "../usb/walk.git", "--create", in: "a")
    var stores = [
      "bucket": "s3://walk/x?region=eu-west-1&endpoint=http://127.0.0.1:\(bucket.port)",
      "nas": "sftp://127.0.0.1:\(ssh.port)\(box.root)/nas",
      "server": lfs.url,
    ]
    if let cloud { stores["cloud"] = "dav://127.0.0.1:\(cloud.port)/walk" }
    for (name, url) in stores.sorted(by: { $0.key < $1.key }) {
      try box.cairn("remote", "add", name, "../\(name).git", "--create", in: "a")
      try box.cairn("remote", "images", name, url, in: "a")
    }
    try box.cairn("remote", "add", "vault", "../vault.git", "--create", in: "a")
    try box.cairn("remote", "images", "vault", "../vault", "--key-file", "../vault.key", in: "a")
    try box.cairn("sync", "--all", in: "a")
    for (name, person) in [("b", "Bob"), ("c", "Carol")] {
      try box.cairn("clone", "x.git", name)
      try box.setIdentity(person, in: name)
    }
    try box.cairn("remote", "add", "usb", "../usb/walk.git", in: "c")
    try box.sh("rm -r from")
  }

  /// Returns where a part of an image is: how many files and git objects below each directory of the
  /// root, after everything that the bucket has was written to one of them.
  private func places(of image: Data) throws -> [String: Int] {
    try box.sh("rm -rf dump")
    _ = try bucket.ask(#"{"do": "dump", "directory": "\#(box.root)/dump"}"#)
    // Bytes of the first, a middle and the last row, which are not compressed.
    let pieces = [100, image.count / 2, image.count - 100].map { image[$0..<$0 + 48] }
    let found = try box.places(of: pieces + [image])
    return Dictionary(grouping: found) { String($0.prefix { $0 != "/" && $0 != ":" }) }
      .mapValues(\.count)
  }

  /// The directories with one copy of each image.
  private var stores: [String] { ["x.git", "usb", "nas", "lfs"] + (cloud == nil ? [] : ["cloud"]) }

  /// Runs `cairn verify --erased`, and returns its exit code and the addresses of the remote stores
  /// that it found.
  private func search(_ dataset: String) throws -> (status: Int32, stores: [String]) {
    let output = try box.run("cairn", ["verify", "--erased", "--json"], in: dataset)
    let findings = try output.json()["findings"].elements
    #expect(findings.allSatisfy { $0["kind"].string == "remote" }, "\(output.all)")
    return (output.status, findings.map { $0["path"].string })
  }

  private func encryptedImages() throws -> Int {
    try box.sh("find vault/objects -type f").lines.count
  }

  @Test("leaves nothing of an image in three copies and stores of all kinds, and keeps labels")
  func nowhere() throws {
    // The bucket has a hidden version, and each copy has thumbnails and hashes.
    let key = "x/objects/\(photo.prefix(2))/\(photo.dropFirst(2).prefix(2))/\(photo)"
    _ = try bucket.ask(#"{"do": "hide", "key": "\#(key)"}"#)
    #expect(
      try box.json("images", "push", "--remote", "bucket", in: "a")["images"].number == 1)
    for name in ["a", "b", "c"] { try box.cairn("find", "similar:\(photo)", in: name) }
    var expected = Dictionary(uniqueKeysWithValues: stores.map { ($0, 1) })
    for name in ["a", "b", "c"] { expected[name] = 2 }
    // The object is one of its versions.
    expected["dump"] = 3
    #expect(try places(of: face) == expected)
    expected["dump"] = 2
    #expect(try places(of: tree) == expected)
    #expect(try encryptedImages() == 2)

    // c is offline, and the stick is not plugged in.
    try box.cairn("label", photo, "hat", in: "c")
    try box.sh("mv usb away")
    let output = try box.run(
      "cairn", ["photo", "erase", photo, "--reason", "a face", "--yes", "--json"], in: "a")
    #expect([ExitStatus.unreachable, ExitStatus.notFound].contains(output.status), "\(output.all)")
    for store in try output.json()["stores"].elements {
      let result =
        switch store["remote"].string {
        case "usb": "failed"
        case "server": "kept"
        default: "erased"
        }
      #expect(store[result].elements.map(\.string) == [photo], "\(store)")
    }
    #expect(try places(of: face) == ["away": 1, "b": 2, "c": 2, "lfs": 1])
    #expect(try encryptedImages() == 1)
    let first = try search("a")
    #expect(first.status == 1 && first.stores == [lfs.url])
    // Who does not know of the erasure finds nothing to search for.
    #expect(try search("c").status == 0)

    try box.cairn("sync", "origin", in: "a")
    try box.cairn("sync", in: "b")
    #expect(try places(of: face) == ["away": 1, "c": 2, "lfs": 1])
    #expect(try search("b").status == 0)

    // c syncs, and then finds the image on the stick.
    try box.sh("mv away usb")
    try box.cairn("sync", "origin", in: "c")
    #expect(try places(of: face) == ["lfs": 1, "usb": 1])
    let second = try search("c")
    #expect(second.status == 1 && second.stores.count == 1)
    #expect(second.stores.first?.contains("usb/walk.git") == true, "\(second.stores)")
    try box.cairn("sync", "usb", in: "c")
    #expect(try places(of: face) == ["lfs": 1])
    #expect(try search("c").status == 0)

    // The administrator of the Git LFS server deletes what it cannot.
    try box.sh("rm lfs/objects/\(photo)")
    let again = try box.json("photo", "erase", photo, in: "a")["stores"].elements
    #expect(again.count == stores.count + 2)
    #expect(again.allSatisfy { $0["erased"].elements.map(\.string) == [photo] }, "\(again)")
    try box.cairn("sync", "--all", in: "a")
    for name in ["b", "c"] { try box.cairn("sync", "origin", in: name) }
    try box.cairn("clone", "x.git", "d")

    #expect(try places(of: face) == [:])
    expected["d"] = 2
    #expect(try places(of: tree) == expected)
    #expect(try encryptedImages() == 1)
    try box.expectEqual("a", "b", "c", "d")
    let addresses = Set(again.map { $0["address"].string })
    for name in ["a", "b", "c", "d"] {
      try box.expectClean(name)
      #expect(
        try box.labels(of: photo, in: name) == ["ann: person present", "carol: hat present"])
      let receipt = try box.json("show", photo, in: name)["erased"]
      #expect(receipt["by"].string == "human:ann@example.org")
      #expect(receipt["reason"].string == "a face")
      guard case .object(let confirmed) = receipt["stores"] else {
        Issue.record("no stores: \(receipt)")
        continue
      }
      #expect(addresses.isSubset(of: confirmed.keys), "\(confirmed)")
      #expect(confirmed.values.allSatisfy { $0["state"].string == "erased" }, "\(confirmed)")
      #expect(try search(name).status == 0)
    }
  }
}
