import Foundation
import TestSupport
import Testing

// Operations on datasets that many tests use, and checks with git.

extension Sandbox {
  /// Writes images into a directory: `photo-3.png` for the seed 3.
  func makeImages(_ seeds: some Sequence<Int>, in directory: String) throws {
    for seed in seeds { try write(PNG.bytes(seed: seed), to: "\(directory)/photo-\(seed).png") }
  }

  /// Starts a dataset with uncommitted photos; returns their ids in the order of the seeds.
  func startDataset(_ name: String = "a", photos: Int, from seed: Int = 0) throws -> [String] {
    try cairn("init", name)
    return try addPhotos(seed..<seed + photos, to: name)
  }

  /// Adds new photos; returns their ids.
  func addPhotos(_ seeds: Range<Int>, to dataset: String) throws -> [String] {
    if seeds.isEmpty { return [] }
    let folder = "from/\(dataset)-\(seeds.lowerBound)"
    try makeImages(seeds, in: folder)
    let added = try json("photo", "add", url(folder).path, in: dataset).elements
    let ids = Dictionary(
      uniqueKeysWithValues: added.map {
        ($0["file"].string.split(separator: "/").last.map(String.init) ?? "", $0["id"].string)
      })
    return try seeds.map { try #require(ids["photo-\($0).png"]) }
  }

  /// Sets the name and email of the person who works in a dataset, who is Ann otherwise.
  func setIdentity(_ name: String, in dataset: String) throws {
    try git("config", "user.name", name, in: dataset)
    try git("config", "user.email", "\(name.lowercased())@example.org", in: dataset)
  }

  /// Returns the labels of a photo as `ann: hemlock present`, sorted.
  func labels(of photo: String, in dataset: String) throws -> [String] {
    try json("show", photo, in: dataset)["labels"].elements.map { label in
      let annotator = label["annotator"].string
        .replacing("human:", with: "").replacing("@example.org", with: "")
      return "\(annotator): \(label["class"].string) \(label["verdict"].string)"
    }.sorted()
  }

  /// Returns the state of a class on a photo, such as `confirmed`; nil if it has no resolution.
  func state(of classKey: String, on photo: String, in dataset: String) throws -> String? {
    try json("show", photo, in: dataset)["resolution"].elements
      .first { $0["class"].string == classKey }?["state"].string
  }

  /// Returns the ids of the photos that `cairn photo list` shows.
  func listed(in dataset: String) throws -> Set<String> {
    Set(try json("photo", "list", in: dataset).elements.map { $0["photo"]["id"].string })
  }

  /// Returns what `cairn show` prints of each photo that `cairn photo list` shows, in its order.
  func records(in dataset: String) throws -> [JSONValue] {
    try json("photo", "list", in: dataset).elements.map {
      try json("show", $0["photo"]["id"].string, in: dataset)
    }
  }

  func tree(of dataset: String) throws -> String {
    try git("rev-parse", "HEAD^{tree}", in: dataset).word
  }

  /// Returns the paths of the documents of a kind, such as `pins` or `labels`.
  func documents(_ kind: String, in dataset: String) throws -> [String] {
    try git("ls-files", "--cached", "--others", "--", kind, in: dataset).lines
      .map { "\(dataset)/\($0)" }
  }

  static func imagePath(_ id: String) -> String {
    "images/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id).png"
  }

  static func photoPath(_ id: String) -> String {
    "photos/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id).json"
  }

  // MARK: Checks

  /// Checks that git finds no difference between the work tree and the last commit.
  func expectClean(_ dataset: String, location: SourceLocation = #_sourceLocation) throws {
    let status = try git("status", "--porcelain", in: dataset, location: location)
    #expect(status.stdout == "", "\(dataset) is not clean", sourceLocation: location)
  }

  /// Checks that git, git-lfs and cairn itself find no damage in a dataset.
  func expectSound(
    _ dataset: String, lfs: Bool = true, location: SourceLocation = #_sourceLocation
  ) throws {
    let fsck = try run("git", ["fsck", "--strict", "--no-dangling"], in: dataset)
    #expect(fsck.status == 0, "\(fsck.stderr)", sourceLocation: location)
    #expect(fsck.stdout == "", sourceLocation: location)
    #expect(!fsck.stderr.contains("error"), "\(fsck.stderr)", sourceLocation: location)
    if lfs {
      let images = try run("git", ["lfs", "fsck"], in: dataset)
      #expect(images.status == 0, "\(images.stdout)\(images.stderr)", sourceLocation: location)
      #expect(images.stdout.contains("OK"), "\(images.stdout)", sourceLocation: location)
    }
    let verify = try runCairn(["verify"], in: dataset)
    #expect(verify.status == 0, "\(verify.stdout)\(verify.stderr)", sourceLocation: location)
  }

  /// Checks that the last commits of all datasets have the same tree.
  func expectEqual(_ datasets: String..., location: SourceLocation = #_sourceLocation) throws {
    let trees = try Set(datasets.map { try tree(of: $0) })
    #expect(trees.count == 1, "\(datasets) differ", sourceLocation: location)
  }
}
