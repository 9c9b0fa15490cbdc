import Foundation
import TestSupport
import Testing

@Suite("cairn class: rename, merge, split and set")
struct ClassTests {
  /// Returns the entry of a class in `cairn class list`.
  private func listed(_ key: String, _ box: Sandbox, in dataset: String = "a") throws -> JSONValue {
    try box.json("class", "list", in: dataset).elements.first { $0["key"].string == key } ?? .null
  }

  /// Starts two devices, Ann's and Bob's, with the same photos.
  private func twoDevices(_ box: Sandbox, photos: Int) throws -> [String] {
    let ids = try box.startDataset(photos: photos)
    try box.cairn("label", ids[0], "puma", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.setIdentity("Bob", in: "b")
    return ids
  }

  private func exchange(_ box: Sandbox) throws {
    for device in ["b", "a", "b"] { try box.cairn("commit", in: device) }
    try box.cairn("sync", in: "b")
    try box.expectEqual("a", "b")
    for device in ["a", "b"] {
      try box.expectClean(device)
      try box.expectSound(device)
    }
  }

  @Test("finds a renamed class by its old and its new name on every device")
  func rename() throws {
    let box = try Sandbox()
    let photos = try twoDevices(box, photos: 2)
    try box.cairn("class", "rename", "puma", "Mountain Lion", in: "a")
    try box.cairn("label", photos[1], "puma", in: "b")
    try exchange(box)

    for device in ["a", "b"] {
      let known = try listed("puma", box, in: device)
      #expect(known["name"].string == "Mountain Lion")
      #expect(known["photos"].number == 2)
      let labels = try box.json("label", photos[0], "mountain_lion", "Puma", "--absent", in: device)
      #expect(labels.elements.map { $0["label"]["class"].string } == ["puma", "puma"])
      #expect(try box.json("class", "list", in: device).elements.count == 1)
    }
    #expect(try box.cairn("show", photos[0], in: "a").stdout.contains("rejected Mountain Lion: "))
  }

  @Test("does not merge a class into the favorites, where its labels would not count")
  func mergeIntoFavorites() throws {
    let box = try Sandbox()
    let photos = try twoDevices(box, photos: 1)
    let commands = [
      ["merge", "puma", "favorite"], ["alias", "best", "favorite"], ["alias", "Favorite", "puma"],
    ]
    for command in commands {
      let result = try box.runCairn(["class"] + command, in: "a")
      #expect(result.status == 65 && result.stderr.contains("Favorites are not classes."))
    }
    // A document of another program says the same.
    let path = "a/classes/puma.json"
    var document = try box.text(path)
    let end = try #require(document.lastIndex(of: "}"))
    document.insert(
      contentsOf:
        #", "aliasOf": {"stamp": "2026-11-20T09:00:00.000Z-0000-7f3a9c21", "value": "favorite"}"#,
      at: end)
    try box.write(document, to: path)
    #expect(try box.state(of: "puma", on: photos[0], in: "a") == "confirmed")
  }

  @Test("applies a class merge to labels that another device gives meanwhile, until a split")
  func mergeBesideLabels() throws {
    let box = try Sandbox()
    let photos = try twoDevices(box, photos: 3)
    try box.cairn("label", photos[1], "cougar", in: "a")
    try box.cairn("class", "merge", "cougar", "puma", in: "a")
    // B has not seen the merge, creates the same key and labels with it.
    try box.cairn("label", photos[0], "Cougar", "--absent", in: "b")
    try box.cairn("label", photos[2], "Cougar", in: "b")
    try exchange(box)

    for device in ["a", "b"] {
      #expect(try listed("puma", box, in: device)["photos"].number == 2 + 1)
      #expect(try listed("cougar", box, in: device)["aliasOf"].string == "puma")
      #expect(try box.state(of: "puma", on: photos[0], in: device) == "disputed")
      #expect(try box.state(of: "puma", on: photos[2], in: device) == "confirmed")
      #expect(try box.state(of: "cougar", on: photos[2], in: device) == nil)
    }
    // Under either name, it is one label of one class.
    let again = try box.json("label", photos[2], "cougar", in: "b").elements
    #expect(again.map { $0["label"]["class"].string } == ["puma"])
    try box.cairn("unlabel", photos[2], "puma", in: "b")
    #expect(
      try box.labels(of: photos[2], in: "b") == ["bob: cougar withdrawn", "bob: puma withdrawn"])

    try box.cairn("class", "split", "cougar", in: "a")
    try exchange(box)
    for device in ["a", "b"] {
      #expect(try box.state(of: "puma", on: photos[0], in: device) == "confirmed")
      #expect(try box.state(of: "cougar", on: photos[0], in: device) == "rejected")
      #expect(try listed("cougar", box, in: device)["aliasOf"] == .null)
    }
  }

