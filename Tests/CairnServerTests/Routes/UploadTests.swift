import Cairn
import CairnDocument
import Foundation
import TestSupport
import Testing

@Suite("Uploads", .serialized)
struct UploadTests {
  private func upload(
    _ scene: ServerScene, _ bytes: [UInt8], _ items: String, length: Int? = nil
  ) async throws -> HTTPReply {
    var headers = scene.owner.headers
    headers["Content-Type"] = "application/octet-stream"
    if let length { headers["Content-Length"] = "\(length)" }
    return try await scene.owner.send(
      "POST", "/api/uploads?\(items)", bytes, headers: headers)
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

  @Test("adds a file with the longest name that file systems have")
  func longNames() async throws {
    let scene = try await ServerScene.start()
    let name = String(repeating: "森", count: 83) + ".jpg"
    let item = "name=" + name.utf8.map { "%" + String($0, radix: 16) }.joined()
    let reply = try await upload(scene, Array(PNG.bytes(seed: 99)), item)
    #expect(reply.json["status"]?.string == "added", "\(reply.text)")
    #expect(reply.json["photo"]?["name"]?.string == name)
    let longer = try await upload(scene, Array(PNG.bytes(seed: 98)), "name=aaa" + item.dropFirst(5))
    #expect(longer.status == 400)
    #expect(longer.json["message"]?.string == "The file name is longer than 255 bytes.")
  }

  @Test("refuses files that are not images, have no name or are too large")
  func refuses() async throws {
    let scene = try await ServerScene.start()
    let text = try await upload(scene, Array("hello".utf8), "name=a.png")
    #expect(text.json["status"]?.string == "failed")
    for name in ["", "..", "a%00b.png", "%2f"] {
      #expect(try await upload(scene, [1], "name=\(name)").status == 400)
    }
    #expect(try await upload(scene, [], "name=a.png", length: 300 << 20).status == 413)
  }

  @Test("refuses markup under the name of an image, and serves images only as images")
  func markup() async throws {
    let scene = try await ServerScene.start()
    let script = "<script>alert(1)</script>"
    for text in ["<svg>\(script)</svg>", "<!doctype html>\(script)"] {
      let reply = try await upload(scene, Array(text.utf8), "name=a.jpg")
      #expect(reply.json["status"]?.string == "failed", "\(reply.text)")
    }
    let both = Array(PNG.bytes(seed: 5, width: 9, height: 9)) + Array(script.utf8)
    let added = try await upload(scene, both, "name=a%22%0d.html")
    #expect(added.status == 400)
    let photo = try await upload(scene, both, "name=a.html").json["photo"]?["id"]?.string
    let image = try await scene.request("GET", "/api/photos/\(try #require(photo))/image")
    #expect(image.headers["content-type"] == "image/png")
    #expect(image.headers["x-content-type-options"] == "nosniff")
    #expect(image.headers["content-security-policy"]?.hasSuffix("sandbox") == true)
    #expect(image.headers["content-disposition"] == "inline; filename=\"a.html\"")
  }

  @Test("undoing an upload removes the photo")
  func undoes() async throws {
    let scene = try await ServerScene.start()
    let reply = try await upload(scene, Array(PNG.bytes(seed: 99)), "name=new.png")
    let id = try #require(reply.json["photo"]?["id"]?.string)
    #expect(reply.json["action"]?.string == "a1")
    #expect(try await scene.request("POST", "/api/undo").status == 200)
    #expect(try await scene.get("/api/photos/\(id)")["photo"]?["removed"]?.bool == true)
  }

  @Test("reports a photo that looks like another one")
  func similar() async throws {
    let scene = try await ServerScene.start()
    // The perceptual hash of random pixels differs from that of others.
    let bytes = Array(PNG.bytes(seed: 99, width: 64, height: 64))
    let first = try await upload(scene, bytes, "name=a.png&similar=0")
    let id = try #require(first.json["photo"]?["id"], "\(first.text)")
    let other = try await upload(scene, bytes + [0], "name=b.png&similar=0")
    #expect(other.json["status"]?.string == "similar", "\(other.text)")
    #expect(other.json["like"] == id)
    #expect(other.json["note"]?.string?.hasPrefix("b.png looks like") == true)
  }

  @Test("assigns the photo to a pin")
  func pin() async throws {
    let scene = try await ServerScene.start()
    let added = try await scene.request("POST", "/api/pins", ["location": [57.1, -4.7]])
    let pin = try #require(added.json["pin"]?["pin"]?.string)
    let bytes = Array(PNG.bytes(seed: 99))
    let reply = try await upload(scene, bytes, "name=a.png&pin=\(pin)")
    #expect(reply.json["photo"]?["pin"]?.string == pin)
    #expect(try await upload(scene, bytes, "name=a.png&pin=x").status == 400)
  }

  @Test("needs the length of the file, and receives four at once")
  func limits() async throws {
    let scene = try await ServerScene.start()
    var headers = scene.owner.headers
    headers["Content-Type"] = "application/octet-stream"
    let path = "/api/uploads?name=a.png"
    #expect(try await scene.owner.send("POST", path, headers: headers).status == 411)
    var uploads: [HTTPConnection] = []
    for _ in 0..<4 {
      uploads.append(try scene.owner.begin("POST", path, headers, length: 100))
    }
    let received = scene.dataset.appending(".git/cairn/uploads").string
    try await onThread {
      wait { (try? FileManager.default.contentsOfDirectory(atPath: received).count) == 4 }
    }
    let bytes = Array(PNG.bytes(seed: 99))
    #expect(try await scene.owner.send("POST", path, bytes, headers: headers).status == 429)
    _ = uploads
  }
}
