import Foundation
import TestSupport
import Testing

extension Sandbox {
  /// Returns a sandbox with a dataset `a` of pictures of each kind, in `known`, of which people labeled
  /// some.
  static func textures(_ count: Int = 12, labeled: Int? = nil) throws -> Sandbox {
    let box = try Sandbox(user: "Ann")
    try Textures.write(0..<count, to: "known", in: box)
    try box.cairn("init", "a")
    try box.cairn("photo", "add", "../known", in: "a")
    for kind in Textures.kinds {
      try box.label((0..<(labeled ?? count)).map { Textures.file(kind, $0) }, kind)
    }
    try box.cairn("class", "set", "texture", "stripes", "dots", "checks", in: "a")
    return box
  }

  func label(_ files: [String], _ name: String) throws {
    let output = try runCairn(["label"] + files + [name, "--create"], in: "a")
    try #require(output.status == 0, "\(output.stderr)")
  }

  /// Trains `textures`, which must succeed.
  @discardableResult
  func train(_ more: String..., location: SourceLocation = #_sourceLocation) throws -> JSONValue {
    let output = try runCairn(["train", "textures", "--json"] + more, in: "a")
    try #require(output.status == 0, "\(output.stderr)", sourceLocation: location)
    return try output.json()
  }

  /// Returns the id of a photo, given as a file.
  func photoID(_ file: String) throws -> String {
    try cairn("show", file, "--json", in: "a").json()["photo"]["id"].string
  }

  /// Writes to the blob of a photo, or removes it if there are no bytes; a file in the work tree is
  /// removed.
  func replaceBlob(of id: String, with bytes: [UInt8]?) throws {
    let digits = (id.prefix(2), id.dropFirst(2).prefix(2))
    let blob = "a/.git/lfs/objects/\(digits.0)/\(digits.1)/\(id)"
    try remove(blob)
    if let bytes { try write(bytes, to: blob) }
    for name in ["a/images/\(digits.0)/\(digits.1)/\(id).bmp"] where exists(name) {
      try remove(name)
    }
  }
}

extension Textures {
  /// The path of a picture from the dataset.
  static func file(_ kind: String, _ number: Int) -> String {
    "../known/\(kind)-\(number < 10 ? "0" : "")\(number).bmp"
  }
}
