import Cairn
import CairnDocument
import Foundation
import SystemPackage
import Testing

@Suite("Edits of boxes and outlines", .serialized)
struct BoxEditTests {
  @Test("an outline is in the photo's details, and is moved and scaled with its box")
  func outlines() async throws {
    let scene = try await ServerScene.start(prepare: { dataset, photos in
      let file = dataset.root.removingLastComponent().appending("outlines.jsonl")
      let line = """
        {"photo":"\(photos[0])","labels":[{"label":"oak","regions":[{"x":0,"y":0,"width":0.5,\
        "height":0.5,"crowd":true,"polygons":[[[0,0,0.5,0,0.5,0.5],[0.25,0.1,0.4,0.1,0.4,0.2]]]}]}]}
        """
      try Data(line.utf8).write(to: URL(filePath: file.string))
      var options = FormatImportOptions()
      options.annotator = Annotator(email: "ann@example.org")
      try dataset.import(.jsonl, from: file, options: options)
    })
    func outline() async throws -> JSON? {
      try await scene.get("/api/photos/\(scene.photos[0])")["boxes"]?.array?.first
    }
    let before = try #require(try await outline())
    #expect(
      before["polygons"] == [[[0, 0, 0.5, 0, 0.5, 0.5], [0.25, 0.1, 0.4, 0.1, 0.4, 0.2]]])
    #expect(before["crowd"]?.bool == true)
    let reply = try await scene.edit([
      "do": "moveBox", "photo": .string(scene.photos[0].description),
      "label": try #require(before["label"]),
      "box": ["x": 0.5, "y": 0.5, "width": 0.25, "height": 0.5],
    ])
    #expect(reply.status == 200, "\(reply.text)")
    let after = try #require(try await outline())
    #expect(
      after["polygons"] == [
        [[0.5, 0.5, 0.75, 0.5, 0.75, 1], [0.625, 0.6, 0.7, 0.6, 0.7, 0.7]]
      ])
    #expect(after["crowd"]?.bool == true && after["label"] == before["label"])
    let rings: JSON = [[[0.25, 0.25, 0.75, 0.25, 0.75, 0.5, 0.5, 1]]]
    let outlined = try await scene.edit([
      "do": "moveBox", "photo": .string(scene.photos[0].description),
      "label": try #require(before["label"]), "polygons": rings,
    ])
    #expect(outlined.json["text"]?.string == "Outline changed", "\(outlined.text)")
    let replaced = try #require(try await outline())
    #expect(replaced["polygons"] == rings && replaced["crowd"]?.bool == true)
    #expect(replaced["region"] == before["region"])
    #expect(replaced["box"] == ["height": 0.75, "width": 0.5, "x": 0.25, "y": 0.25])
  }

  @Test("outlines are drawn, reshaped, reclassified, and all of it undone")
  func drawnOutlines() async throws {
    let scene = try await ServerScene.start()
    let photo = JSON.string(scene.photos[0].description)
    func shown() async throws -> [JSON] {
      try await scene.get("/api/photos/\(scene.photos[0])")["boxes"]?.array?.map {
        [$0["class"] ?? .null, $0["polygons"] ?? .null]
      } ?? []
    }
    let triangle: JSON = [[[0.1, 0.1, 0.5, 0.1, 0.3, 0.6]]]
    let square: JSON = [[[0.1, 0.1, 0.5, 0.1, 0.5, 0.6, 0.1, 0.6]]]
    let drawn = try await scene.edit([
      "do": "box", "photo": photo, "class": "oak", "polygons": triangle, "create": ["oak"],
    ])
    let label = try #require(drawn.json["label"], "\(drawn.text)")
    #expect(drawn.json["text"]?.string == "oak as an outline")
    #expect(try await shown() == [["oak", triangle]])
    _ = try await scene.edit([
      "do": "moveBox", "photo": photo, "label": label, "polygons": square, "class": "elm",
      "create": ["elm"],
    ])
    #expect(try await shown() == [["elm", square]])
    for expected: [JSON] in [[["oak", triangle]], []] {
      #expect(try await scene.request("POST", "/api/undo").status == 200)
      #expect(try await shown() == expected)
    }
  }

  @Test(
    "refuses invalid outlines",
    arguments: [
      #"[]"#, #"[[]]"#, #"[[[0, 0, 1, 0]]]"#, #"[[[0, 0, 1, 0, 1]]]"#, #""round""#,
      #"[[[0, 0, 1, 0, 1.5, 1]]]"#, #"[[[0, 0, 0.5, 0, 1, 0]]]"#,
      #"[[[0, 0, 1, 0, 1, 1]]], "box": {"x": 0, "y": 0, "width": 1, "height": 1}"#,
    ])
  func refusesOutlines(polygons: String) async throws {
    let scene = try await ServerScene.start()
    let text =
      #"{"do": "box", "photo": "\#(scene.photos[0])", "class": "oak", "create": ["oak"], "#
      + #""polygons": \#(polygons)}"#
    let reply = try await scene.request("POST", "/api/edits", try JSON(bytes: Array(text.utf8)))
    #expect(reply.status == 400, "\(reply.text)")
    #expect(try await scene.get("/api/photos/\(scene.photos[0])")["boxes"] == [])
  }

  @Test("boxes are drawn, moved, reclassified, removed, and all of it undone")
  func boxes() async throws {
    let scene = try await ServerScene.start()
    let photo = JSON.string(scene.photos[0].description)
    func boxes() async throws -> [String] {
      try await scene.get("/api/photos/\(scene.photos[0])")["boxes"]?.array?.map {
        "\($0["class"]?.string ?? "?") \($0["box"]?["x"]?.double ?? -1)"
      } ?? []
    }
    func box(_ x: Double) -> JSON { ["x": JSON(x), "y": 0.1, "width": 0.2, "height": 0.2] }
    let drawn = try await scene.edit([
      "do": "box", "photo": photo, "class": "oak", "box": box(0.1), "create": ["oak"],
    ])
    let label = try #require(drawn.json["label"], "\(drawn.text)")
    #expect(try await boxes() == ["oak 0.1"])
    _ = try await scene.edit(["do": "moveBox", "photo": photo, "label": label, "box": box(0.5)])
    #expect(try await boxes() == ["oak 0.5"])
    let elm = try await scene.edit([
      "do": "moveBox", "photo": photo, "label": label, "class": "elm", "create": ["elm"],
    ])
    #expect(try await boxes() == ["elm 0.5"])
    _ = try await scene.edit([
      "do": "removeBox", "photo": photo, "label": try #require(elm.json["label"]),
    ])
    #expect(try await boxes() == [])
    for expected in [["elm 0.5"], ["oak 0.5"], ["oak 0.1"], []] {
      #expect(try await scene.request("POST", "/api/undo").status == 200)
      #expect(try await boxes() == expected)
    }
    let outside = try await scene.edit([
      "do": "box", "photo": photo, "class": "oak", "box": box(0.9),
    ])
    #expect(outside.status == 400)
  }
}
