import Cairn
import CairnDocument
import Foundation
import SystemPackage
import Testing

@Suite("Edits", .serialized)
struct EditTests {
  private func target(_ scene: ServerScene, _ numbers: Int...) -> JSON {
    ["photos": .array(numbers.map { .string(scene.photos[$0].description) })]
  }

  @Test("labels are in the documents when they are acknowledged")
  func labels() async throws {
    let scene = try await ServerScene.start()
    let reply = try await scene.label(0, "oak")
    #expect(reply.status == 200)
    #expect(reply.json["changed"]?.int == 1)
    #expect(try await scene.states(0) == ["oak confirmed"])
    let again = try await scene.label(0, "oak")
    #expect(again.json["changed"]?.int == 0)
    #expect(again.json["action"]?.isNull == true)
  }

  @Test(
    "are operations, which the command line undoes, and are no longer once the page undoes them")
  func operations() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "oak")
    _ = try await scene.label(1, "oak")
    #expect(try await scene.request("POST", "/api/undo").status == 200)
    #expect(try await scene.states(0) == ["oak confirmed"])
    #expect(try await scene.states(1) == [])
    let text = try await scene.change { try $0.undo().operation.text }
    #expect(text.hasPrefix("serve: "), "\(text)")
    #expect(try await scene.states(0) == [])
  }

  @Test("a new class needs confirmation")
  func confirmsClasses() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "oak")
    let reply = try await scene.edit([
      "do": "label", "target": target(scene, 1), "classes": ["oka"],
    ])
    #expect(reply.status == 422)
    let unknown = reply.json["unknown"]?.array?.first
    #expect(unknown?["name"]?.string == "oka")
    #expect(try await scene.states(1) == [])
  }

  @Test("refuses to give photos facts that were erased from the history")
  func erasedFacts() async throws {
    let scene = try await ServerScene.start(prepare: { dataset, photos in
      try dataset.addPin(at: try #require(Coordinate(latitude: 1, longitude: 2)), name: "Mill")
      try dataset.erase(.position, of: [photos[0]], reason: "home address")
      try dataset.erase(.metadata, of: [photos[1]], reason: "asked for it")
    })
    let pins = try #require(try await scene.get("/api/pins")["pins"]?.array)
    let pin = try #require(pins.first?["pin"])
    let edits: [JSONObject] = [
      ["do": "pin", "target": target(scene, 0), "pin": pin],
      ["do": "title", "photo": .string(scene.photos[1].description), "text": "New"],
      ["do": "label", "target": target(scene, 1), "classes": ["oak"], "create": ["oak"]],
    ]
    for edit in edits {
      let reply = try await scene.edit(edit)
      #expect(reply.status == 404 && reply.json["kind"]?.string == "erased", "\(reply.text)")
      #expect(reply.json["message"]?.string?.contains("was erased for good") == true)
    }
    #expect(try await scene.states(1) == [])
    #expect(try await scene.label(0, "oak").status == 200)
  }

  @Test("shows edits after a commit whose history was rewritten without erased facts")
  func rewrittenHistory() async throws {
    let scene = try await ServerScene.start(prepare: { dataset, _ in
      _ = try dataset.commit()
      try dataset.erase(person: "ann@example.org", reason: "asked for it")
    })
    let photo = JSON.string(scene.photos[0].description)
    for title in ["Mill", "Harbor"] {
      let reply = try await scene.edit(["do": "title", "photo": photo, "text": .string(title)])
      #expect(reply.json["photos"]?.array?.first?["name"]?.string == title, "\(reply.text)")
      // The commit names its author, who was erased.
      #expect(try await scene.request("POST", "/api/commit", [:]).status == 200)
    }
  }

  @Test("undoes actions in reverse order, also those of an earlier server")
  func undoes() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "oak")
    _ = try await scene.edit([
      "do": "label", "target": target(scene, 0, 1, 2), "classes": ["elm"], "create": ["elm"],
    ])
    let again = try await scene.restart()
    let first = try await again.request("POST", "/api/undo")
    #expect(first.status == 200)
    #expect(first.json["photos"]?.array?.count == 3)
    #expect(first.json["left"]?.int == 1)
    #expect(try await again.states(0) == ["oak confirmed"])
    #expect(try await again.states(1) == [])
    #expect(try await again.request("POST", "/api/undo").status == 200)
    #expect(try await again.states(0) == [])
    #expect(try await again.request("POST", "/api/undo").status == 404)
  }

  @Test("undoes a named action only while it is the latest")
  func undoesNamed() async throws {
    let scene = try await ServerScene.start()
    let first = try await scene.label(0, "oak")
    let second = try await scene.label(0, "elm")
    let name = try #require(first.json["action"]?.string)
    #expect(try await scene.request("POST", "/api/undo?action=\(name)").status == 409)
    #expect(try await scene.states(0).sorted() == ["elm confirmed", "oak confirmed"])
    let last = try #require(second.json["action"]?.string)
    #expect(try await scene.request("POST", "/api/undo?action=\(last)").status == 200)
    #expect(try await scene.states(0) == ["oak confirmed"])
    #expect(try await scene.request("POST", "/api/undo?action=\(last)").status == 409)
  }

  @Test("undoes committed labels")
  func undoesCommitted() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "oak")
    #expect(try await scene.request("POST", "/api/commit", [:]).status == 200)
    #expect(try await scene.request("POST", "/api/undo").status == 200)
    #expect(try await scene.states(0) == [])
  }

  @Test("a dry run changes nothing")
  func dryRun() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "oak")
    let reply = try await scene.edit([
      "do": "label", "target": target(scene, 0, 1, 2), "classes": ["oak"], "dryRun": true,
    ])
    #expect(reply.json["photos"]?.int == 3)
    #expect(reply.json["changes"]?.int == 2)
    #expect(reply.json["unchanged"]?.int == 1)
    #expect(try await scene.states(1) == [])
    let turned = try await scene.edit([
      "do": "label", "target": target(scene, 0), "classes": ["oak"], "verdict": "absent",
      "dryRun": true,
    ])
    #expect(turned.json["reversals"]?.int == 1)
  }

  @Test("edits a range of a set, except some photos")
  func editsSets() async throws {
    let scene = try await ServerScene.start()
    let set = try #require(try await scene.request("POST", "/api/sets", [:]).json["set"])
    let reply = try await scene.edit([
      "do": "label", "classes": ["oak"], "create": ["oak"],
      "target": [
        "set": set, "range": [1, 4], "except": [.string(scene.photos[2].description)],
      ],
    ])
    #expect(reply.json["changed"]?.int == 2)
    var counts: [Int] = []
    for number in 0..<4 { counts.append(try await scene.states(number).count) }
    #expect(counts == [0, 1, 0, 1])
  }

  @Test("favorites, titles and removals are undone, too")
  func otherEdits() async throws {
    let scene = try await ServerScene.start()
    let photo = JSON.string(scene.photos[0].description)
    let favorite = try await scene.edit(["do": "favorite", "target": target(scene, 0)])
    #expect(favorite.json["photos"]?.array?.first?["favorite"]?.bool == true)
    let title = try await scene.edit(["do": "title", "photo": photo, "text": "A tree"])
    #expect(title.json["photos"]?.array?.first?["name"]?.string == "A tree")
    let removed = try await scene.edit(["do": "remove", "target": target(scene, 0)])
    #expect(removed.json["photos"]?.array?.first?["removed"]?.bool == true)
    for _ in 0..<3 { #expect(try await scene.request("POST", "/api/undo").status == 200) }
    let row = try await scene.get("/api/photos/\(scene.photos[0])")["photo"]
    #expect(row?["favorite"]?.bool == false)
    #expect(row?["removed"]?.bool == false)
    #expect(row?["name"]?.string?.hasSuffix(".png") == true)
  }

  @Test("reports who changed the photo in the meantime, and writes nothing")
  func conflict() async throws {
    let scene = try await ServerScene.start()
    let photo = scene.photos[0]
    let version = try #require(try await scene.get("/api/photos/\(photo)")["version"])
    let bob = Author(name: "Bob", email: "bob@example.org")
    try await scene.change(as: bob) { _ = try $0.label([photo], ["oak"]) }
    let edits: [JSONObject] = [
      ["do": "title", "text": "x"], ["do": "caption", "text": "x"],
      ["do": "box", "class": "oak", "box": ["x": 0, "y": 0, "width": 0.5, "height": 0.5]],
    ]
    for edit in edits {
      var edit = edit
      (edit["photo"], edit["expect"]) = (.string(photo.description), version)
      let reply = try await scene.edit(edit)
      #expect(reply.status == 409)
      #expect(reply.json["kind"]?.string == "conflict")
      #expect(reply.json["message"]?.string?.hasPrefix("bob@example.org changed") == true)
      let detail = reply.json["photo"]
      #expect(detail?["version"] != version)
      #expect(detail?["classes"]?.array?.first?["class"]?.string == "oak")
      #expect(detail?["title"]?.string == "" && detail?["boxes"]?.array?.isEmpty == true)
    }
  }

  @Test("blames nobody whose label was there before")
  func conflictWithOneself() async throws {
    let scene = try await ServerScene.start()
    let photo = scene.photos[0]
    let bob = Author(name: "Bob", email: "bob@example.org")
    try await scene.change(as: bob) { _ = try $0.label([photo], ["oak"]) }
    let version = try #require(try await scene.get("/api/photos/\(photo)")["version"])
    func title(_ text: String) async throws -> HTTPReply {
      try await scene.edit([
        "do": "title", "photo": .string(photo.description), "text": .string(text),
        "expect": version,
      ])
    }
    #expect(try await title("One").status == 200)
    let reply = try await title("Two")
    #expect(reply.status == 409)
    #expect(
      reply.json["message"]?.string
        == "The photo was changed in the meantime. Nothing was written.")
  }

  @Test("accepts and rejects predictions, and skips photos without one")
  func verdicts() async throws {
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, photos in
      let model = try #require(Annotator(model: "net@1"))
      try dataset.label(
        Array(photos[0..<2]), ["oak"],
        LabelAssertion(.present, by: model, confidence: 0.9))
    }
    let dry = try await scene.edit([
      "do": "accept", "class": "oak", "target": target(scene, 0, 1, 2), "dryRun": true,
    ])
    #expect(dry.json["changes"]?.int == 2 && dry.json["skipped"]?.int == 1)
    let accepted = try await scene.edit([
      "do": "accept", "class": "oak", "target": target(scene, 0, 2),
    ])
    #expect(accepted.json["changed"]?.int == 1 && accepted.json["skipped"]?.int == 1)
    let rejected = try await scene.edit([
      "do": "reject", "class": "oak", "target": target(scene, 1),
    ])
    #expect(rejected.json["changed"]?.int == 1)
    #expect(try await scene.states(0) == ["oak confirmed"])
    #expect(try await scene.states(1) == ["oak rejected"])
    let withdrawn = try await scene.edit([
      "do": "withdraw", "class": "oak", "target": target(scene, 0, 1, 2),
    ])
    #expect(withdrawn.json["changed"]?.int == 2)
    #expect(try await scene.states(0) == ["oak predicted"])
    for expected in [["oak confirmed"], ["oak confirmed"], ["oak predicted"]] {
      #expect(try await scene.request("POST", "/api/undo").status == 200)
      #expect(try await scene.states(0) == expected)
    }
    let unknown = try await scene.edit(["do": "accept", "class": "x", "target": target(scene, 0)])
    #expect(unknown.status == 404)
  }

  @Test("skips photos that a model called absent: a rejection never labels them present")
  func skipsAbsentPredictions() async throws {
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, photos in
      let model = try #require(Annotator(model: "net@1"))
      for (photo, verdict) in zip(photos, [Verdict.present, .absent]) {
        try dataset.label([photo], ["oak"], LabelAssertion(verdict, by: model, confidence: 0.9))
      }
    }
    let before = try await scene.states(1)
    for name in ["reject", "accept"] {
      let dry = try await scene.edit([
        "do": .string(name), "class": "oak", "target": target(scene, 0, 1), "dryRun": true,
      ])
      #expect(dry.json["changes"]?.int == 1 && dry.json["skipped"]?.int == 1, "\(dry.text)")
      let reply = try await scene.edit([
        "do": .string(name), "class": "oak", "target": target(scene, 0, 1),
      ])
      #expect(reply.json["changed"]?.int == 1 && reply.json["skipped"]?.int == 1)
      #expect(try await scene.states(1) == before)
    }
  }

  @Test("classes of several photos are accepted as one action")
  func judgesTogether() async throws {
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, photos in
      let model = try #require(Annotator(model: "net@1"))
      for (photo, name) in zip(photos, ["oak", "elm", "ash"]) {
        try dataset.label(
          [photo], [name], LabelAssertion(.present, by: model, confidence: 0.9))
      }
    }
    let edits: JSON = [
      ["do": "accept", "class": "oak", "target": target(scene, 0)],
      ["do": "label", "classes": ["elm"], "target": target(scene, 1)],
    ]
    let dry = try await scene.edit(["edits": edits, "dryRun": true])
    #expect(dry.json["photos"]?.int == 2 && dry.json["changes"]?.int == 2)
    let reply = try await scene.edit(["edits": edits])
    #expect(reply.json["text"]?.string == "oak, elm accepted on 2 photos", "\(reply.text)")
    #expect(reply.json["changed"]?.int == 2)
    #expect(try await scene.states(0) == ["oak confirmed"])
    #expect(try await scene.states(1) == ["elm confirmed"])
    #expect(try await scene.request("POST", "/api/undo").status == 200)
    #expect(try await scene.states(0) == ["oak predicted"])
    #expect(try await scene.states(1) == ["elm predicted"])
    let mixed: JSON = [
      ["do": "accept", "class": "oak", "target": target(scene, 0)],
      ["do": "withdraw", "class": "elm", "target": target(scene, 1)],
    ]
    #expect(try await scene.edit(["edits": mixed]).status == 400)
    #expect(try await scene.edit(["edits": []]).status == 400)
  }

  @Test("assigns photos to a pin, and undoes it")
  func pins() async throws {
    let scene = try await ServerScene.start()
    let added = try await scene.request("POST", "/api/pins", ["location": [57.1, -4.7]])
    let pin = try #require(added.json["pin"]?["pin"])
    let edit = try await scene.edit(["do": "pin", "pin": pin, "target": target(scene, 0, 1)])
    #expect(edit.json["photos"]?.array?.map { $0["pin"] } == [pin, pin])
    #expect(edit.json["photos"]?.array?.first?["location"]?.array?.first?.double == 57.1)
    let id = try #require(pin.string)
    #expect(try await scene.get("/api/pins/\(id)")["photos"]?.int == 2)
    #expect(try await scene.request("POST", "/api/undo").status == 200)
    #expect(try await scene.get("/api/pins/\(id)")["photos"]?.int == 0)
  }

  @Test("documents that are gone do not block the undo of what was done before")
  func undoesPastMissing() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "oak")
    let photo = JSON.string(scene.photos[1].description)
    _ = try await scene.edit(["do": "title", "photo": photo, "text": "A tree"])
    let added = try await scene.request("POST", "/api/pins", ["location": [57.1, -4.7]])
    let pin = try #require(added.json["pin"]?["pin"]?.string.flatMap { PinID($0) })
    // As after `git clean`.
    for path in [DocumentPath.pin(pin), DocumentPath.photo(scene.photos[1])] {
      try FileManager.default.removeItem(atPath: "\(scene.dataset)/\(path)")
    }
    for _ in 0..<2 {
      let undo = try await scene.request("POST", "/api/undo")
      #expect(undo.status == 200, "\(undo.text)")
      #expect(undo.json["undone"]?["outcome"]?.string == "partly")
    }
    #expect(try await scene.request("POST", "/api/undo").status == 200)
    #expect(try await scene.states(0) == [])
  }

  @Test("lists the actions, newest first")
  func actions() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "oak")
    _ = try await scene.label(1, "elm")
    let list = try await scene.get("/api/actions?limit=1")
    #expect(list["left"]?.int == 2)
    #expect(list["actions"]?.array?.map { $0["text"]?.string } == ["elm on 1 photo"])
  }

  @Test("keeps labels that were changed again after the action that is undone")
  func undoesPartly() async throws {
    let scene = try await ServerScene.start()
    let photo = JSON.string(scene.photos[0].description)
    _ = try await scene.edit(["do": "title", "photo": photo, "text": "One"])
    let id = scene.photos[0]
    try await scene.change { _ = try $0.editPhotos([id], title: "Two") }
    let undo = try await scene.request("POST", "/api/undo")
    #expect(undo.json["undone"]?["outcome"]?.string == "partly")
    #expect(undo.json["undone"]?["kept"]?.int == 1)
    #expect(try await scene.get("/api/photos/\(id)")["title"]?.string == "Two")
  }

  @Test(
    "refuses edits that are not valid",
    arguments: [
      #"{"do": "dance"}"#, #"{}"#, #"{"do": "label", "classes": ["oak"]}"#,
      #"{"do": "label", "classes": [], "target": {"photos": []}}"#,
      #"{"do": "label", "classes": ["oak"], "target": {"photos": ["3fa9"]}}"#,
      #"{"do": "label", "classes": "oak", "target": {"photos": []}}"#,
      #"{"do": "label", "classes": ["oak"], "verdict": "maybe", "target": {"photos": []}}"#,
      #"{"do": "label", "classes": ["oak"], "target": {"set": "SET", "range": [2, 1]}}"#,
      #"{"do": "pin", "pin": "../x", "target": {"photos": []}}"#,
      #"{"do": "removeBox", "photo": "x", "label": "../y"}"#,
    ])
  func refuses(body: String) async throws {
    let scene = try await ServerScene.start()
    let text = body.replacing("SET", with: try await scene.set())
    let before = try await scene.change { try $0.changeMark() }
    let reply = try await scene.request("POST", "/api/edits", try JSON(bytes: Array(text.utf8)))
    #expect(reply.status == 400, "\(reply.text)")
    #expect(try await scene.change { try $0.changeMark() } == before)
  }
}