  @Test("keeps one of two classes that two devices merge into each other")
  func mergedBothWays() throws {
    let box = try Sandbox()
    let photos = try twoDevices(box, photos: 2)
    try box.cairn("label", photos[1], "cougar", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("pull", in: "b")
    try box.cairn("class", "merge", "cougar", "puma", in: "a")
    try box.cairn("class", "merge", "puma", "cougar", in: "b")
    try exchange(box)
    for device in ["a", "b"] {
      #expect(try listed("cougar", box, in: device)["photos"].number == 2)
      #expect(try listed("puma", box, in: device)["aliasOf"].string == "cougar")
      for photo in photos {
        #expect(try box.state(of: "cougar", on: photo, in: device) == "confirmed")
      }
    }
  }

  @Test("counts the latest label when a person switches between classes of an exclusive set")
  func exclusiveSet() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "beagle", in: "a")
    try box.cairn("label", photo, "terrier", "--as", "net@1", in: "a")
    try box.cairn("class", "set", "breed", "beagle", "terrier", in: "a")
    #expect(try box.state(of: "terrier", on: photo, in: "a") == "rejected")
    for (now, before) in [("terrier", "beagle"), ("beagle", "terrier"), ("terrier", "beagle")] {
      let labels = try box.json("label", photo, now, in: "a").elements
      #expect(labels.map(\.["changed"]) == [.bool(true)])
      #expect(try box.state(of: now, on: photo, in: "a") == "confirmed")
      #expect(try box.state(of: before, on: photo, in: "a") == "rejected")
    }
    #expect(
      try box.json("label", photo, "terrier", in: "a").elements.map(\.["changed"]) == [.bool(false)]
    )
    try box.cairn("class", "set", "none", "beagle", in: "a")
    #expect(try box.state(of: "beagle", on: photo, in: "a") == "confirmed")
  }

  @Test("switches classes of an exclusive set even if the earlier label's stamp is in the future")
  func stampsAhead() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "beagle", "terrier", in: "a")
    try box.cairn("class", "set", "breed", "beagle", "terrier", in: "a")
    let labels = try box.documents("labels", in: "a").filter { $0.contains("/beagle~") }
    try box.replace("\"stamp\": \"20", with: "\"stamp\": \"21", in: try #require(labels.first))
    #expect(try box.state(of: "terrier", on: photo, in: "a") == "rejected")
    try box.cairn("label", photo, "terrier", in: "a")
    #expect(try box.state(of: "terrier", on: photo, in: "a") == "confirmed")
  }

  @Test("hides a removed class but counts its labels, on every device, until it is restored")
  func removed() throws {
    let box = try Sandbox()
    let photos = try twoDevices(box, photos: 2)
    try box.cairn("class", "rename", "puma", "Cougar", in: "a")
    let removal = try box.cairn("class", "remove", "cougar", in: "a").stdout
    #expect(removal == "Removed puma. 1 photo keeps its labels, which still count.\n")
    #expect(
      try box.cairn("class", "remove", "puma", in: "a").stdout == "“Cougar” (puma) is unchanged.\n")
    try exchange(box)

    for device in ["a", "b"] {
      #expect(try listed("puma", box, in: device) == .null)
      let all = try box.json("class", "list", "--removed", in: device).elements
      #expect(all.map(\.["removed"]) == [.bool(true)])
      #expect(try box.state(of: "puma", on: photos[0], in: device) == "confirmed")
      #expect(try box.json("find", "label:puma", in: device).elements.count == 1)
    }
    // Only its key or first name refers to it, except when it is restored.
    let find = try box.refuses("find", "label:cougar", in: "b", with: ExitStatus.notFound)
    #expect(!find.contains("Did you mean"))
    let restoration = try box.cairn("class", "restore", "Cougar", in: "b").stdout
    #expect(restoration == "Restored puma. 1 photo has it.\n")
    try exchange(box)
    for device in ["a", "b"] {
      #expect(try listed("puma", box, in: device)["removed"] == .bool(false))
      #expect(try box.json("find", "label:cougar", in: device).elements.count == 1)
    }
  }

  @Test("removes an alias without its class")
  func removedAlias() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("class", "alias", "quercus", "oak", in: "a")
    #expect(
      try box.cairn("class", "remove", "quercus", in: "a").stdout
        == "Removed quercus. No photo has it.\n")
    #expect(try box.json("class", "list", in: "a").strings("key") == ["oak"])
    #expect(try box.json("find", "label:quercus", in: "a").elements.count == 1)
    // Adding it again restores it, also after an undo.
    let isAdded = "“quercus” is now an alias of oak.\n"
    #expect(try box.cairn("class", "alias", "quercus", "oak", in: "a").stdout == isAdded)
    #expect(try box.json("class", "list", in: "a").strings("key") == ["oak", "quercus"])
    #expect(try !box.json("class", "alias", "quercus", "oak", in: "a")["changed"].isTrue)
    try box.cairn("undo", in: "a")
    #expect(try box.json("class", "list", in: "a").strings("key") == ["oak"])
    #expect(try box.cairn("class", "alias", "quercus", "oak", in: "a").stdout == isAdded)
  }

  @Test("counts the photos that a query for the class finds")
  func counts() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 5)
    let run = try box.json("run", "start", "net@1", in: "a")["id"].string
    try box.cairn("label", photos[0], photos[1], "yew", "--run", run, in: "a")
    try box.cairn("label", photos[2], "yew", "--as", "old@1", "--confidence", "0.3", in: "a")
    try box.cairn("label", photos[3], photos[4], "yew", in: "a")
    try box.cairn("label", photos[0], "taxus", in: "a")
    try box.cairn("class", "merge", "taxus", "yew", in: "a")
    func count() throws -> Double {
      let number = try listed("yew", box)["photos"].number
      #expect(try box.json("find", "label:yew", "--count", in: "a")["count"].number == number)
      return number
    }
    #expect(try count() == 4)
    try box.cairn("photo", "remove", photos[3], in: "a")
    #expect(try count() == 3)
    try box.cairn("run", "withdraw", run, in: "a")
    #expect(try count() == 2)
    #expect(try listed("taxus", box)["photos"].number == 1)
    try box.cairn("label", photos[4], "yew", "--absent", in: "a")
    #expect(try count() == 1)
  }

  @Test("removes, splits and merges an alias by its display name")
  func renamedAlias() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "dog", "pup", "cat", in: "a")
    try box.cairn("class", "rename", "pup", "Puppy dog", in: "a")
    try box.cairn("class", "merge", "pup", "dog", in: "a")
    try box.cairn("class", "split", "Puppy dog", in: "a")
    #expect(try listed("pup", box)["aliasOf"] == .null)
    try box.cairn("class", "merge", "puppy dog", "dog", in: "a")
    try box.cairn("class", "merge", "Puppy dog", "cat", in: "a")
    #expect(try listed("pup", box)["aliasOf"].string == "cat")
    #expect(try listed("dog", box)["aliasOf"] == .null)
    // A class comes before an alias of the same name.
    try box.cairn("class", "rename", "cat", "Puppy dog", in: "a")
    try box.refuses("class", "split", "Puppy dog", in: "a", with: ExitStatus.badData)
    try box.cairn("class", "rename", "cat", "Cat", in: "a")
    try box.cairn("class", "remove", "Puppy dog", in: "a")
    #expect(try box.json("class", "list", in: "a").strings("key") == ["cat", "dog"])
  }

  @Test("refuses invalid edits of classes")
  func refusals() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", "elm", "ash", in: "a")
    try box.cairn("class", "rename", "elm", "Tree", in: "a")
    try box.cairn("class", "rename", "ash", "tree", in: "a")
    let both = try box.refuses("label", photo, "tree", in: "a", with: ExitStatus.notFound)
    #expect(both.contains("ash") && both.contains("elm"))
    try box.refuses("class", "rename", "yew", "x", in: "a", with: ExitStatus.notFound)
    try box.refuses("class", "rename", "oak", "\n", in: "a", with: ExitStatus.badData)
    try box.refuses("class", "remove", "yew", in: "a", with: ExitStatus.notFound)
    try box.refuses("class", "restore", "yew", in: "a", with: ExitStatus.notFound)
    try box.refuses("class", "merge", "oak", "oak", in: "a", with: ExitStatus.badData)
    try box.refuses("class", "merge", "oak", "yew", in: "a", with: ExitStatus.notFound)
    try box.refuses("class", "split", "oak", in: "a", with: ExitStatus.badData)
    try box.refuses("class", "alias", "elm", "oak", in: "a", with: ExitStatus.existsOrFull)
    try box.refuses("class", "set", "\n", "oak", in: "a", with: ExitStatus.badData)
    // Display names are taken, too; a class's own name as its alias changes nothing.
    try box.cairn("class", "rename", "ash", "Ash Tree", in: "a")
    try box.refuses("class", "alias", "ash tree", "oak", in: "a", with: ExitStatus.existsOrFull)
    #expect(try !box.json("class", "alias", "ash_tree", "ash", in: "a")["changed"].isTrue)
    #expect(try box.json("class", "merge", "elm", "oak", in: "a")["changed"].isTrue)
    #expect(try !box.json("class", "alias", "elm", "oak", in: "a")["changed"].isTrue)
  }
}
