import CairnDocument
import CairnGit
import CairnStore
import Foundation
import SystemPackage
import Testing

@testable import CairnSync

@Suite("Partial clones made by git")
struct PartialCloneTests {
  @Test("stops if the operation is canceled while git fetches what was left out")
  func cancelled() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    // The clone lacks the first version.
    for verdict in [Verdict.present, .absent] {
      try a.label(1, "oak", by: "alice", verdict)
      try a.sync()
    }
    try devices.git("config", "uploadpack.allowFilter", "true", at: devices.remote)
    try devices.git(
      "clone", "-q", "--filter=blob:none", "file://\(devices.remote)", "b", at: devices.root)
    let root = devices.root.appending("b")
    let marker = devices.root.appending("asked").string
    try devices.git(
      "config", "remote.origin.uploadpack", "touch '\(marker)'; false", at: root)
    var environment = devices.environment()
    environment.isCancelled = { FileManager.default.fileExists(atPath: marker) }
    let b = try Replica.open(root, environment: environment)
    let error = #expect(throws: GitError.self) { _ = try b.push() }
    #expect(error?.code == .cancelled)
  }
}
