import Foundation
import TestSupport
import Testing

@Suite("Labels of people and models")
struct LabelInputTests {
  @Test("gives a label, withdraws it and gives it again")
  func unlabel() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "Oak", in: "a")
    #expect(try box.state(of: "oak", on: photo, in: "a") == "confirmed")
    let again = try box.json("label", photo, "oak", in: "a")
    #expect(again.elements.map(\.["changed"]) == [.bool(false)])
    try box.cairn("unlabel", photo, "OAK", in: "a")
    #expect(try box.labels(of: photo, in: "a") == ["ann: oak withdrawn"])
    #expect(try box.state(of: "oak", on: photo, in: "a") == nil)
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("label", photo, "oak", "--absent", in: "a")
    #expect(try box.labels(of: photo, in: "a") == ["ann: oak absent"])
    #expect(try box.state(of: "oak", on: photo, in: "a") == "rejected")
  }

  @Test("gives each label a later stamp than the label it replaces")
  func stamps() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    var last = ""
    for round in 0..<6 {
      let verdict = round % 2 == 0 ? ["--absent"] : []
      let output = try box.run("cairn", ["label", photo, "oak", "--json"] + verdict, in: "a")
      let stamp = try output.json().elements[0]["label"]["stamp"].string
      #expect(stamp > last)
      last = stamp
    }
  }

  @Test("keeps people's verdicts when models label again")
  func models() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", "elm", "--as", "net@1", "--confidence", "0.9", in: "a")
    #expect(try box.state(of: "oak", on: photo, in: "a") == "predicted")
    try box.cairn("accept", photo, "oak", in: "a")
    try box.cairn("reject", photo, "elm", in: "a")
    #expect(try box.state(of: "oak", on: photo, in: "a") == "confirmed")
    #expect(try box.state(of: "elm", on: photo, in: "a") == "rejected")
    try box.cairn("label", photo, "elm", "--as", "net@2", "--confidence", "1", in: "a")
    #expect(try box.state(of: "elm", on: photo, in: "a") == "rejected")
    #expect(try box.labels(of: photo, in: "a").count == 5)
    try box.cairn("unlabel", photo, "elm", in: "a")
    #expect(try box.state(of: "elm", on: photo, in: "a") == "predicted")
  }

  @Test(
    "records absent when a model's absent is accepted, and present when it is rejected"
  )
  func judgingAbsent() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", "elm", "--absent", "--as", "net@1", in: "a")
    try box.cairn("accept", photo, "oak", in: "a")
    try box.cairn("reject", photo, "elm", in: "a")
    #expect(try box.state(of: "oak", on: photo, in: "a") == "rejected")
    #expect(try box.state(of: "elm", on: photo, in: "a") == "confirmed")
    try box.cairn("label", photo, "ash", in: "a")
    #expect(try box.run("cairn", ["accept", photo, "ash"], in: "a").status == ExitStatus.notFound)
  }

  @Test("removes and restores a photo that has a label with a stamp in the future")
  func removalAhead() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", in: "a")
    let label = try #require(try box.documents("labels", in: "a").first)
    try box.replace("\"stamp\": \"20", with: "\"stamp\": \"21", in: label)
    try box.cairn("photo", "remove", photo, in: "a")
    #expect(try box.listed(in: "a") == [])
    try box.cairn("label", photo, "elm", in: "a")
    #expect(try box.listed(in: "a") == [photo])
  }

  @Test("restores a removed photo when a person labels it, but not when a model does")
  func removal() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 3)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("photo", "remove", photos[0], photos[1], in: "a")
    #expect(try box.listed(in: "a") == [photos[2]])
    #expect(try box.json("photo", "list", "is:removed OR -is:removed", in: "a").elements.count == 3)
    #expect(try !box.json("show", photos[0], in: "a")["visible"].isTrue)

    try box.cairn("label", photos[0], "elm", "--as", "net@1", in: "a")
    #expect(try box.listed(in: "a") == [photos[2]])
    try box.cairn("label", photos[0], "oak", in: "a")
    #expect(try box.listed(in: "a") == [photos[0], photos[2]])
    #expect(try box.json("show", photos[0], in: "a")["restoredBy"].string.contains("ann"))
    try box.cairn("photo", "remove", photos[0], in: "a")
    #expect(try box.listed(in: "a") == [photos[2]])

    try box.cairn("photo", "restore", photos[0], photos[1], in: "a")
    #expect(try box.listed(in: "a") == Set(photos))
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == "confirmed")
  }

  @Test("restores a photo on both devices when one removes it and the other labels it later")
  func removalAgainstLabel() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 3)
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.setIdentity("Bob", in: "b")

    // B labels one photo before and one after A removes all three; a model labels the third.
    try box.cairn("label", photos[0], "oak", in: "b")
    try box.cairn("photo", "remove", photos[0], photos[1], photos[2], in: "a")
    try box.cairn("label", photos[1], "oak", in: "b")
    try box.cairn("label", photos[2], "oak", "--as", "net@1", in: "b")
    try box.cairn("commit", in: "a")
    try box.cairn("sync", in: "b")

    for device in ["a", "b"] {
      #expect(try box.listed(in: device) == [photos[1]])
      #expect(try box.labels(of: photos[0], in: device) == ["bob: oak present"])
    }
    try box.cairn("photo", "restore", photos[0], in: "a")
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == "confirmed")
    try box.expectEqual("a", "b")
  }

  @Test("finds a photo by its original file name, if no other photo has it")
  func fileNames() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    for (index, name) in ["1/IMG_0003.png", "1/IMG_0004.png", "2/IMG_0004.png", "2/img_0003.png"]
      .enumerated()
    {
      try box.write(PNG.bytes(seed: index), to: "from/\(name)")
    }
    let added = try box.json("photo", "add", box.url("from").path, in: "a").elements
    func id(_ file: String) throws -> String {
      try #require(added.first { $0["file"].string.hasSuffix(file) })["id"].string
    }
    let (first, second) = (try id("1/IMG_0003.png"), try id("2/img_0003.png"))
    try box.cairn("label", "IMG_0003.png", "oak", in: "a")
    #expect(try box.labels(of: first, in: "a") == ["ann: oak present"])
    #expect(try box.labels(of: second, in: "a") == [])
    try box.cairn("label", "img_0003.png", "IMG_0003.png", "elm", in: "a")
    #expect(try box.labels(of: first, in: "a").count == 2)
    #expect(try box.labels(of: second, in: "a") == ["ann: elm present"])
    #expect(try box.json("show", "IMG_0003.png", in: "a")["photo"]["id"].string == first)

    let same = try [id("1/IMG_0004.png"), id("2/IMG_0004.png")].sorted()
    for name in ["IMG_0004.png", "img_0004.PNG"] {
      let error = try box.refuses("label", name, "oak", in: "a", with: ExitStatus.notFound)
      for id in same { #expect(error.contains(id.prefix(12)), "\(error)") }
      #expect(error.contains("belongs to 2 photos"))
    }
    // Once one of them is removed, the name means the other.
    try box.cairn("photo", "remove", same[0], in: "a")
    #expect(try box.json("show", "IMG_0004.png", in: "a")["photo"]["id"].string == same[1])
    // A label restores it.
    try box.cairn("label", same[0], "oak", in: "a")
    try box.refuses("show", "IMG_0004.png", in: "a", with: ExitStatus.notFound)
    try box.refuses("label", "IMG_0009.png", "oak", in: "a", with: ExitStatus.notFound)
    // After photos, an unknown file name is a class.
    try box.cairn("label", "IMG_0003.png", "st.ives", "oak", "--create", in: "a")
    #expect(try box.labels(of: first, in: "a").count == 3)
  }

  @Test("suggests a command that finds the photos of a file name, whatever its characters")
  func fileNameHint() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    for (seed, directory) in [(0, "1"), (1, "2")] {
      try box.write(PNG.bytes(seed: seed), to: "from/\(directory)/it's $1.png")
    }
    let photos = try box.json("photo", "add", "../from", in: "a").strings("id")
    func found() throws -> Int {
      let error = try box.refuses("show", "it's $1.png", in: "a", with: ExitStatus.notFound)
      let command = try #require(error.split(separator: "`").dropFirst().first)
      return try box.sh("\(command) --format paths", in: "a").lines.count
    }
    #expect(try found() == 2)
    try box.cairn("photo", "remove", photos[0], photos[1], in: "a")
    #expect(try found() == 2)
  }

  @Test("identifies a file on the disk by its content, whatever its name")
  func fileContent() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.write(PNG.bytes(seed: 0), to: "a/below/photo-1.png")
    try box.cairn("label", "below/photo-1.png", "oak", in: "a")
    #expect(try box.labels(of: photos[0], in: "a") == ["ann: oak present"])
    try box.write(PNG.bytes(seed: 9), to: "other/photo-1.png")
    let error = try box.refuses(
      "label", "../other/photo-1.png", "oak", in: "a", with: ExitStatus.notFound)
    #expect(error.contains("photo add"))
    #expect(try box.labels(of: photos[1], in: "a") == [])
  }

  @Test("identifies an edited copy that is named by an id by its content, and a pointer by its id")
  func copiesNamedByID() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    let copy = "../other/\(photo).png"
    try box.write(PNG.bytes(seed: 9), to: "other/\(photo).png")
    try box.refuses("label", copy, "oak", in: "a", with: ExitStatus.notFound)
    let dry = try box.cairn("photo", "add", "../other", "-n", in: "a").stdout
    #expect(dry == "Would add 1 photo; 0 already known.\n")
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:\(photo)\nsize 9\n"
    try box.write(pointer, to: "other/pointer.png")
    #expect(try box.json("show", "../other/pointer.png", in: "a")["photo"]["id"].string == photo)
    // A file of the dataset is the image of its photo, even if it is damaged.
    let image = Sandbox.imagePath(photo)
    try box.write("damaged", to: "a/\(image)")
    #expect(try box.json("show", image, in: "a")["photo"]["id"].string == photo)
  }

  @Test("trims the text of a label, and refuses one that is too long")
  func text() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    let spaces = String(repeating: " ", count: 20_000)
    try box.cairn("label", photo, "description", "--text", "A dog.\(spaces)", in: "a")
    let labels = try box.json("show", photo, in: "a")["labels"].elements
    #expect(labels.map { $0["text"].string } == ["A dog."])
    try box.refuses(
      "label", photo, "description", "--text", String(repeating: "x", count: 20_000), in: "a",
      with: ExitStatus.badData, hint: false)
  }

  @Test("treats spellings of a name as one class, but C++ and C# as two")
  func spellings() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn(
      "label", photo, "Cairn Terrier", "cairn_terrier", "CAIRN-TERRIER ", "C++", "C#", in: "a")
    let classes = try box.json("class", "list", in: "a")
    #expect(classes.strings("key") == ["c-951a4d36", "c-cedb1bac", "cairn-terrier"])
    #expect(classes.strings("name") == ["C#", "C++", "Cairn Terrier"])
  }

  @Test("prints the display name of a class, in any script")
  func className() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "Scots pine", "柴犬", in: "a")
    let printed = try box.cairn("label", photo, "scots-pine", "柴犬", "--absent", in: "a").lines
    #expect(printed.map { $0.contains(" Scots pine absent, by ") } == [true, false])
    #expect(printed.map { $0.contains(" 柴犬 absent, by ") } == [false, true])
    let withdrawn = try box.cairn("unlabel", photo, "柴犬", in: "a").lines[0]
    #expect(withdrawn.contains(" 柴犬 withdrawn, by "))
  }

  @Test("lists the commits that changed a photo's labels")
  func log() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("commit", in: "a")
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("commit", "-m", "Oaks", in: "a")
    try box.cairn("label", photos[1], "elm", in: "a")
    try box.cairn("commit", in: "a")
    #expect(try box.json("log", in: "a").elements.count == 4)
    #expect(try box.json("log", "--limit", "2", in: "a").elements.count == 2)
    let history = try box.json("log", photos[0], in: "a")
    #expect(history.strings("summary").first == "Oaks")
    #expect(history.elements.count == 2)
    #expect(history.elements[0]["changes"].elements[0].string.contains("oak present"))
    let commits = try box.git("log", "--format=%H", in: "a").lines
    #expect(try box.json("log", in: "a").strings("commit") == commits)
  }
}
