import Foundation
import SystemPackage
import TestSupport
import Testing

extension Sandbox {
  /// Creates the dataset a and its clone b, which exchange a pin each through a remote.
  func exchangePins(through url: String) throws {
    try cairn("init", "a")
    try cairn("pin", "add", "1", "2", in: "a")
    try cairn("remote", "add", "origin", url, in: "a")
    try cairn("sync", in: "a")
    try cairn("clone", url, "b")
    try cairn("pin", "add", "3", "4", in: "b")
    try cairn("sync", in: "b")
    try cairn("sync", in: "a")
    let trees = try ["a", "b"].map { try git("rev-parse", "HEAD^{tree}", in: $0).word }
    #expect(trees[0] == trees[1])
  }

  /// Adds a photo to the dataset a.
  func addOnePhoto() throws {
    try Data(PNG.bytes(1)).write(to: URL(filePath: root.appending("1.png").string))
    try cairn("photo", "add", "../1.png", in: "a")
  }
}
