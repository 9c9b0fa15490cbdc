import Foundation
import TestSupport
import Testing

@Suite("Deeply nested trees")
struct DeepTreeTests {
  @Test("refuses to pull, clone or read a tree that is too deep")
  func refused() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    let path = String(repeating: "d/", count: 3000) + "file"
    let stream = """
      commit refs/heads/main
      committer Eve <eve@example.org> 1700000000 +0000
      data 1
      x
      from refs/heads/main^0
      M 100644 inline \(path)
      data 1
      x

      """
    let output = try box.run(
      "git", ["fast-import", "--quiet"], in: "x.git", stdin: Data(stream.utf8))
    try #require(output.status == 0, "\(output.stderr)")
    let message = try box.refuses("pull", in: "a", with: ExitStatus.badData)
    #expect(message.contains("directories deep") && message.count < 500, "\(message)")
    try box.refuses("clone", "x.git", "b", with: ExitStatus.badData)

    try box.git("fetch", "-q", "../x.git", "main", in: "a")
    try box.git("update-ref", "refs/heads/main", "FETCH_HEAD", in: "a")
    try box.refuses("find", in: "a", with: ExitStatus.badData)
  }
}
