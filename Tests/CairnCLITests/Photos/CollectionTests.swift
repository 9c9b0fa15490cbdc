import Foundation
import TestSupport
import Testing

@Suite("cairn photo fetch --new-collection and photo replace")
struct CollectionTests {
  private typealias Scene = FetchScene

  private func fetch(
    _ scene: Scene, _ arguments: String..., location: SourceLocation = #_sourceLocation
  ) throws -> [String] {
    try scene.json(["photo", "fetch", "--source"] + arguments, location: location)["added"]
      .strings("id")
  }

  @Test("keeps a photo that the folder of the new collection contains, too")
  func staysFromFolder() throws {
    let scene = try Scene()
    try scene.box.makeImages([1, 7], in: "before")
    try scene.box.makeImages([1, 2], in: "after")
    let before = try fetch(scene, "folder", "--from", "../before", "--pin", "harbor")
    let renewed = try scene.json(
      "photo", "fetch", "--source", "folder", "--from", "../after", "--pin", "harbor",
      "--new-collection")
    #expect(renewed["added"].elements.count == 1 && renewed["known"].number == 1)
    let removed = renewed["removed"].elements.map(\.string)
    #expect(removed.count == 1 && before.contains(removed[0]))
    let kept = Set(before).subtracting(removed)
    #expect(try scene.collection == kept.union(renewed["added"].strings("id")))
    let met = try scene.json("photo", "add", "../after/photo-1.png").elements
    #expect(met.map { $0["id"].string } == Array(kept))
  }

  @Test("keeps a photo that the list of the new collection contains, too")
  func staysFromList() throws {
    let scene = try Scene()
    let urls = (0..<3).map { "\(scene.services.base)/images/list-\($0).png" }
    try scene.box.write(urls[..<2].joined(separator: "\n"), to: "before.txt")
    try scene.box.write(urls[1...].joined(separator: "\n"), to: "after.txt")
    let before = try fetch(scene, "urls", "--from", "../before.txt", "--pin", "harbor")
    let renewed = try scene.json(
      "photo", "fetch", "--source", "urls", "--from", "../after.txt", "--pin", "harbor",
      "--new-collection")
    #expect(renewed["added"].elements.count == 1)
    #expect(renewed["removed"].elements.count == 1 && before.count == 2)
    let credits = try scene.collection.map {
      try scene.box.json("show", $0, in: "a")["photo"]["credit"]["url"].string
    }
    #expect(Set(credits) == Set(urls[1...]))
  }

  @Test("replaces a dog with one of the same breed")
  func breed() throws {
    let scene = try Scene(#"{"total": 4}"#)
    let old = try fetch(
      scene, "dog.ceo", "--text", "norfolk terrier", "--limit", "1", "--no-labels")
    let replaced = try scene.json("photo", "replace", old[0])
    #expect(replaced["removed"].elements.map(\.string) == old)
    #expect(replaced["added"].elements.map { $0["title"].string } == ["norfolk terrier"])
    #expect(
      scene.services.requests("/dogceo").last?.path == "/dogceo/api/breed/terrier/norfolk/images")
  }

  @Test(
    "searches for a replacement by the text of the fetch, or else by the title",
    arguments: [
      ("inaturalist", "Larus argentatus", ["--pin", "harbor"], "taxon_name", "Larus argentatus"),
      ("inaturalist", "Larus argentatus", ["--no-labels"], "taxon_name", "Herring Gull"),
      ("openverse", "tree", ["--pin", "harbor"], "q", "Open 0"),
      ("flickr", "tree", [], "text", "Flickr "),
      ("commons", "tree", [], "gsrsearch", "Commons "),
    ])
  func searchText(
    source: String, text: String, options: [String], parameter: String, words: String
  ) throws {
    let scene = try Scene(#"{"total": 9}"#)
    let found = try scene.json(
      ["photo", "fetch", "--source", source, "--text", text, "--limit", "1"] + options)
    let old = found["added"].strings("id")
    let replaced = try scene.json("photo", "replace", old[0])
    #expect(replaced["removed"].elements.map(\.string) == old)
    #expect(replaced["added"].elements.count == 1)
    let searches = scene.services.requests("/\(source)").compactMap { $0.query[parameter] }
    #expect(searches.first?.hasPrefix(text) == true)
    #expect(searches.last?.hasPrefix(words) == true, "\(searches)")
    let other = try scene.json(
      "photo", "replace", replaced["added"].strings("id")[0], "--text", "x")
    #expect(other["failure"] == .null)
    let last = scene.services.requests("/\(source)").compactMap { $0.query[parameter] }.last
    #expect(last?.hasPrefix("x") == true)
  }

  @Test(
    "asks for --text when a photo has no text to search by",
    arguments: ["openverse", "flickr", "commons"])
  func noSearchText(source: String) throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    let own = try box.addPhotos(0..<1, to: "a")[0]
    let message = try box.refuses(
      "photo", "replace", own, "--source", source, in: "a", with: ExitStatus.badData)
    #expect(message.contains("cairn photo replace \(own.prefix(4))"))
    #expect(message.contains("--source \(source) --text"))
  }
}
