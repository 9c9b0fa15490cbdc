import Foundation
import Testing

@Suite("Trees that are too deep")
struct DeepTreeTests {
  @Test("a pull and a clone refuse what a remote nests without end, and what git brought is told")
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
    let told = try box.refuses("pull", in: "a", with: ExitStatus.badData)
    #expect(told.contains("directories deep") && told.count < 500, "\(told)")
    try box.refuses("clone", "x.git", "b", with: ExitStatus.badData)

    try box.git("fetch", "-q", "../x.git", "main", in: "a")
    try box.git("update-ref", "refs/heads/main", "FETCH_HEAD", in: "a")
    try box.refuses("find", in: "a", with: ExitStatus.badData)
  }
}
