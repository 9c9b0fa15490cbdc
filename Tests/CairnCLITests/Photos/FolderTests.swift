import Foundation
import TestSupport
import Testing

@Suite("cairn photo add with folders")
struct FolderTests {
  /// A folder as cameras and people leave it.
  private func folder(_ box: Sandbox) throws {
    try box.write(PNG.bytes(seed: 1), to: "in/a.png")
    try box.write(PNG.bytes(seed: 2), to: "in/b.apng")
    try box.write(PNG.bytes(seed: 3), to: "in/sub/without-extension")
    try box.write(PNG.bytes(seed: 4), to: "in/c.wrong")
    try box.write(PNG.bytes(seed: 5).dropLast(12), to: "in/cut.png")
    try box.write("\0\0\0\u{18}ftypmp42\0\0\0\0", to: "in/clip.MP4")
    try box.write("\0\0\0\u{18}ftypmp42\0\0\0\0", to: "in/sub/other.mp4")
    try box.write("%PDF-1.7\n", to: "in/paper")
    try box.write("a.png,oak\n", to: "in/labels.csv")
    try box.write("<x:xmpmeta/>", to: "in/lost.xmp")
    try box.write("x", to: "in/.DS_Store")
    try box.sh("ln -s a.png link.png; mkdir .trash; touch .trash/a.png", in: "in")
  }

  @Test("counts files that are not images by type, and recognizes images by their contents")
  func table() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    try folder(box)
    try box.sh("printf x > \"$(printf 'caf\\351.jpg')\"", in: "in")
    let planned = try box.run("cairn", ["photo", "add", "../in", "--dry-run"], in: "a")
    #expect(planned.stdout.contains("Would add 5 photos; 0 already known."), "\(planned.stdout)")
    #expect(planned.stdout.contains("Would skip 9 files: 2 MP4, "), "\(planned.stdout)")
    let output = try box.run("cairn", ["photo", "add", "../in"], in: "a")
    #expect(output.status == ExitStatus.badData)
    let last = output.stdout.split(separator: "\n").suffix(3).map(String.init)
    #expect(last.first == "added    4", "\(output.stdout)")
    #expect(last.dropFirst().first == "refused  1", "\(output.stdout)")
    #expect(
      last.last
        == "skipped  9  2 MP4, 1 CSV, 1 PDF, 1 XMP, 1 hidden, 1 hidden folder, "
        + "1 name that is not UTF-8, 1 symbolic link",
      "\(output.stdout)")
    let again = try box.run("cairn", ["photo", "add", "../in", "--quiet"], in: "a")
    #expect(again.stdout.contains("skipped  9  2 MP4"), "\(again.stdout)")
  }

  @Test(
    "reports a folder that cannot be read, and adds the others",
    .enabled(if: Programs.unprivileged != nil, "root can read every folder"))
  func unreadable() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    try box.makeImages(0..<2, in: "in")
    try box.makeImages(2..<3, in: "in/more")
    try box.makeImages(3..<4, in: "in/lost+found")
    try box.sh("chmod 000 in/lost+found")
    defer { _ = try? box.sh("chmod 700 in/lost+found") }
    let add = (Programs.unprivileged ?? []) + ["cairn", "photo", "add", "../in"]
    let planned = try box.run("env", add + ["-n"], in: "a")
    #expect(planned.status == 0, "\(planned.stderr)")
    #expect(planned.stdout.contains("Would add 3 photos; 0 already known.\nNo permission: "))
    let output = try box.run("env", add, in: "a")
    #expect(output.status == ExitStatus.badData)
    #expect(output.stdout.contains("not added: No permission: "), "\(output.stdout)")
    #expect(output.stdout.contains("lost+found"), "\(output.stdout)")
    #expect(try box.listed(in: "a").count == 3)
  }

  @Test("lists each skipped file with its type in JSON")
  func json() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    try folder(box)
    let output = try box.run("cairn", ["photo", "add", "../in", "--json"], in: "a")
    let files = try output.json().elements
    var types: [String: String] = [:]
    for file in files where file["status"].string == "skipped" {
      types[String(file["file"].string.split(separator: "/").last ?? "")] = file["type"].string
    }
    #expect(
      types == [
        "clip.MP4": "MP4", "other.mp4": "MP4", "paper": "PDF", "labels.csv": "CSV",
        "lost.xmp": "XMP", ".DS_Store": "hidden", ".trash": "hidden folder",
        "link.png": "symbolic link",
      ])
    let statuses = files.map { $0["status"].string }
    #expect(statuses.count { $0 == "added" } == 4)
    #expect(statuses.count { $0 == "failed" } == 1)
  }

  @Test("stores formats other than JPEG unchanged, and shows them as a JPEG")
  func formats() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    // Two rows of four pixels. Source: GIF 89a, appendix F.
    let gif: [UInt8] =
      Array("GIF89a".utf8) + [4, 0, 2, 0, 0x80, 0, 0, 10, 20, 30, 200, 100, 50]
      + [0x2C, 0, 0, 0, 0, 4, 0, 2, 0, 0, 2, 5, 0x04, 0x02, 0x81, 0x08, 0x05, 0, 0x3B]
    let header: [UInt8] = [
      0x42, 0x4D, 70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0,
      24,
    ]
    let bmp = header + [UInt8](repeating: 0, count: 25) + [UInt8](repeating: 90, count: 16)
    for (bytes, name) in [(gif, "gif"), (bmp, "bmp")] {
      try box.write(bytes, to: "in/photo.\(name)")
      let added = try box.json("photo", "add", "../in/photo.\(name)", in: "a").elements
      #expect(added.map { $0["status"].string } == ["added"], "\(added)")
      let id = try #require(added.first)["id"].string
      let path = "\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"
      #expect(try box.read("a/images/\(path).\(name)") == Data(bytes))
      let thumbnail = try box.read("a/.git/cairn/thumbnails/\(id.prefix(2))/\(id).jpg")
      #expect(thumbnail.prefix(3) == Data([0xFF, 0xD8, 0xFF]))
    }
    try box.cairn("commit", in: "a")
    try box.expectSound("a")
  }
}
