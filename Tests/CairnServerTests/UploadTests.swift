import Cairn
import CairnDocument
import Foundation
import TestSupport
import Testing

@Suite("Uploads")
struct UploadTests {
  private func upload(
    _ scene: ServerScene, _ bytes: [UInt8], _ items: String, length: Int? = nil
  ) async throws -> HTTPReply {
    var headers = [
      "Authorization": "Bearer \(scene.key)", "Content-Type": "application/octet-stream",
    ]
    if let length { headers["Content-Length"] = "\(length)" }
    return try await scene.send("POST", "/api/uploads?\(items)", bytes, headers)
  }

  @Test("adds a file once")
  func adds() async throws {
    let scene = try await ServerScene.start()
    let bytes = Array(PNG.bytes(seed: 99, width: 20, height: 10))
    let first = try await upload(scene, bytes, "name=new.png")
    #expect(first.json["status"]?.string == "added", "\(first.text)")
    #expect(first.json["photo"]?["name"]?.string == "new.png")
    #expect(try await upload(scene, bytes, "name=new.png").json["status"]?.string == "known")
    let left = try FileManager.default.contentsOfDirectory(
      atPath: scene.dataset.appending(".git/cairn/uploads").string)
    #expect(left == [])
  }

  @Test("refuses what is no image, no name, or too large")
  func refuses() async throws {
    let scene = try await ServerScene.start()
    let text = try await upload(scene, Array("hello".utf8), "name=a.png")
    #expect(text.json["status"]?.string == "failed")
    for name in ["", "..", "a%00b.png", "%2f"] {
      #expect(try await upload(scene, [1], "name=\(name)").status == 400)
    }
    #expect(try await upload(scene, [], "name=a.png", length: 300 << 20).status == 413)
  }
}
